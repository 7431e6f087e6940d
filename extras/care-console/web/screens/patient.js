// One patient: the profile, the history, the prescriptions and the invoices.

import { call, list, write } from "../api.js";
import { day, money, phone } from "../formats.js";
import { follow } from "../live.js";
import { may } from "../scopes.js";
import { h, link, show, told } from "../ui/dom.js";
import { cut, lacks } from "../ui/lacks.js";
import { pill } from "../ui/pill.js";
import { refusal } from "../ui/problem.js";
import { dated, table } from "../ui/table.js";
import { DESK, SPEECH, W } from "../words.js";
import { remember } from "./people.js";
import { prescriptions } from "./prescriptions.js";
import { toBill, toVisit } from "./visit_of.js";
import { called, who } from "./who.js";

/** @typedef {import("../contract.js").Patient} Patient */
/** @typedef {import("../contract.js").ListedInvoice} ListedInvoice */
/** @typedef {import("../contract.js").Consultation} Consultation */

/** The numbers of visits and of invoices that are listed. */
const MOST = 2000;
const BILLS = 200;

const FIELDS = /** @type {const} */ ([
  "birthDate",
  "age",
  "gender",
  "weight",
  "phone",
  "email",
  "address",
  "location",
  "insurance",
  "lastvisit",
]);

/** @param {import("../router.js").Place} place */
export async function patient({ node, signal, parameters: [id = ""], title, say, go }) {
  const at = "/patients/" + id;
  const person = h("div", {});
  const profile = section(W.patient.profile);
  const past = section(W.patient.history);
  const seenAt = section(W.patient.allVisits);
  const prescribed = section(W.patient.prescriptions);
  const billed = section(W.patient.invoices);

  async function readProfile() {
    const { data } = /** @type {{ data: Patient }} */ (await call("GET", "/patient/" + id, { signal }));
    title(
      called(data),
      may("prescriptions:write") && link(at + "/visit", W.patient.visit, { class: "button" }),
      may("patient:write") && link(at + "/edit", W.patient.edit, { class: "button quiet" }),
    );
    show(person, who(data));
    remember(data);
    show(profile.content, facts(data));
  }
  const open = await prescriptions({ id, signal, say, go, refresh: () => readAll() });
  prescribed.content.append(open.node);
  const visits = visited();
  const cutVisits = cut();
  seenAt.content.append(cutVisits, visits.node);
  const invoices = bills();
  const cutBills = cut(DESK.bills.count(BILLS, true));
  billed.content.append(cutBills, invoices.node);
  if (may("invoice:read")) billed.node.append(h("p", {}, link(`/bills?state=all&patient=${id}`, W.screens.bills)));

  let seen = "";

  /** @type {Consultation[]} */
  let made = [];

  /** Reads the lists, and returns whether one has changed. */
  async function readLists() {
    /** @type {unknown[]} */
    let bills = [];
    await Promise.all([
      guard(seenAt, "history:read", async () => {
        const query = { patientId: id };
        const { items, more } = await list("/consultations", { query, signal, most: MOST, quiet: seen !== "" });
        cutVisits.hidden = !more;
        made = /** @type {Consultation[]} */ (items).reverse();
        visits.update(made, { flash: true });
      }),
      guard(prescribed, "prescriptions:read", open.read),
      guard(billed, "invoice:read", async () => {
        const query = { patientId: id, newest: true };
        const { items, more } = await list("/invoice", { query, signal, most: BILLS, quiet: seen !== "" });
        bills = items.reverse();
        cutBills.hidden = !more;
        invoices.update(/** @type {ListedInvoice[]} */ (bills), { flash: true });
      }),
    ]);
    const now = write([made, open.shown(), bills]);
    const isNew = now !== seen;
    seen = now;
    return isNew;
  }

  async function readAll() {
    await readProfile();
    await readLists();
    // The history has the diseases of completed visits alone.
    const isIll = made.some((one) => one.diseases.length > 0);
    await guard(past, "history:read", async () => show(past.content, await history(id, isIll, signal)));
  }

  /** Reads the records only when a list has changed: where reads are audited, each read makes news. */
  async function refresh() {
    if (await readLists()) await readAll();
  }
  node.append(
    person,
    lacks("patient:write", "prescriptions:write", "invoice:write"),
    h("div", { class: "columns" }, profile.node, past.node),
    seenAt.node,
    prescribed.node,
    billed.node,
  );
  await readAll();
  const kinds = ["Patient", "History", "Consultation", "Prescription", "Invoice", "Receipt", "Inventory", "Stock"];
  // Without the kinds, a read that is written down may be the news.
  follow((_, changed) => (changed ? readAll() : refresh()).catch(() => {}), signal, kinds);
}

/** @param {string} name */
function section(name) {
  const content = h("div", {});
  return { content, node: h("section", { class: "card" }, h("h2", {}, name), content) };
}

/**
 * Shows the reason for a missing part in its place.
 * @param {{ content: HTMLElement }} part @param {import("../scopes.js").Scope} scope @param {() => Promise<void>} read
 */
async function guard(part, scope, read) {
  if (!may(scope)) return show(part.content, h("p", { class: "muted" }, W.patient.hidden));
  try {
    await read();
  } catch (error) {
    if (part.content.isConnected) show(part.content, refusal(error));
  }
}

/** @param {Patient} patient */
function facts(patient) {
  const written = {
    insurance: patient.insurance === undefined ? undefined : patient.insurance ? W.form.yes : W.form.no,
    birthDate: patient.birthDate && day(patient.birthDate),
    lastvisit: patient.lastvisit && day(patient.lastvisit),
    phone: patient.phone && phone(patient.phone),
  };
  const known = FIELDS.map((name) => [W.patient.fields[name], { ...patient, ...written }[name]]).filter(
    ([, value]) => value !== undefined,
  );
  return h(
    "dl",
    { class: "facts" },
    [[W.patient.fields.patientId, String(patient.patientId)], ...known]
      .map(([label, value]) => [h("dt", {}, String(label)), h("dd", {}, told(value))])
      .flat(),
  );
}

/**
 * The diseases on record and the number of visits.
 * @param {string} id @param {boolean} isIll whether a visit has a disease @param {AbortSignal} signal
 */
async function history(id, isIll, signal) {
  /** @type {{ data: import("../contract.js").History }} */
  const { data } = await call("GET", "/history/" + id, { signal });
  return past(data, isIll);
}

/** @param {import("../contract.js").History} data @param {boolean} [isIll] whether a disease is known from elsewhere */
export function past(data, isIll = false) {
  const diseases = (data.history ?? []).flatMap((entry) => Object.values(entry));
  const visits = Number(data.visits ?? 0);
  const counted = data.lastvisit ? W.patient.visitsUntil(visits, day(data.lastvisit)) : W.patient.visits(visits);
  const medicine = [data.medicine, data.dosage].filter(Boolean).join(", ");
  return h(
    "div",
    { class: "past" },
    h("p", {}, counted),
    data.medicine && h("p", { class: "muted" }, W.patient.lastMedicine, W.form.colon, told(medicine)),
    diseases.length === 0
      ? !isIll && h("p", { class: "muted" }, W.patient.noHistory)
      : h(
          "ol",
          { class: "diseases" },
          diseases.reverse().map((disease) => h("li", {}, told(disease))),
        ),
  );
}

function visited() {
  const none = W.patient.visits(0);
  return table({
    caption: W.patient.allVisits,
    none,
    key: (/** @type {Consultation} */ visit) => String(visit.consultationId),
    columns: [
      { label: W.visit.of, cell: toVisit },
      { label: W.visit.diseases, cell: (visit) => told(SPEECH.list(visit.diseases) || W.form.none), kind: "wide" },
      {
        label: W.bills.columns.state,
        cell: ({ state }) => pill(W.visit.state[state], state === "open" ? "warn" : "calm"),
      },
    ],
  });
}

function bills() {
  const { columns } = W.bills;
  return table({
    caption: W.patient.invoices,
    none: W.patient.noInvoices,
    key: (/** @type {ListedInvoice} */ invoice) => String(invoice.invoiceId),
    columns: [
      {
        label: columns.id,
        cell: (invoice) => toBill(invoice.invoiceId),
      },
      { label: columns.medicine, cell: (invoice) => told(invoice.medicine), kind: "wide" },
      { label: columns.date, cell: (invoice) => dated(invoice.invoiceDate) },
      { label: columns.price, cell: (invoice) => money(invoice.price, invoice.currency), kind: "number" },
      {
        label: columns.state,
        cell: (invoice) => pill(W.bill.states[invoice.state], invoice.state === "paid" ? "calm" : "warn"),
      },
    ],
  });
}
