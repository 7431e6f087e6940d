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
 * @param {(tag: string) => Promise<unknown>} put
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
 * Sends a change with the tag of the record that it was made to. If the record has another one by now, its values are
 * shown beside those of the form.
 * @param {object} options
 * @param {(tag: string) => Promise<void>} options.put sends what was entered
 * @param {() => Promise<{ data: Record<string, unknown>, tag: string }>} options.get reads the record as it is now
 * @param {string} options.tag
 * @param {Control[]} options.controls
 * @param {HTMLElement} options.node where the choice is shown
 * @param {(error: unknown) => void} options.complain
 * @param {(tag: string) => void} options.taken after the stored values were taken, with their tag
 * @param {boolean} [options.isMoving] whether fields that were not edited change by themselves, which is no conflict
 * @param {Kept} [options.record] as the journal names it
 */
export async function guarded(options) {
  const { put, get, tag, controls, node, complain, taken, isMoving = false, record } = options;
  const edited = controls.filter(({ name }) => name in changes(controls));
  try {
    await persist(put, get, tag, (data) => isMoving && edited.every(({ name, first }) => data[name] === first));
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 412) throw error;
    const now = await get();
    const heading = h("h2", { tabindex: -1 }, W.stale.title);
    const { table, chosen } = beside(controls, now.data);
    /** Takes the stored value for these fields. @param {Control[]} some */
    const take = (some) => some.forEach((control) => control.put((control.first = now.data[control.name])));
    const mine = async () => {
      take(controls.filter((control) => !chosen(control.name)));
      show(node);
      await guarded({ ...options, tag: now.tag }).catch(complain);
    };
    const theirs = () => {
      take(controls);
      show(node);
      taken(now.tag);
      controls[0]?.input.focus();
    };
    const by = h("p", {});
    void changedBy(record).then((name) => name !== undefined && show(by, W.stale.by, W.form.colon, told(name)));
    show(
      node,
      h(
        "section",
        { class: "stale", role: "group", "aria-label": W.stale.title },
        heading,
        by,
        h("p", {}, W.stale.lead),
        table,
        h(
          "div",
          { class: "actions" },
          button(W.stale.keepChosen, mine, { class: "danger" }),
          button(W.stale.takeTheirs, theirs),
        ),
      ),
    );
    if (!inBox()) heading.focus();
  }
}

/**
 * The fields that were edited here, and those that were stored with another value since the form was opened.
 * @param {Control[]} controls
 * @param {Record<string, unknown>} stored
 */
function beside(controls, stored) {
  const edited = changes(controls);
  const moved = controls.filter(
    (control) => control.name in edited || written(control.first) !== written(stored[control.name]),
  );
  /** The fields whose edited value is to be kept. @type {Set<string>} */
  const kept = new Set(Object.keys(edited));
  /** One of two values, to be chosen. @param {Control} control @param {string} value @param {boolean} isOwn */
  const either = ({ name, label }, value, isOwn) =>
    h(
      "label",
      {},
      h("input", {
        type: "radio",
        name: "keep-" + name,
        form: "none",
        checked: isOwn,
        "aria-label": W.form.pair(label, isOwn ? W.stale.mine : W.stale.theirs),
        onchange: () => (isOwn ? kept.add(name) : kept.delete(name)),
      }),
      " ",
      told(value),
    );
  const rows = moved.map((control) => {
    const isMine = control.name in edited;
    const say = control.said ?? written;
    const [mine, theirs] = [say(control.value()), say(stored[control.name])];
    return h(
      "tr",
      { class: isMine && mine !== theirs && "differs" },
      h("th", { scope: "row" }, control.label),
      h("td", {}, isMine ? either(control, mine, true) : h("span", { class: "muted" }, W.stale.notEdited)),
      h("td", {}, isMine ? either(control, theirs, false) : told(theirs)),
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
  const node = h("div", { class: "sides" }, table);
  scrollable(node, W.stale.caption);
  return { table: node, chosen: (/** @type {string} */ name) => kept.has(name) || !(name in edited) };
}

/** @param {unknown} value */
function written(value) {
  if (value === undefined || value === null) return W.form.none;
  return typeof value === "boolean" ? (value ? W.form.yes : W.form.no) : String(value);
}
