"use strict";

// Adds to an event the times in the visitor's zone, where they are others than the event's.
for (const place of document.querySelectorAll(".yours")) {
  const [start, end] = [place.dataset.start, place.dataset.end].map(
    (utc) => new Date(utc.replace(" ", "T") + "Z")
  );
  const wall = new Date(start.getTime() - start.getTimezoneOffset() * 60000);
  if (wall.toISOString().slice(0, 19).replace("T", " ") !== place.dataset.shown) {
    const format = new Intl.DateTimeFormat("en-GB", {
      weekday: "long", day: "numeric", month: "long", year: "numeric",
      hour: "2-digit", minute: "2-digit", timeZoneName: "short",
    });
    place.textContent = `In your time zone: ${format.formatRange(start, end)}`;
    place.hidden = false;
  }
}
