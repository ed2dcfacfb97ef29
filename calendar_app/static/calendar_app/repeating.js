/* Shows the dates of the rule in the form of an event while it is made. */
"use strict";

(() => {
  const section = document.querySelector("details.repeating");
  const button = section?.querySelector("button[formaction]");
  if (!button) return;
  const shown = section.querySelector("output");
  let asked = 0, waiting;

  async function show() {
    const sent = new FormData(section.closest("form")), number = (asked += 1);
    for (const [name, value] of [...sent]) if (value instanceof File) sent.delete(name);
    const response = await fetch(button.formAction, { method: "POST", body: sent });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const found = page.getElementById("dates-of-rule");
    if (number === asked && response.ok && found) shown.replaceChildren(...found.childNodes);
  }

  function showSoon() {
    clearTimeout(waiting);
    if (section.open) waiting = setTimeout(() => show().catch(() => {}), 400);
  }

  // The dates stand here: no other page is needed for them.
  button.hidden = true;
  section.closest("form").addEventListener("input", showSoon);
  section.closest("form").addEventListener("change", showSoon);
  section.addEventListener("toggle", showSoon);
  showSoon(); // it may be open already
})();
