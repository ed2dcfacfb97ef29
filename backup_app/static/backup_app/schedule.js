// Shows what a schedule means while it is typed. Without this script the page shows it once saved.
"use strict";

for (const preview of document.querySelectorAll("[data-preview]")) {
  const input = document.querySelector(`[name="${preview.dataset.of}"]`);
  let waiting;
  input?.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const query = new URLSearchParams({ expression: input.value });
      const answer = await fetch(`${preview.dataset.preview}?${query}`);
      if (answer.ok) preview.innerHTML = await answer.text();
    }, 300);
  });
}
