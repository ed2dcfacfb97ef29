// Fetches the content of each element with data-live again every data-seconds, until an answer says
// in X-Live that it is final. Without this script a reload shows the same.
"use strict";

async function refresh(element) {
  const answer = await fetch(element.dataset.live, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return false; // as after a logout
  element.innerHTML = await answer.text();
  return answer.headers.get("X-Live") !== "final";
}

function follow(element) {
  const again = () => setTimeout(step, element.dataset.seconds * 1000);
  async function step() {
    if (document.hidden) return again();
    try {
      if (!(await refresh(element))) return;
    } catch {
      // The network is away for now.
    }
    again();
  }
  again();
}

document.querySelectorAll("[data-live]").forEach(follow);
