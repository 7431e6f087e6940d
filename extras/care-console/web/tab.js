// What the tab keeps through a reload, for its holder alone. Signing out empties it.

import { read, write } from "./api.js";
import { remembers } from "./memory.js";

/**
 * Opens what the tab keeps under this name: in memory, and in its storage.
 * @template T
 * @param {string} stored the name in the storage
 * @param {number} most the number of entries that are kept, the latest ones
 * @param {{ isOwn?: boolean }} [how] whether they outlive the next holder and another database
 */
export function tab(stored, most, { isOwn = true } = {}) {
  /** @type {Map<string, T>} the latest last */
  const all = new Map(before(stored));
  let isStored = true;
  remembers(
    () => {
      all.clear();
      store();
    },
    { isOwn },
  );
  // What the tab cannot store is lost with the page.
  addEventListener("beforeunload", (event) => {
    if (!isStored) event.preventDefault();
  });

  function store() {
    try {
      if (all.size === 0) sessionStorage.removeItem(stored);
      else sessionStorage.setItem(stored, write([...all]));
      isStored = true;
    } catch {
      isStored = false;
    }
  }
  return {
    /** @param {string} key */
    get: (key) => all.get(key),
    /** Keeps an entry; `undefined` takes it away. @param {string} key @param {T | undefined} entry */
    put(key, entry) {
      all.delete(key);
      if (entry !== undefined) all.set(key, entry);
      for (const oldest of [...all.keys()].slice(0, Math.max(0, all.size - most))) all.delete(oldest);
      store();
    },
  };
}

/** @param {string} stored @returns {[string, any][]} */
function before(stored) {
  try {
    return /** @type {[string, any][]} */ (read(sessionStorage.getItem(stored) ?? "") ?? []);
  } catch {
    return [];
  }
}
