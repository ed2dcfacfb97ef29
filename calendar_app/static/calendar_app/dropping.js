/* Pictures that are dropped on the form of a record, pasted or chosen: each is stored at once, shown, and
   becomes the image of the record once the form is saved. */
"use strict";

(() => {
  const input = document.querySelector("input[type=file][data-drop]");
  const select = input && document.getElementById("id_image");
  if (!select) return;

  const picture = Object.assign(document.createElement("img"), { className: "dropped-picture", hidden: true });
  const said = Object.assign(document.createElement("output"), { className: "event-hint", id: `${input.id}_said` });
  const zone = Object.assign(document.createElement("div"), { className: "drop-zone" });
  input.before(zone);
  zone.append("Drop a picture anywhere on this page, or choose one: ", input);
  zone.after(picture, said);
  input.setAttribute("aria-describedby", `${input.getAttribute("aria-describedby") || ""} ${said.id}`.trim());

  async function send(files) {
    const [file, ...others] = files;
    if (others.length) return refuse("Drop one picture at a time.");
    if (file.size > Number(input.dataset.most)) {
      return refuse(`“${file.name}” is larger than ${input.dataset.most / 1e6} MB.`);
    }
    said.textContent = `“${file.name}” is being sent …`;
    const body = new FormData();
    body.append("file", file);
    const token = input.form.querySelector("[name=csrfmiddlewaretoken]").value;
    const response = await fetch(input.dataset.drop, { method: "POST", body, headers: { "X-CSRFToken": token } });
    const answer = await response.json();
    return response.ok ? choose(answer, file) : refuse(answer.error);
  }

  function choose({ id, title }, file) {
    picture.src = URL.createObjectURL(file);
    picture.alt = `The new image, ${title}`;
    picture.hidden = false;
    picture.dataset.image = id;
    input.value = "";
    said.textContent = `“${title}” becomes the image when you save.`;
    select.append(new Option(title, id, true, true));
    select.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function refuse(sentence) {
    input.value = "";
    said.replaceChildren(Object.assign(document.createElement("strong"), { textContent: sentence }));
  }

  function take(event, data) {
    if (!data?.files.length) return;
    event.preventDefault();
    zone.classList.remove("is-over");
    send(data.files).catch(() => refuse("The picture could not be sent. Try again."));
  }

  const isFile = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    zone.classList.add("is-over");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) zone.classList.remove("is-over");
  });
  document.addEventListener("drop", (event) => take(event, event.dataTransfer));
  document.addEventListener("paste", (event) => {
    // Word and Excel add a picture of the text that was copied.
    if (!event.clipboardData.types.includes("text/plain")) take(event, event.clipboardData);
  });
  // Before the look's own script, which expects its own text field beside the input.
  zone.addEventListener("change", (event) => {
    event.stopPropagation();
    take(event, { files: [...input.files] });
  }, true);
  // Another image was chosen instead.
  const compare = () => { picture.hidden = select.value !== picture.dataset.image; };
  window.django?.jQuery?.(select).on("change", compare);
})();
