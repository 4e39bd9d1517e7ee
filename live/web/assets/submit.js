// The form that answers as one types. The market is asked once somebody pauses;
// while the slider is dragged, the curve that is on the page says about how much.
import { money, span, inputSpan } from "./format.js";
import { swap, lost, on, over, follow, isOffline } from "./live.js";
import { keep, recall, forget } from "./draft.js";
import { pressing } from "./focus.js";

let recalled = false;
export function submit() {
  const form = document.getElementById("submit");
  if (!form) return;
  const slide = document.getElementById("slide"), box = slide.parentElement;
  const field = (name) => form.elements[name];
  field("zone").value = -new Date().getTimezoneOffset();
  let axis = null, points = [], timer = 0, asking = null, dragging = false, asked = Date.now(), quiet = false;

  function ask(wait) {
    clearTimeout(timer);
    timer = setTimeout(send, wait);
  }

  // none is the price where nobody is asked any more.
  function none() {
    swap({ offer: '<p class="eyebrow">Price</p><p class="figure-big none">–</p>', curve: "", saving: "", guess: "" });
    field("seen").value = "";
    place();
  }

  async function send(again) {
    asking?.abort();
    asked = Date.now();
    quiet = again === true;
    const mine = asking = new AbortController();
    const body = new FormData(form);
    body.delete("file"); // it is in the script already
    if (dragging && axis) {
      body.set("axis-min", axis[0]);
      body.set("axis-max", axis[1]);
    }
    try {
      const answer = await fetch(form.dataset.preview, {
        method: "POST", body, signal: mine.signal, headers: { Accept: "application/json" },
      });
      if (answer.status === 401) {
        none();
        if (!(await follow())) over();
      }
      if (!answer.ok) return;
      const reply = await answer.json();
      if (!mine.signal.aborted) take(reply);
    } catch (e) {
      if (e.name !== "AbortError") lost();
    }
  }

  function take(reply) {
    const same = quiet && field("seen").value === reply.seen;
    swap(reply.parts);
    field("seen").value = reply.seen;
    for (const place of form.querySelectorAll("[data-field]")) {
      const name = place.dataset.field;
      wrong(place, name, reply.wrong[name]);
    }
    const script = document.getElementById("script").closest(".field");
    wrong(script, "script", reply.wrong.script);
    const said = document.getElementById("say");
    if (!same && said.textContent !== reply.say) said.textContent = reply.say;
    place();
  }

  function wrong(place, name, text) {
    const line = document.getElementById(name + "-wrong");
    place.classList.toggle("bad", Boolean(text));
    line.hidden = !text;
    line.textContent = text ?? "";
    const input = field(name);
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  // place reads the curve that is on the page and puts the slider under it.
  function place() {
    const drawing = form.querySelector(".curve");
    box.hidden = !drawing;
    axis = drawing ? [Number(drawing.dataset.min), Number(drawing.dataset.max)] : null;
    points = drawing ? JSON.parse(drawing.dataset.points) : [];
    if (dragging || !drawing?.dataset.at) return;
    slide.value = drawing.dataset.at;
    describe(at(Number(slide.value)));
  }

  function at(value) { return axis[0] * (axis[1] / axis[0]) ** (value / 1000); }

  function round(ms) {
    const steps = [[120e3, 1e3], [600e3, 5e3], [3600e3, 30e3], [6 * 3600e3, 300e3], [86400e3, 900e3], [Infinity, 3600e3]];
    const step = steps.find(([most]) => ms < most)[1];
    return Math.max(step, Math.round(ms / step) * step);
  }

  // price is about what the curve says in between its points.
  function price(ms) {
    for (let i = 1; i < points.length; i++) {
      const [a, pa] = points[i - 1], [b, pb] = points[i];
      if (ms > b || pa === null || pb === null) continue;
      if (ms < a) return null;
      const part = b > a ? Math.log(ms / a) / Math.log(b / a) : 0;
      return pa + (pb - pa) * part;
    }
    return null;
  }

  function describe(ms) { slide.setAttribute("aria-valuetext", span(ms)); }

  slide.addEventListener("input", () => {
    if (!axis) return;
    dragging = true;
    const ms = round(at(Number(slide.value)));
    field("deadline").value = inputSpan(ms);
    describe(ms);
    const about = price(ms), drawing = form.querySelector(".curve"), mark = form.querySelector(".curve .here");
    if (about !== null && drawing) {
      const big = form.querySelector(".figure-big");
      if (big) big.textContent = "\u2248 " + money(Math.round(about)); // until the market has said it
      if (mark) {
        const { top, foot, most } = drawing.dataset;
        const y = foot - (foot - top) * about / Math.max(most, 1);
        const x = Math.log(ms / axis[0]) / Math.log(axis[1] / axis[0]) * 100 + "%";
        mark.querySelector(".spot").setAttribute("cx", x);
        mark.querySelector(".spot").setAttribute("cy", y);
        for (const end of ["x1", "x2"]) mark.querySelector(".guide").setAttribute(end, x);
        mark.querySelector(".guide").setAttribute("y1", y);
      }
    }
    ask(120);
  });
  slide.addEventListener("change", () => { dragging = false; ask(0); });

  form.addEventListener("input", (e) => {
    form.classList.add("touched");
    keep(form);
    if (e.target === slide || e.target.type === "file") return;
    dragging = false;
    ask(e.target.id === "script" ? 600 : 250);
  });
  form.addEventListener("change", (e) => { if (e.target.tagName === "SELECT") ask(0); });

  // What the market says to the submission is not to be painted over by what it says to a
  // question from before.
  form.addEventListener("submit", () => {
    clearTimeout(timer);
    asking?.abort();
  });

  // An offer to a question changes the form; one to a submission is taken by it.
  form.addEventListener("click", (e) => {
    const button = e.target.closest("button[name=offer]");
    if (!button) return;
    const offer = new URLSearchParams(button.value);
    if (offer.has("quote")) return;
    e.preventDefault();
    for (const [name, value] of offer) if (field(name)) field(name).value = value;
    keep(form);
    document.getElementById("deadline").focus();
    ask(0);
  });

  document.getElementById("file").addEventListener("change", async (e) => {
    const file = e.target.files[0];
    if (!file) return;
    document.getElementById("script").value = await file.text();
    if (!field("name").value) field("name").value = file.name;
    e.target.value = "";
    keep(form);
    ask(0);
  });

  on("back", () => ask(0));
  on("over", none);
  // What it costs and when it would be done is true for a while only. The answer to what was
  // handed in stays.
  const rests = () => Date.now() - asked > 10000 && !document.hidden && !isOffline() && !dragging && !pressing() && !form.querySelector("[data-refused]");
  clearInterval(submit.timer);
  submit.timer = setInterval(() => { if (rests()) send(true); }, 1000);
  if (!recalled) { // once: what comes after that is what was typed since
    recalled = true;
    const filled = new URLSearchParams(location.search).has("like");
    const again = document.getElementById("again");
    if (!filled && recall(form)) {
      again.hidden = false;
      form.classList.add("touched");
      ask(0);
    }
    again.querySelector("button").addEventListener("click", () => {
      forget();
      form.classList.remove("touched");
      location.assign("submit");
    });
  }
  place(); // the answer to what is in the form is on the page already
}
