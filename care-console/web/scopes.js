// The screens that a key opens. The service has no operation for this, so the page sends a HEAD request to each list.

import { call } from "./api.js";

/** @typedef {"patient" | "prescriptions" | "inventory" | "invoice" | "journal"} List */

/** @type {Set<List>} */
let open = new Set();

/** @param {List} list */
export const opens = (list) => open.has(list);

/**
 * Finds the lists that the key opens.
 * @returns {Promise<boolean>} whether it opens anything
 * @throws {import("./api.js").Problem} when the key is refused, or nothing answers
 */
export async function look() {
  /** @type {List[]} */
  const lists = ["patient", "prescriptions", "inventory", "invoice", "journal"];
  const asked = lists.map(async (list) => {
    try {
      await call("HEAD", "/" + list, { query: { limit: 1 }, quiet: true });
      return true;
    } catch (problem) {
      if (/** @type {import("./api.js").Problem} */ (problem).status === 403) return false;
      throw problem;
    }
  });
  const answers = await Promise.all(asked);
  open = new Set(lists.filter((_, place) => answers[place]));
  return open.size > 0;
}
