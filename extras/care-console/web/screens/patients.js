// Finding a patient while typing. Enter opens the only hit.

import { call, wasLeft } from "../api.js";
import { phone } from "../formats.js";
import { remembers } from "../memory.js";
import { may } from "../scopes.js";
import { button, h, link, told } from "../ui/dom.js";
import { control } from "../ui/form.js";
import { lacks } from "../ui/lacks.js";
import { refusal } from "../ui/problem.js";
import { dated, nothing, table } from "../ui/table.js";
import { DESK, W } from "../words.js";
import { taken } from "../typed.js";
import { people, similar } from "./people.js";
import { among } from "./who.js";

/** @typedef {import("../contract.js").Patient} Patient */

const SHOWN = 50;
/** The pause in typing after which a search is sent, in milliseconds. */
const PAUSE = 120;

/** The last search, shown again when the user comes back. */
let remembered = "";
remembers(() => (remembered = ""));

/** @param {import("../router.js").Place} place */
export async function patients({ node, signal, title, go }) {
  title(W.screens.patients, may("patient:write") && link("/patients/new", W.patients.register, { class: "button" }));
  const search = control({
    name: "search",
    label: W.patients.search,
    hint: W.patients.searchHint,
    value: remembered,
    wide: true,
  });
  search.input.type = "search";
  const count = h("p", { class: "muted", role: "status" });
  const { columns } = W.patients;
  const rows = table({
    caption: W.patients.caption,
    none: W.patients.none,
    key: (/** @type {Patient} */ patient) => String(patient.patientId),
    columns: [
      { label: columns.name, cell: (patient) => among(patient, { isLink: true }), kind: "wide" },
      { label: columns.id, cell: (patient) => String(patient.patientId), kind: "number" },
      { label: columns.age, cell: (patient) => patient.age ?? W.form.none, kind: "number" },
      {
        label: columns.phone,
        cell: ({ phone: own }) => (own === undefined ? W.form.none : phone(own)),
        kind: "number",
      },
      { label: columns.location, cell: (patient) => told(patient.location ?? W.form.none) },
      { label: columns.lastvisit, cell: (patient) => dated(patient.lastvisit) },
    ],
  });
  let asked = new AbortController();
  /** The patients that are shown, and the text that they are found by. @type {{ text: string, found: Patient[], isAll: boolean }} */
  let shown = { text: "", found: [], isAll: false };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** Where all patients go on. @type {string | undefined} */
  let next;
  const further = button(W.bills.more, () => goOn(), { class: "quiet" });

  /** All patients as far as a page reaches, or those that are meant by a text. @param {string} text @param {AbortSignal} signal */
  async function find(text, signal) {
    next = undefined;
    if (text !== "") return people(text, SHOWN, signal);
    return page(signal);
  }

  /** @param {AbortSignal} signal */
  async function page(signal) {
    /** @type {{ data: { items: Patient[], next?: string } }} */
    const { data } = await call("GET", "/patient", { query: { limit: SHOWN, after: next }, signal });
    next = data.next;
    return { found: data.items, more: next !== undefined };
  }

  async function goOn() {
    const { found } = await page(signal);
    shown.found.push(...found);
    rows.update(shown.found);
    further.hidden = next === undefined;
    count.textContent = W.patients.count(shown.found.length, next !== undefined);
  }

  async function look() {
    asked.abort();
    asked = new AbortController();
    const stop = AbortSignal.any([asked.signal, signal]);
    remembered = search.input.value;
    try {
      const text = remembered.trim();
      const { found, more } = await find(text, stop);
      // Those who are only nearly called so are shown, and never opened unasked.
      const isNone = found.length === 0 && text !== "";
      const alike = isNone ? await similar(text, SHOWN, stop) : { found: [], more: false };
      const isCut = more || alike.more;
      rows.update(found.length > 0 ? found : alike.found, { isCut });
      shown = { text, found, isAll: !more };
      further.hidden = next === undefined;
      const said = nothing(W.patients.none, isCut);
      const none = alike.found.length > 0 ? `${said} ${DESK.find.similar}:` : said;
      count.textContent = found.length === 0 ? none : W.patients.count(found.length, more);
    } catch (error) {
      if (!wasLeft(error)) count.replaceChildren(refusal(error));
    }
  }

  search.input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  });
  search.input.addEventListener("keydown", async (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    clearTimeout(timer);
    if (shown.text !== search.input.value.trim()) await look();
    const only = taken(undefined, shown.found, shown.isAll);
    if (only && shown.text !== "") go("/patients/" + only.patientId);
  });
  node.append(lacks("patient:write"), search.node, count, rows.node, further);
  await look();
}
