// What is drawn anew leaves the keyboard, and the mouse, with whoever is there.

// alike is how a thing is known again among those that are drawn in its place.
const alike = (e) => [e.tagName, e.closest("[id]")?.id, ...["href", "name", "value"].map((a) => e.getAttribute(a))].join("\n");

// keeping draws what is in a place anew, and leaves the focus where it was. What draws says
// what is there now.
export function keeping(place, draw) {
  const at = document.activeElement, had = place.contains(at) ? alike(at) : "";
  const there = draw();
  if (!had || at.isConnected) return;
  [there, ...there.querySelectorAll(at.tagName)].find((e) => alike(e) === had)?.focus({ preventScroll: true });
}

// A press on something that is drawn anew before the button is let go is no click: what is
// new waits for that. Where nobody says that it was let go, the next move does.
let down = false, letGo = () => {};
export let still = Promise.resolve();
addEventListener("pointerdown", () => {
  letGo();
  down = true;
  still = new Promise((done) => { letGo = () => { down = false; done(); }; });
}, true);
for (const kind of ["pointerup", "pointercancel", "pointermove", "blur"]) {
  addEventListener(kind, (e) => { if (kind !== "pointermove" || e.buttons === 0) setTimeout(letGo); }, true); // after the click
}
export const pressing = () => down;
