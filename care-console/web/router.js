// The way from one screen to another. Addresses stand in the fragment, which browsers do not send.

import { remembers } from "./memory.js";

/**
 * The arguments of a screen.
 * @typedef {object} Place
 * @property {HTMLElement} node where it shows what it has
 * @property {AbortSignal} signal when it is left
 * @property {string[]} parameters from the address
 * @property {(title: import("./ui/dom.js").Child, ...actions: import("./ui/dom.js").Child[]) => void} title names the page
 * @property {(text: string) => void} say tells the person what happened
 */

/** @typedef {(place: Place) => Promise<void> | void} Screen */

let carried = "";
remembers(() => (carried = ""));

/** Goes to another screen, and shows a message there. @param {string} path @param {string} [text] */
export function go(path, text = "") {
  carried = text;
  location.hash = path;
}

/** The message for the new screen. */
export function arrived() {
  const text = carried;
  carried = "";
  return text;
}
