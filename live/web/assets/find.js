// Finding a word in what a job has written: all places are marked, Enter goes to the next,
// Shift+Enter to the one before.
const marks = globalThis.CSS?.highlights; // without them the word is counted and gone to

export function finder(log) {
  const field = document.getElementById("find"), found = document.getElementById("found");
  let places = [], at = -1;

  function search() {
    const word = field.value.toLowerCase();
    log.normalize(); // one text, however many pieces it came in
    const node = log.firstChild, text = node?.nodeType === Node.TEXT_NODE ? node.data.toLowerCase() : "";
    places = [];
    for (let i = word ? text.indexOf(word) : -1; i >= 0 && places.length < 5000; i = text.indexOf(word, i + word.length)) {
      const range = new Range();
      range.setStart(node, Math.min(i, node.length));
      range.setEnd(node, Math.min(i + word.length, node.length));
      places.push(range);
    }
    at = Math.min(at, places.length - 1);
    mark();
  }

  function mark() {
    marks?.set("found", new Highlight(...places));
    marks?.set("here", new Highlight(...(places[at] ? [places[at]] : [])));
    const said = !field.value ? "" : !places.length ? "not there" : `${at + 1} of ${places.length}`;
    if (found.textContent !== said) found.textContent = said;
  }

  function go(to) {
    if (!places.length) return;
    at = (to + places.length) % places.length;
    const box = places[at].getBoundingClientRect(), frame = log.getBoundingClientRect();
    log.scrollTop += box.top - frame.top - log.clientHeight / 2;
    document.getElementById("follow").checked = false; // or it would run away from what was found
    mark();
  }

  field.addEventListener("input", () => { at = -1; search(); go(0); });
  field.addEventListener("keydown", (e) => {
    if (e.key !== "Enter") return;
    e.preventDefault();
    go(at + (e.shiftKey ? -1 : 1));
  });
  return () => { if (field.value) search(); };
}
