// Shows only the fields that a choice needs, as its data-needs says. Without this script all are shown.
"use strict";

function showFields(choice, needs) {
  const needed = needs[choice.value] ?? [];
  for (const name of new Set(Object.values(needs).flat())) {
    for (const field of document.querySelectorAll(`.field-${name}`)) {
      field.hidden = !needed.includes(name);
      field.classList.toggle("backups-hidden", field.hidden);
      // What was chosen for another purpose is not sent; numbers keep their defaults.
      for (const select of field.querySelectorAll("select")) select.disabled = field.hidden;
    }
  }
}

for (const choice of document.querySelectorAll("select[data-needs]")) {
  const needs = JSON.parse(choice.dataset.needs);
  choice.addEventListener("change", () => showFields(choice, needs));
  showFields(choice, needs);
}
