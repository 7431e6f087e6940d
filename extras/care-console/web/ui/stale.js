// Two people edited one record: both sides are shown, and one is chosen for each value.

import { Problem, call } from "../api.js";
import { latest } from "../live.js";
import { may } from "../scopes.js";
import { W } from "../words.js";
import { button, h, inBox, show, told } from "./dom.js";
import { changes } from "./form.js";
import { scrollable } from "./table.js";

/** @typedef {import("./form.js").Control} Control */

/** A record as the journal names it. @typedef {{ kind: string, id: string }} Kept */

/** The number of the latest entries of the journal that are looked through. */
const LATEST = 200;

/** Who changed a record last, for a key that reads the journal. @param {Kept | undefined} record */
async function changedBy(record) {
  if (!record || !may("admin")) return undefined;
  const after = Math.max(0, (await latest()) - LATEST);
  const { data } = /** @type {{ data: { items: import("../contract.js").JournalEntry[] } }} */ (
    await call("GET", "/journal", { query: { after, limit: LATEST }, quiet: true })
  );
  const isIt = (/** @type {import("../contract.js").JournalChange} */ one) =>
    one.record === record.kind && String(one.id) === record.id;
  return data.items.findLast(({ changes }) => changes.some(isIt))?.actor;
}

/** The number of times that a setting is sent while other parts of its record change. */
const TRIES = 5;

/**
 * Sends a change of some parts of a record whose other parts change by themselves, as a stock does when units are handed
 * out: as long as the former are as they were, it is sent again with the record's new tag.
 * @template T
 * @template A
 * @param {(tag: string) => Promise<A>} put
 * @param {() => Promise<{ data: T, tag: string }>} get
 * @param {string} tag
 * @param {(data: T) => boolean} isSame whether the parts to change are as they were
 */
export async function persist(put, get, tag, isSame) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await put(tag);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 412 || tries === TRIES) throw error;
      const now = await get();
      if (!isSame(now.data)) throw error;
      tag = now.tag;
    }
  }
}

/**
 * Two versions of a record beside each other. Where both the user and others have stored something in one field, nothing is
 * chosen beforehand.
 * @param {object} options
 * @param {Control[]} options.controls
 * @param {Record<string, unknown>} options.stored
 * @param {Control[]} options.asked those of which one version is to be chosen
 * @param {Kept | undefined} options.record as the journal names it
 * @param {() => void} options.save
 * @param {() => void} options.theirs takes all that is stored
 */
export function sides({ controls, stored, asked, record, save, theirs }) {
  const edited = changes(controls);
  const heading = h("h2", { tabindex: -1 }, W.stale.title);
  const fault = h("p", { class: "fault", role: "alert" });
  /** The versions that are chosen, by their fields. @type {Map<string, "mine" | "theirs">} */
  const chosen = new Map();
  const open = () => asked.find((one) => !chosen.has(one.name) && differs(one.value(), stored[one.name]));
  /** One of two versions. @param {Control} control @param {HTMLElement} text @param {"mine" | "theirs"} which */
  const either = ({ name, label }, text, which) =>
    h(
      "label",
      {},
      h("input", {
        type: "radio",
        name: "keep-" + name,
        form: "none",
        "aria-label": W.form.pair(label, W.stale[which]),
        onchange() {
          chosen.set(name, which);
          show(fault);
        },
      }),
      " ",
      text,
    );
  const isShown = (/** @type {Control} */ control) =>
    control.name in edited || asked.includes(control) || differs(control.first, stored[control.name]);
  const rows = controls.filter(isShown).map((control) => {
    const { name, label, said: say = written, input } = control;
    const mine = told(say(control.value()));
    // What is typed while the choice is open is what would be saved.
    input.addEventListener("input", () => show(mine, say(control.value())));
    const theirs = told(say(stored[name]));
    const isAsked = asked.includes(control);
    const own = name in edited ? mine : h("span", { class: "muted" }, W.stale.notEdited);
    return h(
      "tr",
      { class: isAsked && "differs" },
      h("th", { scope: "row" }, label),
      h("td", {}, isAsked ? either(control, mine, "mine") : own),
      h("td", {}, isAsked ? either(control, theirs, "theirs") : theirs),
    );
  });
  const table = h(
    "table",
    {},
    h("caption", { class: "unseen" }, W.stale.caption),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        [W.stale.field, W.stale.mine, W.stale.theirs].map((text) => h("th", { scope: "col" }, text)),
      ),
    ),
    h("tbody", {}, rows),
  );
  const region = h("div", { class: "sides" }, table);
  scrollable(region, W.stale.caption);
  const by = h("p", {});
  void changedBy(record).then((name) => name !== undefined && show(by, W.stale.by, W.form.colon, told(name)));
  const node = h(
    "section",
    { class: "stale", role: "group", "aria-label": W.stale.title },
    heading,
    by,
    h("p", { role: "status" }, W.stale.lead),
    region,
    fault,
    h(
      "div",
      { class: "actions" },
      button(W.stale.keepChosen, save, { class: "danger" }),
      button(W.stale.takeTheirs, theirs),
    ),
  );
  return {
    node,
    isMade: () => open() === undefined,
    /** Asks for the version that is not chosen yet. */
    ask() {
      const name = open()?.name;
      show(fault, W.stale.choose);
      const radio = /** @type {HTMLElement | null} */ (table.querySelector(`[name="keep-${name}"]`));
      radio?.focus();
    },
    /** Whether what was typed into a field is kept. @param {string} name */
    keeps: (name) => chosen.get(name) !== "theirs",
    focus: () => inBox() || heading.focus(),
  };
}

/** A value as it is compared: a field that is empty, or not ticked, has none. @param {unknown} value */
const bare = (value) => (value === undefined || value === null || value === false ? "" : String(value));

/** Whether two values are not the same. @param {unknown} one @param {unknown} other */
export const differs = (one, other) => bare(one) !== bare(other);

/** @param {unknown} value */
function written(value) {
  if (value === undefined || value === null) return W.form.none;
  return typeof value === "boolean" ? (value ? W.form.yes : W.form.no) : String(value);
}
