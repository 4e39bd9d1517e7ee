// A cursor over a drawing says what is there: under the mouse or a finger, and with the
// arrow keys. What it says is the server's.
import { short } from "./time.js";

const space = "http://www.w3.org/2000/svg";
let at = null; // the drawing that has the cursor, and where

function make(name, to, attributes) {
  const e = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  to.append(e);
  return e;
}

function clear() {
  document.querySelectorAll(".draw .cursor").forEach((e) => e.remove());
  at = null;
}

function place(drawing, i, aloud) {
  const list = JSON.parse(drawing.dataset.read);
  i = Math.max(0, Math.min(list.length - 1, i));
  const [x, us, text] = list[i], said = (us ? short(new Date(us / 1000)) + "  " : "") + text;
  clear();
  at = { drawing, i, x };
  const g = make("g", drawing, { class: "cursor" });
  make("line", g, { x1: x * 100 + "%", x2: x * 100 + "%", y1: 14, y2: drawing.getAttribute("height") - 26, class: "base" });
  make("text", g, { x: x * 100 + "%", y: 10, class: "reading", "text-anchor": x < 0.3 ? "start" : x > 0.7 ? "end" : "middle" }).textContent = said;
  if (aloud) document.getElementById("reading").textContent = said;
}

function nearest(drawing, x) {
  const list = JSON.parse(drawing.dataset.read);
  let best = 0;
  for (let i = 1; i < list.length; i++) if (Math.abs(list[i][0] - x) < Math.abs(list[best][0] - x)) best = i;
  return best;
}

// reach makes drawings that were put in place since reachable by a keyboard.
function reach() {
  document.querySelectorAll("svg[data-read]:not([tabindex])").forEach((e) => e.setAttribute("tabindex", "0"));
  if (!at || at.drawing.isConnected) return;
  const fresh = document.querySelector("svg[data-read]." + at.drawing.classList[1]); // drawn anew under the cursor
  const { x, drawing } = at;
  clear();
  if (!fresh) return;
  place(fresh, nearest(fresh, x));
  if (drawing === held) (held = fresh).focus({ preventScroll: true });
}

let held = null; // the drawing that has the keyboard
export function cursor() {
  const said = document.createElement("p");
  Object.assign(said, { id: "reading", className: "sr", ariaLive: "polite" });
  document.body.append(said);
  const over = (e) => e.target.closest?.("svg[data-read]");
  document.addEventListener("pointermove", (e) => {
    const drawing = over(e);
    if (!drawing) {
      if (at && at.drawing !== held) clear();
      return;
    }
    const box = drawing.getBoundingClientRect();
    place(drawing, nearest(drawing, (e.clientX - box.left) / box.width));
  });
  document.addEventListener("focusin", (e) => {
    held = over(e) ?? null;
    if (held && at?.drawing !== held) place(held, JSON.parse(held.dataset.read).length - 1, true);
  });
  document.addEventListener("focusout", (e) => { if (over(e) && e.target.isConnected) { held = null; clear(); } });
  document.addEventListener("keydown", (e) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[e.key];
    if (!step || !over(e)) return;
    e.preventDefault();
    place(held, (at?.drawing === held ? at.i : 0) + step, true);
  });
  new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
  reach();
}
