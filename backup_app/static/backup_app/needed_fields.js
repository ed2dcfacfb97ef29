// Shows only the fields that a choice needs, as its data-needs says. Without this script all are shown.
"use strict";

function showFields(choice, needs) {
  const needed = needs[choice.value] ?? [];
  for (const name of new Set(Object.values(needs).flat())) {
    for (const field of document.querySelectorAll(`.field-${name}`)) {
      field.hidden = !needed.includes(name);
      field.classList.toggle("backups-hidden", field.hidden);
      // What was given for another purpose is not sent; what must be there keeps its default.
      for (const input of field.querySelectorAll("select, input:not([required])")) input.disabled = field.hidden;
    }
  }
}

for (const choice of document.querySelectorAll("select[data-needs]")) {
  const needs = JSON.parse(choice.dataset.needs);
  choice.addEventListener("change", () => showFields(choice, needs));
  showFields(choice, needs);
}
