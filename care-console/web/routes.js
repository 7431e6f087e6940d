// The screens, by their addresses and in the menu. No screen imports it, so that no import goes round in a circle.

import { bill } from "./screens/bill.js";
import { bills } from "./screens/bills.js";
import { consultation } from "./screens/consultation.js";
import { countSheet } from "./screens/count_sheet.js";
import { delivery } from "./screens/delivery.js";
import { expiring } from "./screens/expiring.js";
import { inventory } from "./screens/inventory.js";
import { item } from "./screens/item.js";
import { journal } from "./screens/journal.js";
import { patient } from "./screens/patient.js";
import { patients } from "./screens/patients.js";
import { plan } from "./screens/plan.js";
import { prescription } from "./screens/prescription.js";
import { profile } from "./screens/profile.js";
import { recall } from "./screens/recall.js";
import { shelf } from "./screens/shelf.js";
import { restock } from "./screens/restock.js";
import { takings } from "./screens/takings.js";
import { today, todayPart } from "./screens/today.js";
import { visit } from "./screens/visit.js";
import { visitBill } from "./screens/visit_bill.js";
import { may, mayAny } from "./scopes.js";
import { W } from "./words.js";

/** @typedef {import("./router.js").Screen} Screen */
/** @typedef {import("./scopes.js").Scope} Scope */

/** The screens, each with the scopes without which it shows nothing. @type {[RegExp, Screen, ...Scope[]][]} */
const ROUTES = [
  [/^\/today$/, today],
  [/^\/today\/(openVisits|withoutInvoice|outWithDemand)$/, todayPart],
  [/^\/inventory$/, inventory, "inventory:read"],
  [/^\/inventory\/delivery$/, delivery, "inventory:read", "inventory:write"],
  [/^\/inventory\/sheet$/, countSheet, "inventory:read"],
  [/^\/inventory\/new$/, item, "inventory:write"],
  [/^\/inventory\/of\/([^/]+)$/, item, "inventory:read", "inventory:write"],
  [/^\/inventory\/stock\/([^/]+)$/, shelf, "inventory:read"],
  [/^\/inventory\/stock\/([^/]+)\/lot\/([^/]*)$/, recall, "inventory:read"],
  [/^\/expiring$/, expiring, "inventory:read"],
  [/^\/restock$/, restock, "inventory:read"],
  [/^\/restock\/of\/([^/]+)$/, plan, "inventory:read"],
  [/^\/patients$/, patients, "patient:read"],
  [/^\/patients\/new$/, profile, "patient:write"],
  [/^\/patients\/(\d+)$/, patient, "patient:read"],
  [/^\/patients\/(\d+)\/edit$/, profile, "patient:read", "patient:write"],
  [/^\/patients\/(\d+)\/visit$/, visit, "patient:read", "prescriptions:write"],
  [/^\/visits\/(\d+)$/, consultation, "history:read", "patient:read", "prescriptions:read"],
  [/^\/visits\/(\d+)\/bill\/(\d+(?:-\d+)*)$/, visitBill, "invoice:read"],
  [/^\/prescriptions\/(\d+)$/, prescription, "prescriptions:read", "prescriptions:write"],
  [/^\/bills$/, bills, "invoice:read"],
  [/^\/bills\/(\d+)$/, bill, "invoice:read"],
  [/^\/takings$/, takings, "invoice:read"],
  [/^\/journal$/, journal, "admin"],
];

/**
 * The screens of the menu, each with the scopes of which it needs one.
 * @type {{ path: string, name: keyof typeof W.screens, scopes: Scope[] }[]}
 */
export const MENU = [
  {
    path: "/today",
    name: "today",
    scopes: ["history:read", "prescriptions:read", "invoice:read", "inventory:read"],
  },
  { path: "/inventory", name: "inventory", scopes: ["inventory:read"] },
  { path: "/restock", name: "restock", scopes: ["inventory:read"] },
  { path: "/expiring", name: "expiring", scopes: ["inventory:read"] },
  { path: "/patients", name: "patients", scopes: ["patient:read"] },
  { path: "/bills", name: "bills", scopes: ["invoice:read"] },
  { path: "/takings", name: "takings", scopes: ["invoice:read"] },
  { path: "/journal", name: "journal", scopes: ["admin"] },
];

/** The address that is shown, without its fragment sign. */
export const address = () => location.hash.slice(1) || first();

/** The first screen that the key opens. */
export const first = () => MENU.find((entry) => mayAny(entry.scopes))?.path ?? "/today";

/**
 * The screen of an address: `undefined` when there is none, `null` when the key does not open it.
 * @param {string} path
 * @returns {{ screen: Screen, parameters: string[] } | null | undefined}
 */
export function find(path) {
  const [bare = ""] = path.split("?");
  for (const [pattern, screen, ...scopes] of ROUTES) {
    const found = pattern.exec(bare);
    const parameters = found && decoded(found.slice(1));
    if (parameters) return may(...scopes) ? { screen, parameters } : null;
  }
  return undefined;
}

/** The parts of an address; `undefined` when one is not what an encoder of addresses writes. @param {string[]} parts */
function decoded(parts) {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
