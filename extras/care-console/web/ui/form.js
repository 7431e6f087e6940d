// Forms. Faults stand at their fields, whether this page or the service finds them.

import { Problem } from "../api.js";
import { inWords, isDay, later, latin, phone, today, written } from "../formats.js";
import { W } from "../words.js";
import { h, inBox, show, told, unique } from "./dom.js";
import { keep } from "../drafts.js";
import { refusal } from "./problem.js";

/** @typedef {import("../formats.js").DayKind} DayKind */
/**
 * @typedef {object} Field
 * @property {string} name as the service calls it
 * @property {string} label
 * @property {"text" | "lines" | "whole" | "number" | "phone" | DayKind | "currency" | "check"} [kind] a last day may be given as a month
 * @property {unknown} [value] what it begins with
 * @property {boolean} [required]
 * @property {string} [hint]
 * @property {boolean} [wide]
 * @property {boolean} [fixed] shown, and not to be changed
 * @property {string} [of] what tells it from the fields of the same name
 */

/** @typedef {{ name: string, node: HTMLElement, input: HTMLInputElement, value: () => unknown, first: unknown,
 *   put: (value: unknown) => void, fault: (text: string, language?: string) => void, kind: Field["kind"], label: string,
 *   said?: (value: unknown) => string, wrong?: () => string }} Control why it is not sent, beyond its kind */

/** Returns the kind of a field for days. @param {Field["kind"]} kind @returns {DayKind | undefined} */
const dayKind = (kind) => (kind === "day" || kind === "lastDay" || kind === "birthDay" ? kind : undefined);

/**
 * One field with its label, its hint and the place of its fault.
 * @param {Field} field
 * @returns {Control}
 */
export function control({ name, label, kind = "text", value, required, hint, wide, fixed, of }) {
  const id = unique();
  const isCheck = kind === "check";
  const days = dayKind(kind);
  const isDate = days !== undefined;
  const isPhone = kind === "phone";
  const mode = kind === "whole" ? "numeric" : kind === "number" ? "decimal" : isPhone ? "tel" : undefined;
  const fault = h("span", { class: "fault", id: id + "f" });
  const help = kind === "day" ? W.form.dayHint : kind === "lastDay" ? W.form.lastDayHint : isPhone ? "" : hint;
  const live = isDate || isPhone ? "polite" : undefined;
  const note = help === undefined ? undefined : h("span", { class: "hint", id: id + "h", "aria-live": live }, help);
  const described = [note === undefined ? "" : id + "h", id + "f"].join(" ").trim();
  const isLong = kind === "lines";
  /** @type {Record<string, unknown>} */
  const attributes = {
    id,
    name,
    type: isLong ? undefined : isCheck ? "checkbox" : "text",
    rows: isLong ? 2 : undefined,
    inputmode: mode,
    autocomplete: "off",
    readonly: fixed,
    required,
    "aria-describedby": described,
    "data-of": of,
  };
  const input = isLong
    ? /** @type {HTMLInputElement} */ (/** @type {unknown} */ (h("textarea", attributes)))
    : h("input", attributes);
  const title = h("label", { for: id }, label);
  const node = h(
    "div",
    { class: ["field", isCheck && "check", isDate && "day", wide && "wide"].filter(Boolean).join(" ") },
    isCheck ? [input, title] : [title, days ? h("div", { class: "day" }, input, calendar(input, days)) : input],
    note,
    fault,
  );
  /** @param {unknown} given */
  const put = (given) => {
    if (isCheck) input.checked = given === true;
    else input.value = given === undefined || given === null ? "" : String(given);
    echo();
  };
  /** Repeats a day in words, so that its month cannot be taken for its date, and a phone number as it is stored. */
  function echo() {
    const day = days && written(input.value, days);
    const given = isPhone ? typed(input, kind) : "";
    const isPhoned = typeof given === "number" || typeof given === "bigint";
    const said = day !== undefined ? inWords(day) : isPhoned ? W.form.phoneAs(phone(given)) : help;
    if (note) note.textContent = said ?? "";
  }
  if (note && live) input.addEventListener("input", echo);
  // A fault goes with what it was found in.
  input.addEventListener("input", () => complain(""));
  put(value);
  /** @param {string} text @param {string} [language] */
  function complain(text, language) {
    fault.textContent = text;
    language === undefined ? fault.removeAttribute("lang") : fault.setAttribute("lang", language);
    text === "" ? input.removeAttribute("aria-invalid") : input.setAttribute("aria-invalid", "true");
  }
  return {
    name,
    node,
    input,
    kind,
    label,
    put,
    first: value,
    value: () => typed(input, kind),
    fault: complain,
  };
}

/** How far a key goes in a calendar, in days and months. @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [1, 0], ArrowDown: [-1, 0], PageUp: [0, 1], PageDown: [0, -1] };

/**
 * The browser's calendar for a field. In the field the arrow keys go on by a day, and those for pages by a month.
 * @param {HTMLInputElement} input @param {DayKind} kind
 */
function calendar(input, kind) {
  const day = () => written(input.value, kind);
  // Its own form is none: what stands in it is nothing to send or to keep.
  const picker = h("input", { type: "date", tabindex: -1, "aria-hidden": "true", form: "none", class: "picker" });
  /** @param {string} next */
  function take(next) {
    input.value = next;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
  picker.addEventListener("change", () => {
    if (picker.value !== "") take(picker.value.split("-").reverse().join("/"));
    input.focus();
  });
  input.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const from = day();
    take(from === undefined ? today() : later(from, ...step));
  });
  const open = h("button", { type: "button", class: "quiet", tabindex: -1, "aria-label": W.form.calendar }, "▾");
  open.addEventListener("click", () => {
    picker.value = (day() ?? "").split("/").reverse().join("-");
    picker.showPicker();
  });
  return [picker, open];
}

/** The currencies of signs that stand for one alone. @type {Record<string, string>} */
const SIGNS = { "€": "EUR", "£": "GBP", "₹": "INR" };

/** Returns a phone number without what people write between its digits, and the zero in brackets behind a country. @param {string} text */
const bare = (text) =>
  latin(text)
    .replace(/^(\s*(?:\+|00)\s*\d{1,3}\s*)\(0\)/, "$1")
    .replace(/^\s*\+|[\s().\p{Pd}]/gu, "");

/**
 * Returns the value of a field: `undefined` when it is empty, and the text as it stands when it is no number or no day
 * and should be one.
 * @param {HTMLInputElement} input @param {Field["kind"]} kind
 */
function typed(input, kind) {
  if (kind === "check") return input.checked;
  const isText = kind === "text" || kind === "lines" || kind === undefined;
  const days = dayKind(kind);
  const text = isText ? input.value : kind === "phone" ? bare(input.value) : latin(input.value.trim());
  if (text === "") return undefined;
  if (kind === "currency") return SIGNS[text] ?? text.toUpperCase();
  if (days) return written(text, days) ?? text;
  if ((kind === "whole" || kind === "phone") && /^-?\d{1,19}$/.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  }
  // A comma before three digits may group thousands.
  if (kind === "number" && /^-?\d+(\.\d+|,\d{1,2}|,\d{4,})?$/.test(text)) return Number(text.replace(",", "."));
  return text;
}

/** Returns the values of all fields that are not empty. @param {Control[]} controls @returns {Record<string, unknown>} */
export function filled(controls) {
  const given = controls.map((control) => [control.name, control.value()]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== false));
}

/** Lays fields out in as many columns as the width allows. @param {Control[]} controls */
export const grid = (controls) =>
  h(
    "div",
    { class: "grid" },
    controls.map((control) => control.node),
  );

/** Returns the values that differ from the first ones; `null` for a field that was emptied. @param {Control[]} controls */
export function changes(controls) {
  /** @type {Record<string, unknown>} */
  const changed = {};
  for (const control of controls) {
    const value = control.value();
    const isSame = control.kind === "check" ? value === (control.first === true) : value === control.first;
    if (!isSame && !control.input.readOnly) changed[control.name] = value ?? null;
  }
  return changed;
}

/** Shows the fault of each field that cannot be sent, and returns the first of these fields. @param {Control[]} controls */
function misread(controls) {
  const wrong = controls.filter((control) => {
    const value = control.value();
    const isWord = typeof value === "string";
    const wrong = control.wrong?.() ?? "";
    const days = dayKind(control.kind);
    if (wrong !== "") control.fault(wrong);
    else if ((control.kind === "whole" || control.kind === "phone") && isWord) control.fault(W.form.whole);
    else if (control.kind === "number" && isWord) control.fault(W.form.number);
    else if (days && isWord && !written(value, days))
      control.fault(isDay(value, days) ? W.form.noDay : days === "birthDay" ? W.form.birthDay : W.form.day);
    else if (control.input.required && value === undefined) control.fault(W.form.needed);
    else return false;
    return true;
  });
  return wrong[0];
}

/**
 * A form. With an `id` it keeps what is typed into it as a draft.
 * @param {object} options
 * @param {import("./dom.js").Child[]} options.children what is in it
 * @param {() => Control[]} options.controls its fields, as they are now
 * @param {string} options.go the label of its button
 * @param {() => Promise<void>} options.submit
 * @param {import("./dom.js").Child[]} [options.more] beside the button
 * @param {import("../drafts.js").Kept | undefined} options.id nothing where what is typed only chooses what is shown, or is
 * a secret
 * @param {boolean} [options.isFilter] whether it chooses what is shown
 * @param {(names: string[]) => void} [options.grow] adds the rows that fields with these names need
 * @param {() => string | undefined} [options.tag] that of the record which is edited
 * @param {Control} [options.about] the field that says whom or what a new record is about
 * @param {(late: HTMLInputElement[] | undefined) => void} [options.late] shows what others have stored in these fields of a draft
 */
export function form({ children, controls, go, submit, id, more = [], isFilter = false, about, ...how }) {
  const trouble = h("div", {});
  const send = h("button", { type: "submit", class: "primary" }, go);
  let isBusy = false;
  const node = h(
    "form",
    { novalidate: true, "data-form": id, onsubmit: onSubmit },
    children,
    trouble,
    h("div", { class: "actions" }, send, more),
  );

  const forget = id === undefined ? () => {} : keep(node, { id, about: about?.input, ...how });
  if (isFilter) node.classList.add("filters");
  // Enter may go on from field to field; with Ctrl it sends the form from each of them.
  node.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation();
      node.requestSubmit();
    },
    true,
  );

  /** @param {Event} event */
  async function onSubmit(event) {
    event.preventDefault();
    if (isBusy) return;
    show(trouble);
    controls().forEach((control) => control.fault(""));
    const wrong = misread(controls());
    if (wrong) return wrong.input.focus();
    isBusy = true;
    node.setAttribute("aria-busy", "true");
    try {
      await submit();
      forget();
    } catch (error) {
      complain(error);
    } finally {
      isBusy = false;
      node.removeAttribute("aria-busy");
    }
  }

  /** @param {unknown} error */
  function complain(error) {
    const { errors: faults, language } = error instanceof Problem ? error : { errors: [], language: undefined };
    const at = (/** @type {string} */ field) => controls().find((control) => control.name === field);
    const placed = faults.filter((fault) => at(fault.field));
    placed.forEach((fault) => at(fault.field)?.fault(fault.detail, language));
    const isWhole = placed[0] && placed.length === faults.length;
    show(trouble, isWhole ? h("p", { class: "refusal", role: "alert" }, W.problem.fields) : refusal(error));
    if (placed[0] && !inBox()) at(placed[0].field)?.input.focus();
  }
  return { node, complain, trouble };
}

/** Begins a page in its first field, unless the focus has gone elsewhere. @param {Control | undefined} control */
export const begin = (control) => document.activeElement?.matches("h1, body") && control?.input.focus();

/** A choice among texts, each with its value. @param {string} name @param {string} label @param {string[][]} options */
export function choice(name, label, options) {
  const id = unique();
  const select = h(
    "select",
    { id, name },
    options.map(([value, text]) => h("option", { value }, told(text))),
  );
  return { select, node: h("div", { class: "field" }, h("label", { for: id }, label), select) };
}

/**
 * A choice that is edited as a field is.
 * @param {string} name @param {string} label @param {Record<string, string>} options each value with its text
 * @param {string} first
 * @returns {Control}
 */
export function chosen(name, label, options, first) {
  const { select, node } = choice(name, label, Object.entries(options));
  const input = /** @type {HTMLInputElement} */ (/** @type {unknown} */ (select));
  const put = (/** @type {unknown} */ value) => {
    select.value = String(value);
    select.dispatchEvent(new Event("change"));
  };
  put(first);
  const said = (/** @type {unknown} */ value) => options[String(value)] ?? String(value);
  return { name, node, input, kind: "text", label, put, first, value: () => select.value, fault() {}, said };
}
