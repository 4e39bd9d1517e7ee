// Times are written by the server in UTC and here in the reader's zone, and
// countdowns go by the server's clock, which is the one that decides.
let skew = 0; // of the server's clock before ours, in milliseconds

export function setClock(ms) { skew = ms - Date.now(); }
export function now() { return Date.now() + skew; }

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const second = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

export function short(date) {
  const today = new Date(now()).toDateString() === date.toDateString();
  return today ? clock.format(date) : day.format(date) + " " + clock.format(date);
}

export function localise(root) {
  for (const t of root.querySelectorAll("time[datetime]")) {
    const date = new Date(t.dateTime);
    t.textContent = t.dataset.as === "second" ? second.format(date) : short(date);
    t.title = full.format(date);
  }
  for (const t of root.querySelectorAll("text[data-us]")) {
    const date = new Date(Number(t.dataset.us) / 1000);
    t.textContent = { clock: clock.format(date), second: second.format(date), day: day.format(date), both: short(date) }[t.dataset.as];
  }
}

const meta = document.querySelector("meta[name=now]");
if (meta) setClock(Number(meta.content) / 1000);
