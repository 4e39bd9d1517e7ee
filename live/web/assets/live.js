// One stream of events for the page, and the word when there is none: a page
// whose network is cut says so, stays as it is, and catches up when it is back.
import { setClock, localise } from "./time.js";
import { whereabouts, entrance } from "./carry.js";
import { typed } from "./draft.js";
import { left } from "./along.js";
import { keeping, still } from "./focus.js";

const handlers = {};
export function on(kind, f) { handlers[kind] = f; }

let offline = false, source = null, watchdog = 0, quiet = 0;
const bar = document.getElementById("net");

export function isOffline() { return offline; }

export function say(text, loud) {
  bar.textContent = text;
  bar.classList.toggle("loud", Boolean(loud));
  bar.classList.remove("back");
  bar.hidden = text === "";
}

// over says that the session is, and leads to where another begins: what was typed is
// there again then.
export function over() {
  handlers.over?.();
  say("Your session is over. ", true);
  const link = document.createElement("a");
  link.href = location.origin + "/login?next=" + encodeURIComponent("/submit");
  link.textContent = "Sign in again";
  bar.append(link, "; what you typed will be there.");
}

// follow goes after a market that was started again, with all that was typed, once whoever
// is typing pauses. Where they may have to sign in for that they are asked first.
let following = 0, gone = false, pressed = 0;
for (const kind of ["input", "keydown"]) addEventListener(kind, () => { pressed = Date.now(); }, { capture: true, passive: true });

export async function follow() {
  if (gone) return true;
  const found = await whereabouts();
  if (!found || gone) return gone;
  gone = true;
  offline = false; // nothing is lost by leaving
  delete document.body.dataset.offline;
  close();
  if (found.known || !document.querySelector("form.touched")) {
    while (Date.now() - pressed < 500) await new Promise((f) => setTimeout(f, 50));
    location.replace(entrance(found.at, typed(left())));
    return true;
  }
  say("The market was started again. ", true);
  const link = document.createElement("a");
  link.href = entrance(found.at, typed(left()));
  link.textContent = "Go on";
  bar.append(link, "; what you typed will be there.");
  return true;
}

async function keepFollowing() {
  clearTimeout(following);
  if (offline && !(await follow())) following = setTimeout(keepFollowing, 2000);
}

export function lost() {
  if (gone) return;
  if (!offline) {
    offline = true;
    document.body.dataset.offline = "";
    keepFollowing();
  }
  clearTimeout(quiet);
  say("Offline. What you see is from before; it goes on by itself when the connection is back.");
}

function back() {
  if (!offline || !navigator.onLine) return;
  offline = false;
  delete document.body.dataset.offline;
  say("Connected again.");
  bar.classList.add("back");
  quiet = setTimeout(() => say(""), 3000);
  look();
  handlers.back?.();
}

// due says whether it is time to look again: once a second, or less often where that takes
// the server long.
let looked = Date.now(), took = 0;
const due = (pace) => !document.hidden && !offline && !gone && Date.now() - looked > Math.max(pace - 100, Math.min(5000, 4 * took));

// keepLooking looks at what no event tells: what jobs cost by now while they run, and what
// somebody else has put into an account.
export function keepLooking(moves) {
  clearInterval(keepLooking.timer);
  keepLooking.timer = setInterval(() => { if (due(1000) && (moves() || due(5000))) look(); }, 1000);
}

// again is how to ask for the page as it is now: by its address, or as the question that it
// answers was asked.
function again() {
  const headers = { Accept: "text/html" }, asked = document.querySelector("form[data-again]");
  if (!asked) return [location.href, { headers }];
  const body = new URLSearchParams(new FormData(asked));
  body.delete("sure"); // nobody is, before they press it
  return [asked.action, { method: "POST", body, headers }];
}

// look fetches the page again and puts those of its live regions in place that say something
// else.
let looking = false;
let shown = new WeakMap(); // what each region was, unless an event has changed the page since
export async function look() {
  if (looking) return;
  looking = true;
  const begun = looked = Date.now();
  try {
    const answer = await fetch(...again());
    if (answer.redirected) { // to the sign-in: the session is over
      if (await follow()) return;
      if (document.querySelector("form.touched")) over();
      else location.reload();
      return;
    }
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    await still;
    for (const region of document.querySelectorAll("[data-region],[data-part],table[data-live]")) {
      const key = region.id ? "#" + region.id : region.dataset.part ? `[data-part="${region.dataset.part}"]` : "table[data-live]";
      if (region.closest("form") || region.querySelector("details[open]") || isRead(region)) { // somebody is at work there
        for (const amount of region.querySelectorAll("[data-now]")) { // and reads what is true by now
          const other = fresh.getElementById(amount.id);
          if (other && other.textContent !== amount.textContent) amount.textContent = other.textContent;
        }
        continue;
      }
      const other = fresh.querySelector(key), text = other?.outerHTML;
      if (!other || shown.get(region) === text) continue;
      keeping(region, () => { region.replaceWith(other); return other; });
      shown.set(other, text);
    }
    took = Date.now() - begun;
    localise(document);
    handlers.looked?.(fresh);
  } catch {
    lost();
  } finally {
    looking = false;
  }
}

// isRead says that somebody reads a drawing there with the keys: it stays as it is until they
// are done.
const isRead = (place) => place.contains(document.activeElement) && Boolean(document.activeElement.closest("svg[data-read]"));

export function swap(parts) {
  for (const [name, html] of Object.entries(parts)) {
    const place = document.querySelector(`[data-part="${name}"]`);
    if (!place || isRead(place)) continue;
    keeping(place, () => { place.innerHTML = html; return place; });
    localise(place);
  }
}

function address() {
  const wanted = document.querySelector("[data-live]");
  if (!wanted) return document.querySelector("meta[name=csrf]") ? "events?for=page" : "";
  const q = new URLSearchParams({ for: wanted.dataset.live });
  for (const name of ["from", "to", "id", "span", "whose"]) {
    if (wanted.dataset[name] !== undefined) q.set(name, wanted.dataset[name]);
  }
  q.set("seen", document.querySelector("meta[name=now]").content); // what changed since then is news
  return "events?" + q;
}

// A stream that says nothing for longer than its heartbeat is dead, whatever the
// browser believes.
function heard() {
  clearTimeout(watchdog);
  watchdog = setTimeout(() => { lost(); open(); }, 40000);
  back();
}

function close() {
  clearTimeout(watchdog);
  source?.close();
  source = null;
}

let retry = 0, waiting = 0;
export function open() {
  close();
  clearTimeout(waiting);
  const to = address();
  if (!to || document.hidden) return;
  source = new EventSource(to);
  source.addEventListener("alive", (e) => {
    setClock(JSON.parse(e.data).now);
    retry = 0;
    heard();
  });
  source.addEventListener("swap", async (e) => { heard(); await still; shown = new WeakMap(); swap(JSON.parse(e.data)); handlers.swapped?.(); });
  source.addEventListener("jobs", async (e) => { heard(); await still; shown = new WeakMap(); handlers.jobs?.(JSON.parse(e.data)); });
  source.addEventListener("reload", () => { heard(); look(); });
  source.onerror = () => {
    // The browser tries again by itself where it can; where it gives up (an
    // answer that is no stream) we do, less and less often.
    lost();
    if (source?.readyState === EventSource.CLOSED) {
      close();
      keepFollowing();
      look();
      waiting = setTimeout(open, Math.min(30000, 1000 * 2 ** retry++));
    }
  };
}

export function live() {
  if (!address()) return;
  open();
  if (document.querySelector("[data-live=owner]")) keepLooking(() => false); // most of it is told
  else if (!document.querySelector("[data-live=job],[data-live=jobs]")) keepLooking(() => true);
  let slept = document.hidden; // one that was opened in the background has not begun
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { // a browser has few connections to a host: hidden pages need none
      slept = true;
      close();
    } else if (slept) {
      slept = false;
      open();
      look();
    }
  });
  addEventListener("offline", () => { close(); lost(); });
  addEventListener("online", () => { retry = 0; open(); });
  addEventListener("pagehide", close);
  addEventListener("pageshow", (e) => { if (e.persisted) { open(); look(); } });
  // A link that leads nowhere now would take away a page that still says something.
  document.addEventListener("click", (e) => {
    const link = e.target.closest?.("a[href]");
    if (offline && link && link.origin === location.origin && !(link.hash && link.pathname === location.pathname && link.search === location.search)) {
      e.preventDefault();
      say("Offline: this page cannot be left for another one just now.", true);
    }
  });
}
