"use strict";

// Shows instants in the time zone of who looks at them.
const format = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "long", year: "numeric",
  hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});
for (const place of document.querySelectorAll("time[data-local]")) {
  place.textContent = format.format(new Date(place.dateTime));
}
