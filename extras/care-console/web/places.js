// Where a page was left, so that Back leads there again: how far it was scrolled, what had the focus, what was chosen.

import { remembers } from "./memory.js";

/**
 * A link by its address, and by its place among those with the same one.
 * @typedef {{ href: string | null, nth: number }} Link
 */
/** @typedef {{ scroll: number, focus: Link | undefined, kept: Record<string, unknown> }} Left */

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

/** The links to an address. @param {HTMLElement} main @param {string | null} href */
const linksTo = (main, href) =>
  /** @type {HTMLElement[]} */ ([...main.querySelectorAll("a[href]")]).filter(
    (one) => one.getAttribute("href") === href,
  );

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
    const link = /** @type {HTMLElement | null | undefined} */ (document.activeElement?.closest("main a[href]"));
    const href = link?.getAttribute("href") ?? null;
    before.focus = link ? { href, nth: linksTo(main, href).indexOf(link) } : undefined;
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
  for (let tries = 0; scroll > 0 && tries < TRIES && !signal.aborted; tries += 1) {
    const node = scroller(main);
    node.scrollTop = scroll;
    if (node.scrollTop >= scroll - 1) break;
    await new Promise(requestAnimationFrame);
  }
  if (!focus || signal.aborted) return;
  const links = linksTo(main, focus.href);
  (links[focus.nth] ?? links[0])?.focus({ preventScroll: true });
}
