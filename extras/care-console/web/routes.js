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
import { DESK, W } from "./words.js";

/** @typedef {import("./router.js").Screen} Screen */
/** @typedef {import("./scopes.js").Scope} Scope */

/**
 * The title of a page, which browsers write down: it has the number of a record, and never a name.
 * @typedef {(...parameters: string[]) => string} Title
 */

/** The screens, each with its title and the scopes without which it shows nothing. @type {[RegExp, Screen, Title, ...Scope[]][]} */
export const ROUTES = [
  [/^\/today$/, today, () => W.screens.today],
  [/^\/today\/(openVisits|withoutInvoice|outWithDemand)$/, todayPart, () => W.screens.today],
  [/^\/inventory$/, inventory, () => W.screens.inventory, "inventory:read"],
  [/^\/inventory\/delivery$/, delivery, () => DESK.delivery.title, "inventory:read", "inventory:write"],
  [/^\/inventory\/sheet$/, countSheet, () => DESK.sheet.title, "inventory:read"],
  [/^\/inventory\/new$/, item, () => W.inventory.add, "inventory:write"],
  [/^\/inventory\/of\/([^/]+)$/, item, () => W.inventory.edit, "inventory:read", "inventory:write"],
  [/^\/inventory\/stock\/([^/]+)$/, shelf, () => W.screens.inventory, "inventory:read"],
  [/^\/inventory\/stock\/([^/]+)\/lot\/([^/]*)$/, recall, () => DESK.expiring.who, "inventory:read"],
  [/^\/expiring$/, expiring, () => W.screens.expiring, "inventory:read"],
  [/^\/restock$/, restock, () => W.screens.restock, "inventory:read"],
  [/^\/restock\/of\/([^/]+)$/, plan, () => W.screens.restock, "inventory:read"],
  [/^\/patients$/, patients, () => W.screens.patients, "patient:read"],
  [/^\/patients\/new$/, profile, () => W.patients.register, "patient:write"],
  [/^\/patients\/(\d+)$/, patient, (id) => W.patients.unnamed(id), "patient:read"],
  [
    /^\/patients\/(\d+)\/edit$/,
    profile,
    (id) => W.form.pair(W.patient.edit, W.patients.unnamed(id)),
    "patient:read",
    "patient:write",
  ],
  [
    /^\/patients\/(\d+)\/visit$/,
    visit,
    (id) => W.form.pair(W.visit.title, W.patients.unnamed(id)),
    "prescriptions:write",
  ],
  [
    /^\/visits\/(\d+)$/,
    consultation,
    (id) => W.form.pair(W.visit.of, id),
    "history:read",
    "patient:read",
    "prescriptions:read",
  ],
  [/^\/visits\/(\d+)\/bill\/(\d+(?:-\d+)*)$/, visitBill, (id) => W.form.pair(DESK.bill.title, id), "invoice:read"],
  [
    /^\/prescriptions\/(\d+)$/,
    prescription,
    (id) => W.form.pair(W.patient.prescriptions, id),
    "prescriptions:read",
    "prescriptions:write",
  ],
  [/^\/bills$/, bills, () => W.screens.bills, "invoice:read"],
  [/^\/bills\/(\d+)$/, bill, (id) => W.bill.title(id), "invoice:read"],
  [/^\/takings$/, takings, () => W.screens.takings, "invoice:read"],
  [/^\/journal$/, journal, () => W.screens.journal, "admin"],
];

/**
 * The screens of the menu, each with the scopes of which it needs one.
 * @type {{ path: string, name: keyof typeof W.screens, scopes: Scope[] }[]}
 */
export const MENU = [
  {
    path: "/today",
    name: "today",
    scopes: ["history:read", "prescriptions:read", "prescriptions:write", "invoice:read", "inventory:read"],
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
 * @returns {{ screen: Screen, title: string, parameters: string[] } | null | undefined}
 */
export function find(path) {
  const [bare = ""] = path.split("?");
  for (const [pattern, screen, title, ...scopes] of ROUTES) {
    const found = pattern.exec(bare);
    const parameters = found && decoded(found.slice(1));
    if (parameters) return may(...scopes) ? { screen, title: title(...parameters), parameters } : null;
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
