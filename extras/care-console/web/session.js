// The key: in memory, in this tab's storage if the person asks for it, and nowhere else.

import * as lock from "./lock.js";

const STORED = "care.key";
const IDLE = 15 * 60_000;
const WARNING = 120_000;

/** @type {string | undefined} */
let key;
let touched = Date.now();
/** @type {ReturnType<typeof setInterval> | undefined} */
let watch;
/** Why there is no session. @typedef {"left" | "idle" | "refused" | "locked"} Reason */

/** @type {(reason: Reason) => void} */
let onEnd = () => {};
/** It is told the seconds that are left, if they are few. @type {(left: number | undefined) => void} */
let onWarning = () => {};

/** The key, or `undefined` without a session. */
export const current = () => key;

/** The key that this tab keeps. */
export const kept = () => sessionStorage.getItem(STORED) ?? undefined;

/**
 * Takes the key that the address carries behind `#key=` out of it.
 * @param {string} [before] the fragment that stands there afterwards, with its sign
 * @returns {string | undefined}
 */
export function carried(before = "") {
  if (!location.hash.startsWith("#key=")) return undefined;
  const given = decode(location.hash.slice("#key=".length));
  history.replaceState(null, "", location.pathname + location.search + (before.startsWith("#key=") ? "" : before));
  return given || undefined;
}

/**
 * Begins a session.
 * @param {string} given
 * @param {boolean} keep
 */
export function begin(given, keep) {
  key = given;
  touched = Date.now();
  keep ? sessionStorage.setItem(STORED, given) : sessionStorage.removeItem(STORED);
  clearInterval(watch);
  watch = setInterval(look, 1000);
}

/**
 * Ends the session. The key is forgotten, unless the page is locked.
 * @param {Reason} reason
 */
export function end(reason) {
  if (key === undefined) return;
  drop();
  if (reason !== "locked") lock.wipe();
  onWarning(undefined);
  onEnd(reason);
}

/**
 * Sets the listeners for the end, and for the minutes before the end of an idle session.
 * @param {typeof onEnd} ended
 * @param {typeof onWarning} warned
 */
export function listen(ended, warned) {
  onEnd = ended;
  onWarning = warned;
  for (const sign of ["keydown", "pointerdown", "pointermove", "wheel", "touchstart"]) {
    addEventListener(sign, () => touch(), { passive: true, capture: true });
  }
  // A timer sleeps in a hidden tab or on a closed laptop, so the time is compared at once when it wakes.
  document.addEventListener("visibilitychange", look);
}

/** Forgets the key, without calling the listeners. */
export function drop() {
  key = undefined;
  sessionStorage.removeItem(STORED);
  clearInterval(watch);
}

/** Keys are sent in a header, which holds nothing but visible ASCII characters. @param {string} text */
export const canBeSent = (text) => /^[\x21-\x7e]{1,256}$/.test(text);

function touch() {
  const idle = Date.now() - touched;
  if (key === undefined || idle > IDLE) return;
  if (idle > IDLE - WARNING) onWarning(undefined);
  touched = Date.now();
}

function look() {
  if (key === undefined) return;
  const idle = Date.now() - touched;
  if (idle > IDLE) end(lock.locked() ? "locked" : "idle");
  else if (idle > IDLE - WARNING) onWarning(Math.ceil((IDLE - idle) / 1000));
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
