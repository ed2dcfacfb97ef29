// Names the search fields of Select2, which gives those of lists no label of their own.
"use strict";

// As Django's own script does, whose turn is before: then the fields are there.
django.jQuery(() => {
  for (const field of document.querySelectorAll(".select2-search__field")) {
    const select = field.closest(".select2-container").parentElement.querySelector("select");
    const label = select?.labels[0]?.textContent.trim();
    if (label) field.setAttribute("aria-label", label);
  }
});
