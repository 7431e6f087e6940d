// What the page remembers of a session, beside the key. A person who signs out leaves nothing of it behind.

/** @type {Map<() => void, boolean>} */
const clearers = new Map();

/**
 * Names what has to be emptied.
 * @param {() => void} clearer
 * @param {{ isOwn?: boolean }} [how] whether it is shown to its own holder alone, and so outlives the next one
 */
export const remembers = (clearer, { isOwn = false } = {}) => clearers.set(clearer, isOwn);

/** Empties what was named: everything, or what the next holder would see. @param {"all" | "shown"} which */
export function forget(which) {
  for (const [clearer, isOwn] of clearers) if (which === "all" || !isOwn) clearer();
}
