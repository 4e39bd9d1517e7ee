// Levers: a question changes nothing, and its answer appears beside them.
import { lost } from "./live.js";

export function owner() {
  const form = document.querySelector("form.levers");
  if (!form) return;
  const policy = form.querySelector("[data-reload]");
  policy.addEventListener("change", () => location.assign(policy.dataset.reload + encodeURIComponent(policy.value) + "#levers"));
  form.addEventListener("submit", async (e) => {
    const button = e.submitter;
    if (button?.getAttribute("formaction")) return; // to apply is a form like any other
    e.preventDefault();
    const place = document.getElementById("forecast");
    const body = new URLSearchParams(new FormData(form, button)); // before the button is asleep, or it is not in it
    form.classList.add("busy");
    button.disabled = true;
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
      if (answer.ok) place.innerHTML = (await answer.json()).html;
      else place.textContent = await answer.text();
      place.scrollIntoView({ block: "nearest" });
    } catch {
      lost();
    } finally {
      form.classList.remove("busy");
      button.disabled = false;
    }
  });
}
