// A market without TLS that was started again has another address, and none of the
// sessions of before. A page has been given a key to the next one. It asks at the door
// where the market is, and believes who proves to know the key's hash: whoever has the
// port meanwhile cannot. The key itself is shown at the proved address alone.
const meta = document.querySelector("meta[name=carry]");
const text = new TextEncoder();
const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const sha256 = (bytes) => crypto.subtle.digest("SHA-256", bytes);

// whereabouts is the address of the market of before, and whether it may know by the
// connection who comes; or null.
export async function whereabouts() {
  if (!meta || !globalThis.crypto?.subtle) return null;
  const verifier = new Uint8Array(await sha256(text.encode("libra carry " + meta.content)));
  const head = text.encode("libra name "), named = new Uint8Array(head.length + verifier.length);
  named.set(head);
  named.set(verifier, head.length);
  const nonce = base64(crypto.getRandomValues(new Uint8Array(24)));
  const q = new URLSearchParams({ name: base64(await sha256(named)), nonce });
  try {
    const answer = await fetch(`http://${meta.dataset.door}/whereabouts?${q}`, { credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer" });
    if (!answer.ok) return null;
    const { at, proof, known } = await answer.json();
    const key = await crypto.subtle.importKey("raw", verifier, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const want = base64(await crypto.subtle.sign("HMAC", key, text.encode(`libra at ${nonce} ${at}`)));
    return proof === want ? { at, known } : null;
  } catch {
    return null; // nobody is there, or somebody else
  }
}

// entrance is where a page goes on at such an address, with what was typed.
export function entrance(at, typed) {
  const q = new URLSearchParams({ key: meta.content, next: "/" + location.href.slice(document.baseURI.length).split("#")[0] });
  return `${at}/login?${q}${typed}`;
}
