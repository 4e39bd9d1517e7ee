// The table of jobs: found as one types, and chosen to be cancelled together. What is
// chosen stays so while rows are drawn anew, until it has ended.
import { localise } from "./time.js";
import { open, lost } from "./live.js";

const boxes = () => [...document.querySelectorAll("input[form=pick][name=job]")];
const chosen = new Set();

function count() {
  const all = document.getElementById("all"), list = boxes();
  if (!all) return;
  for (const box of list) box.checked = chosen.has(box.value);
  const there = list.filter((box) => box.checked).length;
  all.disabled = list.length === 0;
  all.checked = there > 0 && there === list.length;
  all.indeterminate = there > 0 && there < list.length;
  const said = there ? ` (${there})` : "", place = document.getElementById("picked");
  if (place.textContent !== said) place.textContent = said; // or it would be a change to look at again
  document.querySelector("#pick button").disabled = there === 0;
}

function choose(box) {
  if (box.checked) chosen.add(box.value); else chosen.delete(box.value);
}

// find shows what has a name as it is typed so far.
let asking = null, timer = 0;
async function find(form) {
  asking?.abort();
  asking = new AbortController();
  const q = new URLSearchParams(new FormData(form));
  for (const [name, value] of [...q]) if (!value) q.delete(name);
  const to = new URL("jobs" + (q.size ? "?" + q : ""), document.baseURI);
  try {
    const answer = await fetch(to, { signal: asking.signal, headers: { Accept: "text/html" } });
    if (answer.redirected || !answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const id of ["filters", "list"]) {
      const other = fresh.getElementById(id);
      if (!other) return;
      localise(other);
      document.getElementById(id).replaceWith(other);
    }
    history.replaceState(null, "", to);
    count();
    open(); // of other jobs than before
  } catch (e) {
    if (e.name !== "AbortError") lost();
  }
}

export function pick() {
  const form = document.querySelector("form[role=search]");
  chosen.clear();
  if (!form) return;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, 200, form);
  });
  document.getElementById("main").addEventListener("change", (e) => {
    if (e.target.id === "all") {
      for (const box of boxes()) {
        box.checked = e.target.checked;
        choose(box);
      }
    } else if (e.target.name === "job") choose(e.target);
    else return;
    count();
  });
  new MutationObserver(count).observe(document.getElementById("main"), { childList: true, subtree: true });
  count();
}
