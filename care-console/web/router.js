// The screen of each address. Addresses stand in the fragment, which browsers do not send.

import { bill } from "./screens/bill.js";
import { bills } from "./screens/bills.js";
import { consultation } from "./screens/consultation.js";
import { inventory } from "./screens/inventory.js";
import { item } from "./screens/item.js";
import { journal } from "./screens/journal.js";
import { patient } from "./screens/patient.js";
import { patients } from "./screens/patients.js";
import { plan } from "./screens/plan.js";
import { prescription } from "./screens/prescription.js";
import { profile } from "./screens/profile.js";
import { shelf } from "./screens/shelf.js";
import { restock } from "./screens/restock.js";
import { visit } from "./screens/visit.js";
import { opens } from "./scopes.js";
import { W } from "./words.js";

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

/** @type {[RegExp, Screen, import("./scopes.js").List][]} */
const ROUTES = [
  [/^\/inventory$/, inventory, "inventory"],
  [/^\/inventory\/new$/, item, "inventory"],
  [/^\/inventory\/of\/([^/]+)$/, item, "inventory"],
  [/^\/inventory\/stock\/([^/]+)$/, shelf, "inventory"],
  [/^\/restock$/, restock, "inventory"],
  [/^\/restock\/of\/([^/]+)$/, plan, "inventory"],
  [/^\/patients$/, patients, "patient"],
  [/^\/patients\/new$/, profile, "patient"],
  [/^\/patients\/(\d+)$/, patient, "patient"],
  [/^\/patients\/(\d+)\/edit$/, profile, "patient"],
  [/^\/patients\/(\d+)\/visit$/, visit, "patient"],
  [/^\/visits\/(\d+)$/, consultation, "prescriptions"],
  [/^\/prescriptions\/(\d+)$/, prescription, "prescriptions"],
  [/^\/bills$/, bills, "invoice"],
  [/^\/bills\/(\d+)$/, bill, "invoice"],
  [/^\/journal$/, journal, "journal"],
];

/** The screens of the menu. @type {{ path: string, label: string, list: import("./scopes.js").List }[]} */
export const MENU = [
  { path: "/inventory", label: W.screens.inventory, list: "inventory" },
  { path: "/restock", label: W.screens.restock, list: "inventory" },
  { path: "/patients", label: W.screens.patients, list: "patient" },
  { path: "/bills", label: W.screens.bills, list: "invoice" },
  { path: "/journal", label: W.screens.journal, list: "journal" },
];

/** The address that is shown, without its fragment sign. */
export const address = () => location.hash.slice(1) || first();

/** The first screen that the key opens. */
export const first = () => MENU.find((entry) => opens(entry.list))?.path ?? "/inventory";

let carried = "";

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

/**
 * The screen of an address: `undefined` when there is none, `null` when the key does not open it.
 * @param {string} path
 * @returns {{ screen: Screen, parameters: string[] } | null | undefined}
 */
export function find(path) {
  const [bare = ""] = path.split("?");
  for (const [pattern, screen, list] of ROUTES) {
    const found = pattern.exec(bare);
    if (found) return opens(list) ? { screen, parameters: found.slice(1).map(decodeURIComponent) } : null;
  }
  return undefined;
}
