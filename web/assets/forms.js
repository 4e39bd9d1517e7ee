// Forms are sent from here, so that a network that is cut takes nothing away:
// what was typed stays, and the page says that it was not sent.
import { lost, say, isOffline } from "./live.js";
import { localise } from "./time.js";

export function forms(begin) {
  document.addEventListener("submit", async (e) => {
    const form = e.target;
    if (e.defaultPrevented || form.method !== "post") return;
    e.preventDefault();
    const button = e.submitter;
    const buttons = form.querySelectorAll("button");
    const body = form.enctype === "multipart/form-data" ? new FormData(form, button) : new URLSearchParams(new FormData(form, button));
    buttons.forEach((b) => { b.disabled = true; });
    try {
      const action = button?.getAttribute("formaction") ?? form.getAttribute("action");
      const answer = await fetch(action, { method: "POST", body, headers: { Accept: "text/html" } });
      if (answer.redirected) {
        const to = new URL(answer.url);
        if (to.pathname === location.pathname && to.search === location.search) location.reload();
        else location.assign(answer.url);
        return;
      }
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      document.title = fresh.title;
      document.getElementById("main").replaceWith(fresh.getElementById("main"));
      localise(document);
      begin();
      const first = document.querySelector("[role=alert]:not([hidden]), .verdict");
      document.getElementById("main").focus({ preventScroll: true });
      first?.scrollIntoView({ block: "center" });
    } catch {
      lost();
      say("Offline: nothing was sent. What you typed is still here.", true);
    } finally {
      buttons.forEach((b) => { b.disabled = false; });
    }
  });
  addEventListener("beforeunload", (e) => { if (isOffline() && document.querySelector("form.touched")) e.preventDefault(); });
}
