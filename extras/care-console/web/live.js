// News of the service: a long poll that ends with the next change.

import { call, wasLeft } from "./api.js";

const WAIT = 25;
/** The shortest time between two calls of a listener, in milliseconds. Changes in between are reported together. */
const BREATH = 400;
const PAUSES = [500, 1000, 2000, 5000];
/** The pause after an answer without news that comes before its time, in milliseconds: another poll has ended this one. */
const EARLY = 1000;

/** @typedef {{ epoch: string, seq: number, kinds?: string[] }} News Without kinds, any record may have changed. */

/** @typedef {(seq: number, changed: string[] | undefined) => unknown} Listener It is told the kinds, if they are known. */

/** @type {Map<Listener, string[] | undefined>} The listeners, with the kinds of records they show. */
const listeners = new Map();

/**
 * Calls the listener at every change, or at every change of these kinds of records, until the signal.
 * @param {Listener} listener
 * @param {AbortSignal} signal
 * @param {string[]} [kinds]
 */
export function follow(listener, signal, kinds) {
  listeners.set(listener, kinds);
  signal.addEventListener("abort", () => listeners.delete(listener));
}

/**
 * Returns the read of a screen. News cause a read beside the one of the screen itself: only the last one that began is to
 * be shown, and the others end with it, so that after each of them the screen is as it should be.
 * @param {(isLast: () => boolean) => Promise<void>} read
 */
export function newest(read) {
  let begun = 0;
  let last = Promise.resolve();
  return () => {
    const own = ++begun;
    const isLast = () => own === begun;
    last = read(isLast).then(() => (isLast() ? undefined : last));
    return last;
  };
}

/** Tells the listeners that it concerns. @param {Omit<News, "epoch">} news */
function tell({ seq, kinds: changed }) {
  listeners.forEach((shown, listener) => {
    if (!shown || !changed || shown.some((kind) => changed.includes(kind))) listener(seq, changed);
  });
}

/** The number of the last entry in the journal. @param {AbortSignal} [signal] @returns {Promise<number>} */
export async function latest(signal) {
  const { data } = await call("GET", "/news", { signal, quiet: true });
  return /** @type {News} */ (data).seq;
}

/** The epoch of the database, which is asked for before the first news. @returns {Promise<string>} */
export async function epochOf() {
  if (epoch !== undefined) return epoch;
  const { data } = await call("GET", "/news", { quiet: true });
  return /** @type {News} */ (data).epoch;
}

/** The database of which the page shows records: one that is restored or made anew has another epoch. @type {string | undefined} */
let epoch;

/**
 * Listens until the signal, also while the service does not answer.
 * @param {AbortSignal} signal
 * @param {(answers: boolean) => void} onState
 * @param {() => void} onAnother is called when another database has taken the place of the one that the page shows
 */
export async function listen(signal, onState, onAnother) {
  let failures = 0;
  /** @type {News | undefined} */
  let known;
  while (!signal.aborted) {
    try {
      // The next request is a short one: it only finds out whether the service answers again.
      const wait = known === undefined || failures > 0 ? 0 : WAIT;
      const query = known === undefined ? {} : { after: known.seq, wait };
      const begun = performance.now();
      const { data, retryAfter } = await call("GET", "/news", { query, signal, quiet: true, wait: WAIT * 1000 });
      const isEarly = performance.now() - begun < (wait - 1) * 1000;
      const news = /** @type {News} */ (data);
      const isAnother = epoch !== undefined && news.epoch !== epoch;
      // Changes during the outage are news as well.
      const isOut = failures > 0 || isAnother;
      const isNews = isAnother || (known !== undefined && (news.seq !== known.seq || isOut));
      known = news;
      epoch = news.epoch;
      if (failures > 0) onState(true);
      failures = 0;
      if (isAnother) onAnother();
      if (isNews) {
        tell(isOut ? { seq: news.seq } : news);
        await pause(Math.max(BREATH, retryAfter), signal);
      } else if (isEarly || retryAfter > 0) {
        await pause(Math.max(EARLY, retryAfter), signal);
      }
    } catch (error) {
      if (signal.aborted || wasLeft(error)) return;
      failures += 1;
      if (failures > 1) onState(false);
      await pause(PAUSES[Math.min(failures, PAUSES.length) - 1] ?? 5000, signal);
    }
  }
}

/**
 * Waits until the service answers, and for two seconds at least: one that is too busy for a screen may still answer this.
 * @param {AbortSignal} signal
 */
export async function answered(signal) {
  for (let time = 2000; !signal.aborted; time = 5000) {
    await pause(time, signal);
    const isThere = await latest(signal).then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
}

/** @param {number} time @param {AbortSignal} signal @returns {Promise<void>} */
function pause(time, signal) {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, time);
    signal.addEventListener("abort", over);
  });
}
