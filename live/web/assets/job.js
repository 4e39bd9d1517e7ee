// The page of one job: its numbers, and what it writes.
import { show, tick, final, moves } from "./jobs.js";
import { on, look, keepLooking, isOffline } from "./live.js";
import { finder } from "./find.js";

export function job() {
  const head = document.querySelector("[data-live=job]");
  if (!head) return;
  const stats = () => document.getElementById("stats");
  let state = head.dataset.state, starting = !!head.dataset.starting, suspended = !!head.dataset.suspended, looked = Date.now(), share = null;
  tick(stats());
  clearInterval(job.timer);
  job.timer = setInterval(() => { if (!document.hidden) tick(stats()); }, 1000);
  keepLooking(() => moves(state)); // what it costs by now is the server's to say
  on("jobs", ([c]) => {
    show(stats(), c);
    const turned = c.state !== state || !!c.starting !== starting || !!c.suspended !== suspended;
    const moved = share !== null && Math.abs(share - c.share) > 0.001;
    share ??= c.share;
    // The drawing and the words are the server's; they are fetched when the job
    // takes a turn, and now and then while its share moves.
    if (turned || (moved && Date.now() - looked > 10000)) {
      state = c.state;
      starting = !!c.starting;
      suspended = !!c.suspended;
      share = c.share;
      looked = Date.now();
      look();
    }
  });
  on("looked", (fresh) => {
    tick(stats()); // how long is left is ours to say, at once
    if (!document.getElementById("log") && fresh.getElementById("log")) location.reload();
  });
  follow(head, () => state);
}

const colours = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;
// What is not seen as what it is: control characters, those that turn the direction of
// writing, those without a width.
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const named = (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0");
const most = 400000; // characters that are kept on the page

function follow(head, state) {
  const log = document.getElementById("log");
  if (!log) return;
  const note = document.getElementById("log-note");
  const pick = (id) => document.getElementById(id)?.value ?? "";
  let offset = null, decoder = new TextDecoder(), run = 0;
  const refind = finder(log);
  const all = document.getElementById("download"); // all of what is shown a part of
  const point = () => { all.href = log.dataset.log + "?" + new URLSearchParams({ download: "yes", stream: pick("stream"), rank: pick("rank"), element: pick("element") }); };

  async function turn(mine) {
    if (mine !== run) return;
    let again = 1000;
    if (document.hidden || isOffline() || !document.getElementById("follow").checked && offset !== null) {
      setTimeout(turn, again, mine);
      return;
    }
    try {
      const q = new URLSearchParams({ stream: pick("stream"), rank: pick("rank"), element: pick("element") });
      if (offset !== null) q.set("offset", offset);
      const answer = await fetch(log.dataset.log + "?" + q);
      if (mine !== run || !answer.ok) return;
      const piece = await answer.arrayBuffer();
      const ended = final(answer.headers.get("X-State"));
      note.textContent = answer.headers.get("X-Note") ?? "";
      if (answer.headers.has("X-Offset")) {
        const from = Number(answer.headers.get("X-Offset")), size = Number(answer.headers.get("X-Size"));
        if (offset !== null && size < offset) { // begun again
          offset = 0;
          log.textContent = "";
          decoder = new TextDecoder();
        } else {
          if (offset === null && from > 0) note.textContent = "The beginning is not shown.";
          const near = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
          log.append(decoder.decode(piece, { stream: true }).replace(colours, "").replace(unseen, named));
          if (log.textContent.length > most) log.textContent = log.textContent.slice(-most / 2);
          if (piece.byteLength) refind();
          if (near && piece.byteLength) log.scrollTop = log.scrollHeight;
          offset = from + piece.byteLength;
          if (offset < size) again = 0;
        }
      }
      if (ended && again > 0) { // what it wrote before it ended is all here now
        if (log.textContent === "" && !note.textContent) note.textContent = "It wrote nothing.";
        return;
      }
    } catch { /* the stream of events says that we are offline */ }
    setTimeout(turn, again, mine);
  }

  function restart() {
    run++;
    offset = null;
    decoder = new TextDecoder();
    log.textContent = "";
    point();
    turn(run);
  }
  document.addEventListener("click", (e) => { // the output of an element is shown here, not on a page of its own
    const link = e.target.closest?.("a[data-element]");
    if (!link) return;
    e.preventDefault();
    document.getElementById("element").value = link.dataset.element;
    const rank = document.getElementById("rank");
    if (rank) rank.value = link.dataset.rank;
    restart();
    log.scrollIntoView({ block: "center" });
    log.focus();
  });
  for (const id of ["stream", "rank", "element"]) document.getElementById(id)?.addEventListener("change", restart);
  restart();
}
