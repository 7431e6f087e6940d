// The lock: the key, encrypted with what its holder chose, in this tab's storage and nowhere else.

const STORED = "care.lock";
const ROUNDS = 600_000;
const TRIES = 5;
const SHORTEST = 8;

/** @typedef {{ name: string, salt: number[], iv: number[], data: number[], tries: number }} Locked */

/** Whether this page can encrypt at all. */
export const canLock = () => globalThis.isSecureContext && crypto.subtle !== undefined;

/** Whether a text can lock: six digits, or a passphrase. @param {string} text */
export const isPin = (text) => /^\d{6}$/.test(text) || [...text].length >= SHORTEST;

/** What is locked in this tab. @returns {Locked | undefined} */
export function locked() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "") ?? undefined;
  } catch {
    return undefined;
  }
}

/** Forgets the key for good. */
export const wipe = () => sessionStorage.removeItem(STORED);

/** @param {string} pin @param {Uint8Array<ArrayBuffer>} salt */
async function wrapping(pin, salt) {
  const from = await crypto.subtle.importKey("raw", new TextEncoder().encode(pin), "PBKDF2", false, ["deriveKey"]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt, iterations: ROUNDS };
  return crypto.subtle.deriveKey(how, from, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** Keeps a key under this PIN. @param {string} key @param {string} pin @param {string} name its holder */
export async function keep(key, pin, name) {
  const [salt, iv] = [crypto.getRandomValues(new Uint8Array(16)), crypto.getRandomValues(new Uint8Array(12))];
  const by = await wrapping(pin, salt);
  const data = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, by, new TextEncoder().encode(key)));
  const kept = { name, salt: [...salt], iv: [...iv], data: [...data], tries: 0 };
  sessionStorage.setItem(STORED, JSON.stringify(kept));
}

/**
 * Returns the key, or nothing when the PIN is wrong. With the last wrong one the key is forgotten. A try counts from its
 * beginning, so that a reload does not undo it.
 * @param {string} pin
 */
export async function unlock(pin) {
  const kept = locked();
  if (!kept) return undefined;
  kept.tries += 1;
  sessionStorage.setItem(STORED, JSON.stringify(kept));
  try {
    const by = await wrapping(pin, new Uint8Array(kept.salt));
    const how = { name: "AES-GCM", iv: new Uint8Array(kept.iv) };
    const key = new TextDecoder().decode(await crypto.subtle.decrypt(how, by, new Uint8Array(kept.data)));
    sessionStorage.setItem(STORED, JSON.stringify({ ...kept, tries: 0 }));
    return key;
  } catch {
    if (kept.tries >= TRIES) wipe();
    return undefined;
  }
}

/** The number of wrong tries that are left. */
export const triesLeft = () => TRIES - (locked()?.tries ?? TRIES);
