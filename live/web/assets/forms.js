// Forms are sent from here, so that a network that is cut takes nothing away:
// what was typed stays, and the page says that it was not sent.
import { lost, over, say, isOffline, follow } from "./live.js";
import { forget } from "./draft.js";
import { localise } from "./time.js";

// renew takes the token of the session that is under way now, if it is another
// than that of the page.
async function renew() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("meta[name=csrf]")?.content;
  const old = document.querySelector("meta[name=csrf]");
  if (!fresh || !old || fresh === old.content) return false;
  old.content = fresh;
  document.querySelectorAll("input[name=csrf]").forEach((i) => { i.value = fresh; });
  return true;
}

export function forms(begin) {
  document.addEventListener("submit", async (e) => {
    const form = e.target;
    if (e.defaultPrevented || form.method !== "post") return;
    e.preventDefault();
    const button = e.submitter;
    const buttons = form.querySelectorAll("button");
    const fill = () => (form.enctype === "multipart/form-data" ? new FormData(form, button) : new URLSearchParams(new FormData(form, button)));
    let body = fill(); // before the buttons are asleep, or the one that was pressed is not in it
    buttons.forEach((b) => { b.disabled = true; });
    try {
      const action = button?.getAttribute("formaction") ?? form.getAttribute("action");
      const post = () => fetch(action, { method: "POST", body, headers: { Accept: "text/html" } });
      let answer = await post();
      if (answer.status === 403 && await renew()) { // somebody has signed in again since
        buttons.forEach((b) => { b.disabled = false; });
        body = fill();
        answer = await post();
      }
      if (answer.status === 401) { // the market was started again, or nobody is signed in
        if (!(await follow())) over();
        return;
      }
      if (answer.redirected) {
        const to = new URL(answer.url);
        if (to.pathname === "/login" && form.classList.contains("touched")) {
          over();
          return;
        }
        if (form.id === "submit" || action === "logout") { // handed in, or not wanted any more
          form.classList.remove("touched");
          forget();
        }
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
