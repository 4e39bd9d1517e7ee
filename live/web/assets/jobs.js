// Rows of jobs follow events, and between them the clock.
import { money, percent, span } from "./format.js";
import { now, localise } from "./time.js";
import { on, look, keepLooking } from "./live.js";
import { keeping } from "./focus.js";

const labels = { rejected: "refused" };
const tones = {
  running: "now", starting: "wait", suspended: "wait", held: "wait", queued: "wait", stopping: "wait", completed: "yes",
  failed: "no", stopped: "no", expired: "no", lost: "no", rejected: "no",
};

export function final(state) { return !["held", "queued", "running", "stopping"].includes(state); }

export const moves = (state) => state === "running" || state === "stopping";

// work is what is done by now: what was last heard, and since then what the share
// brings. Events come when something changes, not when nothing does.
function work(place) {
  const d = place.dataset, since = now() - Number(d.at) / 1000;
  if (!moves(d.state) || d.starting || d.suspended) return Number(d.work);
  return Math.min(Number(d.asked), Number(d.work) + Math.max(0, since) * Number(d.share) * Number(d.rating));
}

// show puts the numbers of a change into a row, or into the head of a job's page.
export function show(place, c) {
  const before = moves(c.state) ? work(place) : 0; // a measurement that is older than the page does not take it back
  place.dataset.work = Math.max(before, c.work);
  place.dataset.at = now() * 1000;
  place.dataset.share = c.share;
  place.dataset.state = c.state;
  if (c.starting) place.dataset.starting = "yes"; else delete place.dataset.starting;
  if (c.suspended) place.dataset.suspended = "yes"; else delete place.dataset.suspended;
  const tag = place.querySelector(".state .tag");
  if (tag) {
    const shown = c.starting ? "starting" : c.suspended && c.state === "running" ? "suspended" : c.state;
    tag.className = "tag " + (tones[shown] ?? "past");
    tag.textContent = labels[shown] ?? shown;
  }
  set(place, "share", moves(c.state) ? percent(c.share) : "–");
  set(place, "penalty", c.penalty ? money(c.penalty) : "–")?.classList.toggle("owed", c.penalty > 0);
  tick(place);
}

function set(place, name, text) {
  const cell = place.querySelector("." + name);
  if (cell && cell.textContent !== text) cell.textContent = text;
  return cell;
}

// tick lets time pass: work goes on, and the mark of the time that is gone.
export function tick(place) {
  if (moves(place.dataset.state) && Number(place.dataset.asked) > 0) {
    const done = Math.min(1, work(place) / Number(place.dataset.asked));
    place.querySelector(".bar .fill")?.setAttribute("width", (done * 100).toFixed(2) + "%");
    set(place, "done", percent(done));
  }
  const due = Number(place.dataset.due) / 1000, since = Number(place.dataset.since) / 1000;
  if (!due || final(place.dataset.state)) return;
  const gone = Math.min(1, Math.max(0, (now() - since) / (due - since)));
  const bar = place.querySelector(".bar");
  bar?.querySelector(".gone")?.setAttribute("x", (gone * 100).toFixed(2) + "%");
  bar?.classList.toggle("late", now() > due);
  if (now() > due + 1500 && !place.dataset.late) { // what it costs the owner from here on is the server's to say
    place.dataset.late = "yes";
    look();
  }
  const left = place.querySelector(".left");
  if (left) left.textContent = now() > due ? span(now() - due) + " late" : "in " + span(due - now());
}

export function jobs() {
  const table = () => document.querySelector("table[data-live=jobs]");
  if (!table()) {
    if (document.querySelector("form[data-again]")) keepLooking(() => true); // whether to cancel them, and what that costs
    return;
  }
  const each = () => table()?.querySelectorAll("tbody tr").forEach(tick);
  each();
  clearInterval(jobs.timer);
  let turned = false;
  jobs.timer = setInterval(() => { if (!document.hidden) each(); }, 1000);
  // What jobs cost by now, and how many there are of each kind, is the server's to say.
  keepLooking(() => {
    const was = turned;
    turned = false;
    return was || [...table()?.querySelectorAll("tbody tr") ?? []].some((row) => moves(row.dataset.state));
  });
  on("jobs", (list) => {
    const body = table()?.tBodies[0];
    if (!body) return;
    for (const c of list) {
      const old = document.getElementById("j" + c.id);
      turned ||= Boolean(c.row) || !old || old.dataset.state !== c.state;
      if (c.row) {
        const made = document.createElement("template");
        made.innerHTML = c.row;
        const row = made.content.firstElementChild;
        if (old) keeping(old, () => { old.replaceWith(row); return row; });
        else if (table().dataset.to === "0" && table().dataset.filtered === undefined) {
          row.classList.add("new");
          body.prepend(row);
          while (body.rows.length > Number(table().dataset.most)) body.rows[body.rows.length - 1].remove();
        } else continue;
        localise(row);
        tick(row);
      } else if (old) show(old, c);
    }
  });
}
