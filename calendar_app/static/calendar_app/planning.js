/* Dragging an event to another day: sends the form that the page has for it. */
"use strict";

(() => {
  const form = document.getElementById("planning-move");
  if (!form) return;
  let dragged = null;

  const dayOf = (element) => element.closest("[data-day]");

  document.addEventListener("dragstart", (event) => {
    const found = event.target.closest?.("[data-move]");
    if (!found) return;
    dragged = { event: found, day: dayOf(found) };
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", found.textContent.trim());
    found.classList.add("is-dragged");
  });

  document.addEventListener("dragend", () => {
    dragged?.event.classList.remove("is-dragged");
    document.querySelectorAll(".is-target").forEach((day) => day.classList.remove("is-target"));
    dragged = null;
  });

  document.addEventListener("dragover", (event) => {
    const day = dragged && event.target.closest?.("[data-day]");
    if (!day) return;
    event.preventDefault();
    document.querySelectorAll(".is-target").forEach((other) => other.classList.remove("is-target"));
    if (day !== dragged.day) day.classList.add("is-target");
  });

  document.addEventListener("drop", (event) => {
    const day = dragged && event.target.closest?.("[data-day]");
    if (!day || day === dragged.day) return;
    event.preventDefault();
    form.action = dragged.event.dataset.move;
    form.elements.seen.value = dragged.event.dataset.seen;
    form.elements.dragged_from.value = dragged.day.dataset.day;
    form.elements.dragged_to.value = day.dataset.day;
    form.submit();
  });
})();
