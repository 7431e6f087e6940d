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
 * @property {Record<string, unknown>} kept what it keeps for Back
 * @property {typeof go} go goes on to another screen, or only says its message when this one was left meanwhile
 * @property {(id: import("./drafts.js").Kept, heir?: import("./drafts.js").Heir) => void} settle forgets the draft of one of its forms
 */

/** @typedef {(place: Place) => Promise<void> | void} Screen */

let carried = "";
/** A name on its way to a form. It stands in no address, which a browser would keep. */
let named = "";
remembers(() => (carried = named = ""));

/**
 * Goes to another screen, and shows a message there.
 * @param {string} path @param {string} [text] @param {string} [name] that a form there begins with
 */
export function go(path, text = "", name = "") {
  carried = text;
  named = name;
  location.hash = path;
}

/** The name that a form begins with, once. */
export function given() {
  const name = named;
  named = "";
  return name || undefined;
}

/** What a screen was asked to show, behind the `?` of its address. */
export const asked = () => new URLSearchParams(location.hash.split("?")[1]);

/**
 * Writes what a screen shows into its address, so that Back and a reload show the same again.
 * @param {Record<string, string | undefined>} values
 */
export function ask(values) {
  const given = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const [bare] = location.hash.split("?");
  const query = new URLSearchParams(given).toString();
  history.replaceState(history.state, "", bare + (query && "?" + query));
}

/** The message for the new screen. */
export function arrived() {
  const text = carried;
  carried = "";
  return text;
}
