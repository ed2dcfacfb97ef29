// Keeps parts of a page up to date, until an answer says in X-Live that it is final. Without this
// script a reload shows the same.
//
// data-live: the address of what replaces the element's content, every data-seconds.
// data-when-final: the address of what replaces the content of an element beside it after that.
// data-log: the address of the lines that are added to the element, after data-last.
"use strict";

async function ask(address) {
  const answer = await fetch(address);
  // A redirect leads to the login.
  return answer.ok && !answer.redirected ? answer : null;
}

async function replace(element) {
  const answer = await ask(element.dataset.live);
  if (!answer) return false;
  element.innerHTML = await answer.text();
  if (answer.headers.get("X-Live") !== "final") return true;
  const other = element.parentElement.querySelector("[data-when-final]");
  const last = other && (await ask(other.dataset.whenFinal));
  if (last) other.innerHTML = await last.text();
  return false;
}

async function append(element) {
  const answer = await ask(`${element.dataset.log}?after=${element.dataset.last}`);
  if (!answer) return false;
  const isAtEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
  element.insertAdjacentHTML("beforeend", await answer.text());
  element.dataset.last = answer.headers.get("X-Last");
  if (isAtEnd) element.scrollTop = element.scrollHeight;
  return answer.headers.get("X-Live") !== "final";
}

function follow(element, refresh) {
  const wait = () => setTimeout(step, element.dataset.seconds * 1000);
  async function step() {
    let goesOn = true;
    try {
      if (!document.hidden) goesOn = await refresh(element);
    } catch {
      // The network is away for now.
    }
    if (goesOn) wait();
  }
  wait();
}

for (const element of document.querySelectorAll("[data-live]")) follow(element, replace);
for (const element of document.querySelectorAll("[data-log]")) {
  element.scrollTop = element.scrollHeight;
  follow(element, append);
}
