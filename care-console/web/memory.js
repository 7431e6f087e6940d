// What the page remembers of a session, beside the key. A person who signs out leaves nothing of it behind.

/** @type {Set<() => void>} */
const clearers = new Set();

/** Names what has to be emptied. @param {() => void} clearer */
export const remembers = (clearer) => clearers.add(clearer);

/** Empties everything that was named. */
export const forgetAll = () => clearers.forEach((clearer) => clearer());
