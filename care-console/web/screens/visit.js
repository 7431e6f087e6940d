// A new visit: diseases, and prescriptions with the availability of their medicines.

import { Problem, call, list } from "../api.js";
import { money, today } from "../formats.js";
import { follow } from "../live.js";
import { folded, meant } from "../names.js";
import { may } from "../scopes.js";
import { isAsTyped, steady } from "../steady.js";
import { sure } from "../ui/dialog.js";
import { combobox } from "../ui/combobox.js";
import { button, h, show, told } from "../ui/dom.js";
import { control, filled, form, grid } from "../ui/form.js";
import { lacks } from "../ui/lacks.js";
import { pill, stock } from "../ui/pill.js";
import { STOCK, W } from "../words.js";
import { called } from "./people.js";

/** @typedef {import("../contract.js").Stock} Stock */
/** @typedef {import("../contract.js").Item & { stock: Stock | undefined, folded: string }} Item */
/** @typedef {import("../contract.js").Consultation} Consultation */
/** @typedef {import("../ui/form.js").Control} Control */

const MOST = 30;

/** @param {import("../router.js").Place} place */
export async function visit({ node, signal, parameters: [id = ""], title, say, go, settle }) {
  const sending = /** @type {ReturnType<typeof steady<Consultation>>} */ (steady("visit " + id, say));
  const before = await sending.learn();
  if (before) {
    settle("date");
    return go("/visits/" + before.data.consultationId, W.visit.wasRecorded);
  }
  /** @type {{ data: import("../contract.js").Patient }} */
  const { data: patient } = await call("GET", "/patient/" + id, { signal });
  title(h("span", {}, W.visit.title, W.form.colon, called(patient)));
  /** @type {Item[]} */
  let items = [];
  const date = control({ name: "date", label: W.visit.date, kind: "day", value: today(), required: true });
  const diseases = rows({ add: W.visit.addDisease, make: disease });
  const prescriptions = rows({
    add: W.visit.addPrescription,
    make: (place) => prescription(place, () => items),
    grows: true,
  });
  /** Names outside the inventory that may be prescribed: they are asked about once. @type {Set<string>} */
  const agreed = new Set();
  const { node: editor } = form({
    grow(names) {
      diseases.reach(names.filter((name) => name === "disease").length);
      prescriptions.reach(names.filter((name) => name === "medicine").length);
    },
    children: [
      h("section", { class: "card" }, h("h2", {}, W.visit.diseases), diseases.node),
      h("section", { class: "card" }, h("h2", {}, W.visit.prescriptions), prescriptions.node),
      h("div", { class: "grid" }, date.node),
    ],
    controls: () => [...diseases.controls(), ...prescriptions.controls(), date],
    go: W.visit.record,
    async submit() {
      const body = {
        patientId: patient.patientId,
        date: date.value(),
        diseases: diseases.entries().map((entry) => entry["disease"]),
        prescriptions: prescriptions.entries(),
      };
      if (!(await isMeant(body, agreed, signal))) return;
      const made = await sending.make("/consultations", body);
      go("/visits/" + made.data.consultationId, isAsTyped(made, body) ? W.visit.recorded : W.visit.wasRecorded);
    },
  });
  diseases.add();
  prescriptions.add();

  async function stocked() {
    items = await read(items.length > 0, signal);
    prescriptions.refresh();
  }
  node.append(lacks("inventory:read"), editor);
  // A key without access to the inventory can still prescribe.
  if (!may("inventory:read")) return;
  await stocked().catch(() => {});
  follow(() => stocked().catch(() => {}), signal, ["Inventory", "Stock", "Movement"]);
}

/** The inventory, with the stock of what is tracked. @param {boolean} quiet @param {AbortSignal} signal */
async function read(quiet, signal) {
  const items = /** @type {import("../contract.js").Item[]} */ ((await list("/inventory", { signal, quiet })).items);
  const stocks = /** @type {Stock[]} */ ((await list("/stock", { signal, quiet })).items);
  const units = new Map(stocks.map((stock) => [stock.medicine, stock]));
  return items.map((item) => ({ ...item, stock: units.get(item.medicine), folded: folded(item.medicine) }));
}

/** What a medicine is shown with: its units where they are tracked. @param {Item} item */
const described = (item) => [
  stock(item.isAvailable),
  " ",
  told([item.stock && units(item.stock), item.dosage, money(item.price, item.currency)].filter(Boolean).join(", ")),
];

/** @param {Stock} stock */
const units = ({ available, unit }) => STOCK.units(Number(available), unit);

/**
 * Asks before a visit is recorded that was hardly meant, for a recorded visit stays: one with nothing in it, and
 * one with a medicine that the inventory does not know.
 * @param {{ diseases: unknown[], prescriptions: Record<string, unknown>[] }} visit
 * @param {Set<string>} agreed names that were asked about before @param {AbortSignal} signal
 */
async function isMeant({ diseases, prescriptions }, agreed, signal) {
  if (diseases.length + prescriptions.length === 0)
    return sure(W.visit.sureEmpty, W.visit.sureEmptyDetail, W.visit.record, signal);
  const names = prescriptions.map((one) => String(one["medicine"] ?? "")).filter((name) => name && !agreed.has(name));
  const known = await Promise.all(names.map(isKnown));
  const unknown = [...new Set(names.filter((_, place) => !known[place]))];
  if (unknown.length === 0) return true;
  const isMeant = await sure(W.visit.sureUnknown(unknown), W.visit.sureUnknownDetail, W.visit.prescribeUnknown, signal);
  if (isMeant) unknown.forEach((name) => agreed.add(name));
  return isMeant;
}

/** Whether the inventory has the medicine. A key without access to it cannot know, and is not asked. @param {string} name */
async function isKnown(name) {
  if (!may("inventory:read")) return true;
  try {
    await call("GET", "/inventory/" + encodeURIComponent(name), { quiet: true });
    return true;
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 400)) return false;
    throw error;
  }
}

/**
 * @typedef {object} Row
 * @property {HTMLElement} node
 * @property {(place: number) => Control[]} controls with the names that the service gives to them in this place
 * @property {(place: number) => void} [number]
 * @property {() => Record<string, unknown> | undefined} entry what was entered, if anything
 * @property {() => void} [refresh]
 */

/**
 * Rows that can be added and removed.
 * @param {{ add: string, make: (place: number) => Row, grows?: boolean }} options whether the last row, once something
 * is entered there, is followed by another
 */
function rows({ add: label, make, grows = false }) {
  /** @type {Row[]} */
  let all = [];
  const place = h("div", { class: "rows" });
  const more = button(label, () => add()?.controls(0)[0]?.input.focus(), { class: "quiet" });
  const renumber = () => {
    all.forEach((row, number) => row.number?.(number + 1));
    // The only row has nothing to be removed from.
    for (const remove of place.querySelectorAll(":scope > .row > button"))
      remove.toggleAttribute("hidden", all.length === 1);
  };

  function add() {
    if (all.length >= MOST) return undefined;
    const row = make(all.length + 1);
    const remove = button(
      W.visit.remove,
      () => {
        all = all.filter((other) => other !== row);
        wrap.remove();
        renumber();
        more.focus();
      },
      { class: "quiet", "aria-label": W.visit.removeNth(row.node.dataset.name ?? "") },
    );
    const wrap = h("div", { class: "row" }, row.node, remove);
    all.push(row);
    place.append(wrap);
    renumber();
    if (grows) wrap.addEventListener("input", () => row === all.at(-1) && row.entry() !== undefined && add());
    return row;
  }
  /** The rows that are not empty. The service numbers only these. */
  const used = () => all.filter((row) => row.entry() !== undefined);
  return {
    node: h("div", {}, place, more),
    add,
    /** Adds rows until there are this many. @param {number} count */
    reach(count) {
      while (all.length < count && add());
    },
    controls: () => used().flatMap((row, number) => row.controls(number)),
    entries: () => used().map((row) => row.entry() ?? {}),
    refresh: () => all.forEach((row) => row.refresh?.()),
  };
}

/** Goes on with Enter: a recorded visit stays, so no field in a row records it. @param {KeyboardEvent} event */
function goOn(event) {
  const { key, target: field } = event;
  if (key !== "Enter" || event.isComposing || event.defaultPrevented || !(field instanceof HTMLInputElement)) return;
  event.preventDefault();
  const inputs = [...(field.form?.querySelectorAll("input") ?? [])].filter((one) => one.checkVisibility());
  inputs[inputs.indexOf(field) + 1]?.focus();
}

/** @param {number} place @returns {Row} */
function disease(place) {
  const field = control({ name: "disease", label: W.visit.disease(place) });
  field.node.dataset.name = W.visit.disease(place);
  field.node.addEventListener("keydown", goOn);
  return {
    node: field.node,
    number: (number) => void (field.node.querySelector("label") ?? field.node).replaceChildren(W.visit.disease(number)),
    controls: (number) => [{ ...field, name: `diseases[${number}]` }],
    entry: () => (field.value() === undefined ? undefined : { disease: field.value() }),
  };
}

/** @param {number} place @param {() => Item[]} items @returns {Row} */
function prescription(place, items) {
  const { columns } = W.prescription;
  const medicine = control({ name: "medicine", label: W.visit.medicine, wide: true });
  const quantity = control({ name: "quantity", label: STOCK.quantity, kind: "whole" });
  const seldom = [
    control({ name: "price", label: columns.price, kind: "whole" }),
    control({ name: "currency", label: columns.currency }),
    control({ name: "isRegular", label: columns.isRegular, kind: "check" }),
  ];
  const more = h("details", { class: "wide" }, h("summary", {}, W.visit.more), grid(seldom));
  const often = [quantity, control({ name: "dosage", label: columns.dosage, hint: W.visit.dosageHint })];
  /** A fault must be seen. @param {Control} one @returns {Control} */
  const unfolding = (one) => ({
    ...one,
    fault(text) {
      if (text !== "") more.open = true;
      one.fault(text);
    },
  });
  const controls = [medicine, ...often, ...seldom.map(unfolding)];
  const state = h("p", { class: "availability", role: "status" });
  const legend = h("legend", {}, W.visit.nth(place));
  const node = h(
    "fieldset",
    { "data-name": W.visit.nth(place), onkeydown: goOn },
    legend,
    h(
      "div",
      { class: "grid" },
      medicine.node,
      state,
      often.map((one) => one.node),
      more,
    ),
  );

  /** Returns the inventory item of this medicine, however its name is spelled. */
  function chosen() {
    const wanted = folded(medicine.input.value);
    return items().find((one) => one.folded === wanted);
  }

  function refresh() {
    const item = chosen();
    if (medicine.input.value.trim() === "" || !may("inventory:read")) return show(state);
    if (!item) return show(state, h("span", { class: "muted" }, W.visit.unknownMedicine));
    const few = item.stock && Number(quantity.value() ?? 0) > Number(item.stock.available) ? item.stock : undefined;
    show(state, described(item), " ", few && pill(W.visit.tooFew(units(few)), "warn"));
  }
  combobox(medicine, (text, most) =>
    meant(items(), text, most).map((item) => ({
      value: item.medicine,
      shown: [told(item.medicine), " ", ...described(item)],
    })),
  );
  medicine.input.addEventListener("input", refresh);
  quantity.input.addEventListener("input", refresh);
  return {
    node,
    refresh,
    number: (number) => show(legend, W.visit.nth(number)),
    controls: (number) => controls.map((one) => ({ ...one, name: `prescriptions[${number}].${one.name}` })),
    entry() {
      const entered = filled(controls);
      if (Object.keys(entered).length === 0) return undefined;
      return { ...entered, medicine: chosen()?.medicine ?? entered["medicine"] };
    },
  };
}
