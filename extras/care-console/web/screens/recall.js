// Who got a lot: what a recall needs.

import { Problem, call, list, once } from "../api.js";
import { day, number, phone, today } from "../formats.js";
import { follow } from "../live.js";
import { asked } from "../router.js";
import { may } from "../scopes.js";
import { fileDay, saveCsv } from "../ui/csv.js";
import { button, h, link, show, told } from "../ui/dom.js";
import { lacks } from "../ui/lacks.js";
import { refusal } from "../ui/problem.js";
import { dated, table } from "../ui/table.js";
import { DESK, STOCK, W } from "../words.js";
import { named, spelt } from "./shelf_forms.js";
import { toBill } from "./visit_of.js";
import { among, persons } from "./who.js";

/** @typedef {import("../contract.js").Invoice} Invoice */
/** @typedef {import("../contract.js").Movement} Movement */
/** @typedef {import("../contract.js").Stock} Stock */
/**
 * What was handed out on an invoice, less what came back. The patient's phone and allergies are those of today.
 * @typedef {{ id: string, day: string, units: number, invoice: (Invoice & import("./who.js").Marked) | undefined }} Handed
 */

/** The number of movements that are read, and of invoices that are asked for at once. */
const MOST = 2000;
const AT_ONCE = 6;

/** @param {import("../router.js").Place} place */
export async function recall({ node, signal, parameters: [medicine = "", lot = ""], title, say }) {
  const words = DESK.recall;
  const expires = asked().get("expires") ?? undefined;
  const which = named({ lot, ...(expires ? { expires } : {}) });
  const path = `/inventory/${encodeURIComponent(medicine)}`;
  /** @type {Handed[]} */
  let handed = [];
  title(
    told(words.title(which, medicine)),
    button(W.restock.csv, () => save(which, handed), { class: "quiet" }),
    button(W.restock.print, () => print(), { class: "quiet" }),
    link("/inventory/stock/" + encodeURIComponent(medicine), words.shelf, { class: "button quiet" }),
  );
  const lead = h("p", { class: "muted", role: "status" });
  const date = h("p", { class: "printed" }, DESK.expiring.list(day(today())));
  const sees = may("invoice:read");
  const rows = table({
    caption: words.caption,
    none: words.none,
    key: (/** @type {Handed} */ one) => one.id,
    columns: [
      {
        label: words.columns.invoice,
        cell: ({ id }) => toBill(id),
      },
      { label: words.columns.day, cell: (one) => dated(one.day) },
      ...(sees
        ? [
            { label: words.columns.patient, cell: (/** @type {Handed} */ one) => patient(one.invoice) },
            {
              label: words.columns.phone,
              cell: (/** @type {Handed} */ { invoice }) =>
                invoice?.phone === undefined ? W.form.none : phone(invoice.phone),
            },
          ]
        : []),
      { label: words.columns.units, cell: (one) => number(one.units), kind: "number" },
    ],
  });
  const known = persons(signal);
  const trouble = h("div", {});
  const keep = { text: "", key: "" };
  /** @param {() => Promise<void>} deed */
  const attempt = async (deed) => {
    show(trouble);
    await deed().catch((error) => show(trouble, refusal(error)));
  };
  /** Removes all of the lot that is on the shelf as recalled: each of its last days is a lot of its own. */
  async function removeAll() {
    const { data } = /** @type {{ data: Stock }} */ (await call("GET", path + "/stock", { signal }));
    for (const one of ofLot(data)) {
      const body = { kind: "removal", reason: "recalled", units: one.onHand, lot: one.lot, expires: one.expires };
      const text = JSON.stringify(body);
      if (keep.text !== text) Object.assign(keep, { text, key: once() });
      await call("POST", path + "/movements", { body, once: keep.key });
    }
    await read();
    say(STOCK.removed);
  }
  /** Holds the medicine back until it is known what is to become of it. */
  async function hold() {
    const { tag } = await call("GET", path + "/stock", { signal });
    await call("PUT", path + "/stock", { body: { held: true }, ifMatch: tag });
    await read();
    say(STOCK.held);
  }
  const remove = button(DESK.expiring.remove, () => attempt(removeAll), { class: "danger" });
  const held = button(STOCK.hold, () => attempt(hold));
  /** Whose they are does not change. @type {Map<string, Invoice | undefined>} */
  const invoices = new Map();

  async function read() {
    const query = { medicine, lot, expires };
    const { items, more } = await list("/movements", { query, signal, most: MOST, quiet: handed.length > 0 });
    const units = /** @type {Map<string, { day: string, units: number }>} */ (new Map());
    for (const { kind, invoiceId, ...one } of /** @type {Movement[]} */ (items)) {
      if (invoiceId === undefined || (kind !== "dispense" && kind !== "return")) continue;
      const before = units.get(String(invoiceId));
      units.set(String(invoiceId), { day: before?.day ?? one.day, units: (before?.units ?? 0) - one.units });
    }
    const fresh = sees ? [...units.keys()].filter((id) => !invoices.has(id)) : [];
    for (let at = 0; at < fresh.length; at += AT_ONCE)
      await Promise.all(fresh.slice(at, at + AT_ONCE).map(async (id) => invoices.set(id, await invoiceOf(id, signal))));
    const find = await known.of([...invoices.values()].filter((one) => one !== undefined));
    handed = [...units].reverse().map(([id, sum]) => {
      const invoice = invoices.get(id);
      const { phone = invoice?.phone, allergies } = (invoice && find(invoice)) ?? {};
      return { id, ...sum, invoice: invoice && { ...invoice, phone, allergies } };
    });
    rows.update(handed, { flash: true, isCut: more });
    const { unit, left, isHeld } = await onShelf();
    remove.hidden = left === 0 || !may("inventory:write");
    held.hidden = left === 0 || isHeld || !may("inventory:write");
    const out = STOCK.units(
      handed.reduce((sum, one) => sum + one.units, 0),
      unit,
    );
    const patients = new Set(
      handed.filter((one) => one.units > 0).map((one) => String(one.invoice?.patientId ?? one.id)),
    );
    const count = sees ? words.lead : words.leadUnnamed;
    lead.textContent = [count(out, patients.size, STOCK.units(left, unit)), more && words.more]
      .filter(Boolean)
      .join(" ");
  }

  /** What is still on the shelf of it. A medicine that is no longer tracked has no shelf. */
  async function onShelf() {
    try {
      const { data } = /** @type {{ data: Stock }} */ (await call("GET", path + "/stock", { signal, quiet: true }));
      return { unit: data.unit, left: ofLot(data).reduce((sum, one) => sum + one.onHand, 0), isHeld: data.held };
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return { unit: "", left: 0, isHeld: false };
      throw error;
    }
  }

  /** The lots on the shelf that are meant. @param {Stock} stock */
  const ofLot = ({ lots }) =>
    lots.filter((one) => spelt(one.lot) === spelt(lot) && (!expires || one.expires === expires));

  await read();
  node.append(lacks("invoice:read"), lead, date, h("div", { class: "actions" }, held, remove), trouble, rows.node);
  follow(() => read().catch(() => {}), signal, ["Stock", "Movement", "Patient"]);
}

/** @param {Handed["invoice"]} invoice */
const patient = (invoice) => (invoice ? among(invoice, { isLink: may("patient:read") }) : DESK.recall.unknown);

/** Nothing when the person was erased. @param {string} id @param {AbortSignal} signal */
async function invoiceOf(id, signal) {
  try {
    return /** @type {Invoice} */ ((await call("GET", "/invoice/" + id, { signal, quiet: true })).data);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  }
}

/** @param {string} which @param {Handed[]} handed */
function save(which, handed) {
  saveCsv(
    `recall-${fileDay(today())}`,
    ["lot", "invoiceId", "day", "patientId", "name", "phone", "units"],
    handed.map(({ id, day, units, invoice }) => [
      which,
      id,
      day,
      invoice?.patientId,
      invoice?.name,
      invoice?.phone,
      units,
    ]),
  );
}
