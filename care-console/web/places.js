// Where a page was left, so that Back leads there again: how far it was scrolled, what had the focus, what was chosen.

import { remembers } from "./memory.js";

/** @typedef {{ scroll: number, focus: string | undefined, kept: Record<string, unknown> }} Left */

/** By the number that the browser's history keeps for the page. @type {Map<number, Left>} */
const places = new Map();
remembers(() => places.clear());

/** The number of pages that are remembered, the latest ones. */
const MOST = 100;
/** The number of frames in which rows may be made on the way to the place. */
const TRIES = 200;

let last = Date.now();
/** @type {number | undefined} the page that is shown */
let current;

/** What scrolls: the page below the header, or the window where it is low. @param {HTMLElement} main */
const scroller = (main) => {
  const page = /** @type {HTMLElement} */ (main.parentElement);
  return page.scrollHeight > page.clientHeight && getComputedStyle(page).overflowY !== "visible"
    ? page
    : /** @type {HTMLElement} */ (document.scrollingElement);
};

/**
 * Notes where the page is left, and returns what is known of the one that the address names now.
 * @param {HTMLElement} main
 * @returns {Left}
 */
export function turn(main) {
  const before = current === undefined ? undefined : places.get(current);
  if (before && main.isConnected) {
    before.scroll = scroller(main).scrollTop;
    const link = main.contains(document.activeElement) && document.activeElement?.closest("a[href]");
    before.focus = (link && link.getAttribute("href")) || undefined;
  }
  const known = /** @type {{ place?: number } | null} */ (history.state)?.place;
  current = known ?? (last += 1);
  if (known === undefined) history.replaceState({ place: current }, "");
  const left = places.get(current) ?? { scroll: 0, focus: undefined, kept: {} };
  places.delete(current);
  places.set(current, left);
  for (const oldest of [...places.keys()].slice(0, Math.max(0, places.size - MOST))) places.delete(oldest);
  return left;
}

/**
 * Goes to where the page was left, as far as it still reaches.
 * @param {HTMLElement} main @param {Left} left @param {AbortSignal} signal
 */
export async function restore(main, { scroll, focus }, signal) {
  if (scroll === 0) return;
  for (let tries = 0; tries < TRIES && !signal.aborted; tries += 1) {
    const node = scroller(main);
    node.scrollTop = scroll;
    if (node.scrollTop >= scroll - 1) break;
    await new Promise(requestAnimationFrame);
  }
  const link = [...main.querySelectorAll("a[href]")].find((one) => one.getAttribute("href") === focus);
  if (link instanceof HTMLElement && !signal.aborted) link.focus({ preventScroll: true });
}
