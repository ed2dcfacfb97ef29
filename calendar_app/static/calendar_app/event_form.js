/* The form of an event: says what its dates mean and what may be a mistake, and offers a picker. */
"use strict";

(() => {
  const field = (name) => document.getElementById(`id_${name}`);
  const start = field("start_date");
  if (!start || !start.form) return;
  const form = start.form;
  const [, event] = location.pathname.match(/\/(\d+)\/change\/$/) || [];
  const address = location.pathname.replace(/(\d+\/change|add)\/$/, "check/");
  let asked = 0;

  function hintOf(input) {
    let hint = document.getElementById(`${input.id}_hint`);
    if (!hint) {
      hint = document.createElement("output");
      hint.id = `${input.id}_hint`;
      hint.className = "event-hint";
      hint.htmlFor = input.id;
      (input.closest(".event-moment") || input).after(hint);
      input.setAttribute("aria-describedby", `${input.getAttribute("aria-describedby") || ""} ${hint.id}`.trim());
    }
    return hint;
  }

  function show({ understood, warnings }) {
    for (const name of ["title", "start_date", "end_date", "timezone"]) {
      if (field(name)) say(hintOf(field(name)), understood[name], warnings.filter((each) => each.field === name));
    }
    const group = document.getElementById("venue_links-group");
    if (group) {
      if (!group.querySelector(".event-hint")) {
        const hint = document.createElement("output");
        hint.className = "event-hint";
        group.append(hint);
      }
      say(group.querySelector(".event-hint"), "", warnings.filter((each) => each.field === "venues"));
    }
  }

  function say(hint, meaning, warnings) {
    const lines = warnings.map((each) => {
      const line = document.createElement("strong");
      line.textContent = `⚠ ${each.sentence}`;
      return line;
    });
    if (meaning) lines.unshift(document.createTextNode(`= ${meaning}`));
    hint.replaceChildren(...lines);
  }

  async function check() {
    const query = new URLSearchParams();
    for (const name of ["title", "start_date", "end_date", "timezone"]) query.set(name, field(name)?.value || "");
    query.set("all_day", field("all_day")?.checked || false);
    if (event) query.set("event", event);
    for (const select of form.querySelectorAll("select[name^=venue_links-][name$=-venue]")) {
      if (select.value) query.append("venue", select.value);
    }
    const number = (asked += 1);
    const response = await fetch(`${address}?${query}`, { headers: { Accept: "application/json" } });
    if (response.ok && number === asked) show(await response.json());
  }

  let waiting;
  function checkSoon() {
    clearTimeout(waiting);
    waiting = setTimeout(() => check().catch(() => {}), 300);
  }

  function addPicker(input) {
    const frame = document.createElement("span");
    frame.className = "event-moment";
    input.replaceWith(frame);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Pick";
    button.setAttribute("aria-label", "Pick a date and time");
    const picker = document.createElement("input");
    picker.type = "datetime-local";
    picker.tabIndex = -1;
    picker.setAttribute("aria-hidden", "true");
    button.addEventListener("click", () => {
      const match = input.value.match(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)/);
      picker.value = match ? `${match[1]}T${match[2]}` : "";
      picker.showPicker();
    });
    picker.addEventListener("change", () => {
      input.value = picker.value.replace("T", " ");
      checkSoon();
    });
    frame.append(input, button, picker);
  }

  /* Django's script knows no checkboxes: it would not add a category that was made in a window. */
  const close = window.dismissAddRelatedObjectPopup;
  window.dismissAddRelatedObjectPopup = (opened, id, name) => {
    const tree = document.querySelector("div#id_categories");
    if (tree && opened.name.startsWith("id_categories")) {
      const label = document.createElement("label");
      const box = Object.assign(document.createElement("input"), { type: "checkbox", name: "categories", value: id, checked: true });
      box.className = (tree.querySelector("input")?.className || "").replace(/level-\d/, "");
      label.className = tree.querySelector("label")?.className || "";
      label.append(box, ` ${name}`);
      tree.append(label);
    }
    close(opened, id, name);
  };

  document.querySelectorAll("input[data-moment]").forEach(addPicker);
  form.addEventListener("input", checkSoon);
  form.addEventListener("change", checkSoon);
  window.django?.jQuery?.(form).on("change", "select", checkSoon);
  if (start.value) checkSoon();
})();
