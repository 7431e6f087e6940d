// A new visit: diseases, and prescriptions with the availability of their medicines.

import { Problem, call, read } from "../api.js";
import { today } from "../formats.js";
import { MOST, medicines, watch } from "../medicines.js";
import { meant } from "../names.js";
import { may } from "../scopes.js";
import { isAsTyped, steady } from "../steady.js";
import { sure } from "../ui/dialog.js";
import { button, h, show, told } from "../ui/dom.js";
import { begin, control, filled, form, grid } from "../ui/form.js";
import { lacks } from "../ui/lacks.js";
import { naming } from "../ui/naming.js";
import { pill, stock } from "../ui/pill.js";
import { STOCK, W } from "../words.js";
import { priceFields, priced } from "./prices.js";
import { allergies, called, present } from "./who.js";

/** @typedef {import("../contract.js").Stock} Stock */
/** @typedef {import("../medicines.js").Medicine} Item */
/** @typedef {import("../contract.js").Consultation} Consultation */
/** @typedef {import("../ui/form.js").Control} Control */

const MOST_ROWS = 30;

/** @param {import("../router.js").Place} place */
export async function visit({ node, signal, parameters: [id = ""], title, say, go, settle }) {
  const sending = /** @type {ReturnType<typeof steady<Consultation>>} */ (steady("visit " + id, say));
  const before = await sending.learn();
  if (before) {
    settle("visit");
    return go("/visits/" + before.data.consultationId, W.visit.wasRecorded);
  }
  // A key without access to patients can prescribe for the one whose number it was told.
  /** @type {{ data: import("../contract.js").Patient, tag?: string }} */
  const { data: patient, tag } = may("patient:read")
    ? await call("GET", "/patient/" + id, { signal })
    : { data: { patientId: /** @type {number} */ (read(id)) } };
  title(h("span", {}, W.visit.title, W.form.colon, called(patient)));
  // Where medicines are chosen, the allergies stand once more.
  const warned = h("div", {}, allergies(patient));
  const person = present(patient, signal, (now) => show(warned, allergies(now)));
  const date = control({ name: "date", label: W.visit.date, kind: "day", value: today(), required: true });
  const diseases = rows({ add: W.visit.addDisease, make: disease });
  const prescriptions = rows({
    add: W.visit.addPrescription,
    make: prescription,
    grows: true,
  });
  /** Names outside the inventory that may be prescribed: they are asked about once. @type {Set<string>} */
  const agreed = new Set();
  const { node: editor } = form({
    id: "visit",
    tag: () => tag,
    grow(names) {
      diseases.reach(names.filter((name) => name === "disease").length);
      prescriptions.reach(names.filter((name) => name === "medicine").length);
    },
    children: [
      h("section", { class: "card" }, h("h2", {}, W.visit.diseases), diseases.node),
      h("section", { class: "card" }, h("h2", {}, W.visit.prescriptions), warned, prescriptions.node),
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
      const place = may("history:read", "patient:read", "prescriptions:read")
        ? `/visits/${made.data.consultationId}`
        : "/today";
      go(place, isAsTyped(made, body) ? W.visit.recorded : W.visit.wasRecorded);
    },
  });
  diseases.add();
  prescriptions.add();

  node.append(person, lacks("inventory:read"), editor);
  begin(diseases.first());
  // A key without access to the inventory can still prescribe.
  if (may("inventory:read")) watch(prescriptions.refresh, signal);
}

/** What a medicine is shown with: its units where they are tracked. @param {Item} item */
const described = (item) => [
  stock(item.isAvailable),
  " ",
  told([item.stock && units(item.stock), item.dosage, priced(item.price, item.currency)].filter(Boolean).join(", ")),
];

/** @param {Stock} stock */
const units = ({ available, unit }) => STOCK.units(Number(available), unit);

/**
 * Asks before a visit is recorded that was hardly meant, for a recorded visit stays: one with nothing in it, and
 * one with a medicine that the inventory does not know, or of which the key cannot learn whether it does.
 * @param {{ diseases: unknown[], prescriptions: Record<string, unknown>[] }} visit
 * @param {Set<string>} agreed names that were asked about before @param {AbortSignal} signal
 */
async function isMeant({ diseases, prescriptions }, agreed, signal) {
  if (diseases.length + prescriptions.length === 0)
    return sure(W.visit.sureEmpty, W.visit.sureEmptyDetail, W.visit.record, signal);
  const all = [...new Set(prescriptions.map((one) => String(one["medicine"] ?? "")).filter(Boolean))];
  const names = all.filter((name) => !agreed.has(name));
  const isBlind = !may("inventory:read");
  const known = isBlind ? [] : await Promise.all(names.map(isKnown));
  if (names.every((_, place) => known[place])) return true;
  const unknown = isBlind ? all : names.filter((_, place) => !known[place]);
  const question = isBlind ? W.visit.sureUnseen(unknown) : W.visit.sureUnknown(unknown);
  const isMeant = await sure(question, W.visit.sureUnknownDetail, W.visit.prescribeUnknown, signal);
  if (isMeant) unknown.forEach((name) => agreed.add(name));
  return isMeant;
}

/** Whether the inventory has the medicine. @param {string} name */
async function isKnown(name) {
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
    if (all.length >= MOST_ROWS) return undefined;
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
    first: () => all[0]?.controls(0)[0],
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

/** @param {number} place @returns {Row} */
function prescription(place) {
  const { columns } = W.prescription;
  const medicine = control({ name: "medicine", label: W.visit.medicine, wide: true });
  const quantity = control({ name: "quantity", label: STOCK.quantity, kind: "whole" });
  const seldom = [...priceFields({}), control({ name: "isRegular", label: columns.isRegular, kind: "check" })];
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

  const names = () => ({ items: medicines().items, isAll: medicines().extent === "all" });
  const name = naming(medicine, {
    names,
    detail: described,
    unknown: () => (names().isAll ? W.visit.unknownMedicine : ""),
    isFree: true,
    next: () => quantity.input.focus(),
    left: refresh,
  });

  function refresh() {
    name.refresh();
    const { items, extent } = medicines();
    const { value } = medicine.input;
    const item = name.whole();
    // What is part of a name is on the way to it. What is said at the field is not said again.
    const isPart = !item && (value.trim() === "" || meant(items, value, 1).length > 0);
    const isSaid = medicine.input.hasAttribute("aria-invalid");
    if (isPart || isSaid || !may("inventory:read")) return show(state);
    const { reading, noneOf } = W.inventory;
    const unknown = { all: W.visit.unknownMedicine, some: reading, first: noneOf(MOST) }[extent];
    if (!item) return show(state, h("span", { class: "muted" }, unknown));
    const few = item.stock && Number(quantity.value() ?? 0) > Number(item.stock.available) ? item.stock : undefined;
    show(state, described(item), " ", few && pill(W.visit.tooFew(units(few)), "warn"));
  }
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
      return { ...entered, medicine: name.whole()?.medicine ?? entered["medicine"] };
    },
  };
}
