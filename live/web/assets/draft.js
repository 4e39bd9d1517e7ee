// What was typed into the form of a job is kept in the browser, for who typed it, until
// the job is handed in, they sign out, or half a day is over: a session that ends, or a
// tab that is closed, takes nothing away.
const life = 12 * 3600e3, most = 200000;
const apart = new Set(["csrf", "key", "seen", "zone", "file", "do", "offer"]); // what nobody types

const place = () => "draft " + (document.querySelector(".who")?.textContent ?? "");

export function keep(form) {
  const fields = {};
  for (const e of form.elements) {
    if (!e.name || apart.has(e.name) || e.type === "range") continue;
    fields[e.name] = e.type === "checkbox" ? e.checked : e.value;
  }
  try {
    const text = JSON.stringify({ at: Date.now(), fields });
    if (text.length < most) localStorage.setItem(place(), text);
  } catch { /* a browser that keeps nothing */ }
}

const kept = (who) => { try { return localStorage.getItem("draft " + who); } catch { return null; } };

// hash is what is taken along behind the #, which no server is sent: what was kept, and
// how the page is left.
const hash = (draft, page) => (draft || page ? "#draft=" + encodeURIComponent(JSON.stringify({ draft, page })) : "");

// typed is that of a page that is left for another address; arrived is what came along, of
// somebody who may go on there.
export function typed(page) {
  const form = document.getElementById("submit");
  if (form?.classList.contains("touched")) keep(form);
  return hash(kept(document.querySelector(".who")?.textContent ?? ""), page);
}

export function arrived() {
  const guest = document.querySelector("[data-guest]")?.dataset.guest, along = location.hash.match(/^#draft=(.*)$/)?.[1];
  if (!guest || !along) return;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    const { draft, page } = JSON.parse(decodeURIComponent(along));
    if (typeof draft === "string") localStorage.setItem("draft " + guest, draft);
    if (page) sessionStorage.setItem("page", JSON.stringify(page));
  } catch { /* a browser that keeps nothing, or nothing that we wrote */ }
}

// moved goes on from a page that only leads: from the address of an earlier start with
// what was typed there.
export function moved() {
  const link = document.getElementById("moved");
  if (link) location.replace(link.href + (link.dataset.who ? hash(kept(link.dataset.who), null) : ""));
}

export function forget() {
  try { localStorage.removeItem(place()); } catch { /* there is none */ }
}

// recall puts what was kept into the form, and says whether there was anything that is
// not in it already.
export function recall(form) {
  let kept = null;
  try { kept = JSON.parse(localStorage.getItem(place())); } catch { /* there is none */ }
  if (!kept || !(Date.now() - kept.at < life)) return false;
  let other = false;
  for (const [name, value] of Object.entries(kept.fields)) {
    const e = form.elements[name];
    if (!e || apart.has(name)) continue;
    const is = e.type === "checkbox" ? "checked" : "value";
    if (e[is] === value) continue;
    e[is] = value;
    other = true;
    const folded = e.closest("details");
    if (folded) folded.open = true;
  }
  return other;
}
