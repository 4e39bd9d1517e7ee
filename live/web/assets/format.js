// The same words and numbers as the server writes: amounts with two decimals and their
// unit; less than half a cent is not nothing.
export function money(micros) {
  const unit = "\u00a0" + (document.querySelector("meta[name=unit]")?.content ?? "");
  const cents = Math.floor(Math.abs(Math.round(micros)) / 1e4 + 0.5);
  if (cents === 0 && Math.round(micros) !== 0) return (micros < 0 ? ">-0.01" : "<0.01") + unit;
  const digits = String(cents).padStart(3, "0");
  return (micros < 0 && cents ? "-" : "") + digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",") + "." + digits.slice(-2) + unit;
}

export function percent(part) {
  const hundredths = part * 100;
  if (hundredths > 0 && hundredths < 0.05) return "<0.1\u2009%"; // not nothing
  return (hundredths !== 0 && Math.abs(hundredths) < 9.95 ? hundredths.toFixed(1) : hundredths.toFixed(0)) + "\u2009%";
}

export function span(ms) {
  if (ms < 0) return "\u2212" + span(-ms);
  if (ms < 10000) return String(Math.round(ms / 100) / 10) + " s";
  let s = Math.round(ms / 1000);
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  for (let i = 0; i < units.length; i++) {
    const [size, name] = units[i];
    if (s < size) continue;
    let text = Math.floor(s / size) + " " + name;
    if (i + 1 < units.length) {
      const rest = Math.floor((s % size) / units[i + 1][0]);
      if (rest > 0) text += " " + rest + " " + units[i + 1][1];
    }
    return text;
  }
  return "0 s";
}

// inputSpan is a length of time as the form takes it.
export function inputSpan(ms) {
  let s = Math.max(1, Math.round(ms / 1000)), text = "";
  for (const [size, name] of [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]]) {
    const n = Math.floor(s / size);
    if (n > 0) text += n + name;
    s %= size;
  }
  return text;
}
