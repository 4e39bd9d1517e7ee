(() => {
  const wrong = [];
  const all = (q) => [...document.querySelectorAll(q)];
  const name = (e) => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + (e.className?.baseVal ?? e.className ? "." + (e.className.baseVal ?? e.className).trim().replace(/\s+/g, ".") : "") + " " + JSON.stringify(e.textContent.trim().slice(0, 40));
  const shown = (e) => {
    for (let x = e; x; x = x.parentElement) {
      const s = getComputedStyle(x);
      if (s.display === "none" || s.visibility === "hidden" || s.clipPath === "inset(50%)") return false;
      if (x.parentElement?.tagName === "DETAILS" && !x.parentElement.open && x.tagName !== "SUMMARY") return false;
    }
    return e.getClientRects().length > 0;
  };

  // 1. The page as a whole.
  if (!document.documentElement.lang) wrong.push("no language");
  if (!document.title) wrong.push("no title");
  if (all("main").length !== 1) wrong.push("not one main");
  if (all("h1").length !== 1) wrong.push(`${all("h1").length} first headings`);
  if (all("nav").some((n) => !n.getAttribute("aria-label"))) wrong.push("a nav without a name");
  let level = 0;
  for (const h of all("h1,h2,h3,h4").filter(shown)) {
    const n = Number(h.tagName[1]);
    if (n > level + 1) wrong.push("a heading skips a level: " + name(h));
    level = n;
  }
  const ids = all("[id]").map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((x) => x === id).length > 1) wrong.push("twice the id " + id);
  for (const attribute of ["for", "aria-describedby", "aria-labelledby", "aria-controls"]) {
    for (const e of all(`[${attribute}]`)) {
      for (const id of e.getAttribute(attribute).split(/\s+/)) if (!document.getElementById(id)) wrong.push(`${attribute} of ${name(e)} names ${id}, which is not there`);
    }
  }
  if (document.scrollingElement.scrollWidth > innerWidth) {
    const out = all("main *, header *").filter((e) => shown(e) && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest("svg svg")).slice(-2).map(name);
    wrong.push(`sticks out by ${document.scrollingElement.scrollWidth - innerWidth}: ${out.join(", ")}`);
  }

  // 2. Names.
  for (const e of all("input:not([type=hidden]),select,textarea")) {
    if (!e.labels?.length && !e.getAttribute("aria-label")) wrong.push("a field without a label: " + name(e));
  }
  for (const e of all("button,a[href],summary")) {
    if (e.closest("svg")) continue;
    if (!e.textContent.trim() && !e.getAttribute("aria-label")) wrong.push("nothing says what this does: " + e.outerHTML.slice(0, 90));
  }
  for (const e of all("svg:not(svg svg)")) {
    if (e.getAttribute("aria-hidden") !== "true" && !(e.getAttribute("role") === (e.querySelector("a") ? "group" : "img") && e.getAttribute("aria-label"))) wrong.push("a drawing without words: " + e.outerHTML.slice(0, 90));
  }
  for (const t of all("table")) {
    if (!t.caption) wrong.push("a table without a caption: " + name(t));
    for (const h of t.querySelectorAll("th")) if (!h.scope) wrong.push("a head without a scope: " + name(h));
  }
  for (const e of all("button,summary,.button,select,input:not([type=hidden],[type=checkbox],[type=file],[type=range])").filter(shown)) {
    const b = e.getBoundingClientRect();
    if (b.height < 24 || b.width < 24) wrong.push(`too small to hit (${b.width.toFixed(0)} by ${b.height.toFixed(0)}): ${name(e)}`);
  }

  // 3. Contrast: 4.5 to 1, and 3 to 1 where letters are large.
  const parse = (c) => { const n = c.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0]; return c.startsWith("color(srgb") ? [n[0] * 255, n[1] * 255, n[2] * 255, n[3] ?? 1] : [n[0], n[1], n[2], n[3] ?? 1]; };
  const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => {
    const layers = [];
    for (let x = e; x; x = x.parentElement) {
      const c = parse(getComputedStyle(x).backgroundColor);
      if (c[3] > 0) layers.push(c);
      if (c[3] === 1) break;
    }
    return layers.reverse().reduce((under, c) => over(c, under), [255, 255, 255, 1]);
  };
  const faded = (e) => { let o = 1; for (let x = e; x; x = x.parentElement) o *= Number(getComputedStyle(x).opacity); return o; };
  const check = (e, colour, what) => {
    const s = getComputedStyle(e), under = ground(e), c = parse(colour);
    c[3] *= faded(e);
    const a = light(over(c, under)), b = light(under);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(s.fontSize), large = size >= 24 || size >= 18.66 && Number(s.fontWeight) >= 700;
    if (ratio < (large ? 3 : 4.5)) wrong.push(`${what} has a contrast of ${ratio.toFixed(2)}: ${name(e)}`);
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const done = new Set();
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || done.has(e) || !shown(e) || e.closest("[disabled],noscript,script,option,title")) continue;
    done.add(e);
    check(e, e.closest("svg") ? getComputedStyle(e).fill : getComputedStyle(e).color, "a text");
  }
  for (const e of all("input:not([type=hidden],[type=checkbox],[type=range],[type=file]),textarea,select").filter(shown)) {
    check(e, getComputedStyle(e).color, "a field");
    if (e.placeholder) check(e, getComputedStyle(e, "::placeholder").color, "a placeholder");
  }

  // 4. A link that stands in a text is told from it by more than its colour.
  for (const e of all("a[href]").filter(shown)) {
    if (e.closest("nav,svg") || getComputedStyle(e).display !== "inline") continue;
    let block = e.parentElement;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    const copy = block.cloneNode(true);
    copy.querySelectorAll("a,button,input,select,label,table,ul,ol,dl,form,svg,.sr").forEach((x) => x.remove());
    if (!/[\p{L}\p{N}]/u.test(copy.textContent)) continue;
    const s = getComputedStyle(e), around = getComputedStyle(block);
    if (!s.textDecorationLine.includes("underline") && s.borderBottomStyle === "none" && s.fontWeight === around.fontWeight) wrong.push("only its colour says that this is a link: " + name(e));
  }
  return wrong;
})()
