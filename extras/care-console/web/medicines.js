// The medicines of the inventory, with the stock of those that are tracked: read for all screens, a page at a time while the
// browser is idle, and again when they change.

import { Problem, call, list } from "./api.js";
import { follow } from "./live.js";
import { remembers } from "./memory.js";
import { folded, inOrder } from "./names.js";
import { may } from "./scopes.js";

/** @typedef {import("./contract.js").Stock} Stock */
/** @typedef {import("./contract.js").Item & { stock: Stock | undefined, folded: string }} Medicine */

/** The number of medicines up to which they are read. */
export const MOST = 10_000;
const PAGE = 500;
/** The time that a new session has for its first screen before anything else is read, in milliseconds. */
const FIRST = 1000;

/**
 * What is known: some medicines, the first ones of too many, or all. Nothing can be said of a name that is not among them
 * unless they are all.
 * @type {{ items: Medicine[], extent: "some" | "first" | "all" }}
 */
let known = { items: [], extent: "some" };
remembers(() => (known = { items: [], extent: "some" }));
let isStale = true;
/** Whether the requests of the next reading are among those that the drawer shows. */
let isShown = false;
/** @type {Promise<void> | undefined} */
let reading;
/** Ends with the session. */
let over = new AbortController().signal;
/** @type {Set<() => void>} */
const watchers = new Set();

/** What is known of the medicines now. */
export const medicines = () => known;

/** Begins with nothing, for a session until the signal. @param {AbortSignal} out */
export function begin(out) {
  known = { items: [], extent: "some" };
  [isStale, reading, over] = [true, undefined, out];
  if (!may("inventory:read")) return;
  const soon = setTimeout(
    () =>
      idle()
        .then(settled)
        .catch(() => {}),
    FIRST,
  );
  out.addEventListener("abort", () => clearTimeout(soon));
  const changed = () => {
    isStale = true;
    if (watchers.size > 0) settled().catch(() => {});
  };
  follow(changed, out, ["Inventory", "Stock", "Movement"]);
}

/** Calls the listener whenever more is known, until the signal. @param {() => void} listener @param {AbortSignal} signal */
export function watch(listener, signal) {
  watchers.add(listener);
  signal.addEventListener("abort", () => watchers.delete(listener));
  settled().catch(() => {});
}

/** Reads what is not known or has changed, unless it is being read. */
export function settled() {
  if (isStale && !over.aborted) reading ??= rounds(over);
  return reading ?? Promise.resolve();
}

/** The number of medicines that a name is looked for among those that are not read. */
const FOUND = 20;

/**
 * Looks for medicines whose names begin so, where there are more than were read, and joins them to those that are known.
 * @param {string} text
 */
export async function look(text) {
  if (known.extent !== "first" || folded(text) === "") return;
  const before = new Set(known.items.map((one) => one.folded));
  const { data } = /** @type {{ data: { items: import("./contract.js").Item[] } }} */ (
    await call("GET", "/inventory", { query: { name: text, limit: FOUND }, signal: over, quiet: true })
  );
  const fresh = data.items.filter((one) => !before.has(folded(one.medicine)));
  const found = await Promise.all(
    fresh.map(async (item) => ({ ...item, stock: await stockOf(item.medicine), folded: folded(item.medicine) })),
  );
  if (found.length > 0) learn([...known.items, ...found], known.extent);
}

/** The stock of a medicine, if it is tracked. @param {string} medicine */
async function stockOf(medicine) {
  try {
    const path = `/inventory/${encodeURIComponent(medicine)}/stock`;
    return /** @type {Stock} */ ((await call("GET", path, { signal: over, quiet: true })).data);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  }
}

/** Reads the medicines anew. @param {boolean} [shown] whether the drawer shows the requests */
export function again(shown = false) {
  [isStale, isShown] = [true, shown];
  return settled();
}

/** What changes while it is read is read once more. @param {AbortSignal} signal */
async function rounds(signal) {
  try {
    while (isStale && !signal.aborted) {
      isStale = false;
      await round(signal);
    }
  } catch (error) {
    isStale = true;
    throw error;
  } finally {
    if (signal === over) reading = undefined;
  }
}

/** @param {AbortSignal} signal */
async function round(signal) {
  const quiet = !isShown;
  isShown = false;
  const stocks = await list("/stock", { signal, most: MOST, quiet });
  const tracked = new Map(/** @type {Stock[]} */ (stocks.items).map((stock) => [stock.medicine, stock]));
  /** @type {Medicine[]} */
  const items = [];
  let after;
  do {
    if (after !== undefined) await idle();
    /** @type {{ data: { items: import("./contract.js").Item[], next?: string } }} */
    const { data } = await call("GET", "/inventory", { query: { limit: PAGE, after }, signal, quiet });
    for (const item of data.items)
      items.push({ ...item, stock: tracked.get(item.medicine), folded: folded(item.medicine) });
    after = data.next;
    if (after !== undefined && known.extent === "some") learn([...items], "some");
  } while (after !== undefined && items.length < MOST);
  learn(items, after === undefined && !stocks.more ? "all" : "first");
}

/** @param {Medicine[]} items @param {typeof known.extent} extent */
function learn(items, extent) {
  known = { items: inOrder(items), extent };
  for (const watcher of watchers) watcher();
}

/** Waits until the browser has nothing else to do. @returns {Promise<unknown>} */
const idle = () =>
  new Promise((resolve) =>
    "requestIdleCallback" in globalThis ? requestIdleCallback(resolve, { timeout: FIRST }) : setTimeout(resolve),
  );
