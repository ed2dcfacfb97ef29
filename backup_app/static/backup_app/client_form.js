// Shows only the fields that a client's connection needs. Without this script all are shown.
"use strict";

const NEEDED = {
  ssh: ["ssh_user", "ssh_port", "host_key", "fingerprints"],
  agent: ["agent_port"],
};
const connection = document.querySelector("select[name=connection]");

function showFields() {
  for (const [kind, names] of Object.entries(NEEDED)) {
    for (const name of names) {
      for (const field of document.querySelectorAll(`.field-${name}`)) {
        field.hidden = connection.value !== kind;
        field.classList.toggle("backups-hidden", field.hidden);
      }
    }
  }
}

if (connection) {
  connection.addEventListener("change", showFields);
  showFields();
}
