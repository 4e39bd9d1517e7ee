// A page that goes on at another address looks there as it was left: what was typed and
// not sent, where the caret was, what was unfolded and how far it was scrolled. The form of
// a job is kept apart (draft.js).
const mine = (e) => e.form?.id !== "submit" && !["hidden", "password", "file"].includes(e.type) && e.name !== "csrf";
const inputs = () => [...document.querySelectorAll("main input, main textarea, main select")].filter(mine);
const here = () => location.href.slice(document.baseURI.length).split("#")[0];
const folded = () => [...document.querySelectorAll("main details")];
const key = (e) => e.id || e.name;
const is = (e) => (e.type === "checkbox" || e.type === "radio" ? "checked" : "value");
const was = (e) => (e.tagName === "SELECT" ? ([...e.options].find((o) => o.defaultSelected) ?? e.options[0])?.value : is(e) === "checked" ? e.defaultChecked : e.defaultValue);

export function left() {
  const at = document.activeElement, fields = [];
  inputs().forEach((e, i) => { if (key(e) && e[is(e)] !== was(e)) fields.push([i, key(e), e[is(e)]]); });
  const page = { at: Date.now(), here: here(), fields, open: folded().map((d) => d.open), y: scrollY };
  if (at && key(at) && at.closest("main")) {
    page.caret = { key: key(at), top: at.scrollTop };
    try { [page.caret.from, page.caret.to] = [at.selectionStart, at.selectionEnd]; } catch { /* it has none */ }
  }
  return page;
}

export function settle() {
  let page = null;
  try {
    page = JSON.parse(sessionStorage.getItem("page"));
    if (page?.here === here()) sessionStorage.removeItem("page");
  } catch { /* a browser that keeps nothing */ }
  if (page?.here !== here() || !(Date.now() - page.at < 600e3)) return; // who comes there much later begins anew
  const all = inputs();
  for (const [i, name, value] of page.fields) {
    const e = all[i];
    if (!e || key(e) !== name) continue;
    e[is(e)] = value;
    e.dispatchEvent(new Event("input", { bubbles: true }));
  }
  folded().forEach((d, i) => { d.open ||= page.open[i] ?? false; });
  const c = page.caret, at = c && (document.getElementById(c.key) ?? document.querySelector(`main [name="${CSS.escape(c.key)}"]`));
  if (at) {
    at.focus({ preventScroll: true });
    try { if (c.from !== null) at.setSelectionRange(c.from, c.to); } catch { /* it has no caret */ }
    at.scrollTop = c.top;
  }
  scrollTo(0, page.y);
}
