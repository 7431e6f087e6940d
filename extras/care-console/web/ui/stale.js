// Two people edited one record: both sides are shown, and one is chosen.

import { Problem } from "../api.js";
import { W } from "../words.js";
import { button, h, show, told } from "./dom.js";
import { changes } from "./form.js";
import { scrollable } from "./table.js";

/** @typedef {import("./form.js").Control} Control */

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
 */
export async function guarded(options) {
  const { put, get, tag, controls, node, complain, taken, isMoving = false } = options;
  const edited = controls.filter(({ name }) => name in changes(controls));
  try {
    await persist(put, get, tag, (data) => isMoving && edited.every(({ name, first }) => data[name] === first));
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 412) throw error;
    const now = await get();
    const heading = h("h2", { tabindex: -1 }, W.stale.title);
    const mine = async () => {
      show(node);
      await guarded({ ...options, tag: now.tag }).catch(complain);
    };
    const theirs = () => {
      controls.forEach((control) => {
        control.first = now.data[control.name];
        control.put(now.data[control.name]);
      });
      show(node);
      taken(now.tag);
      controls[0]?.input.focus();
    };
    show(
      node,
      h(
        "section",
        { class: "stale", role: "group", "aria-label": W.stale.title },
        heading,
        h("p", {}, W.stale.lead),
        beside(controls, now.data),
        h(
          "div",
          { class: "actions" },
          button(W.stale.keepMine, mine, { class: "danger" }),
          button(W.stale.takeTheirs, theirs),
        ),
      ),
    );
    heading.focus();
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
  const rows = moved.map((control) => {
    const isMine = control.name in edited;
    const say = control.said ?? written;
    const [mine, theirs] = [say(control.value()), say(stored[control.name])];
    return h(
      "tr",
      { class: isMine && mine !== theirs && "differs" },
      h("th", { scope: "row" }, control.label),
      h("td", {}, isMine ? told(mine) : h("span", { class: "muted" }, W.stale.notEdited)),
      h("td", {}, told(theirs)),
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
  return node;
}

/** @param {unknown} value */
function written(value) {
  if (value === undefined || value === null) return W.form.none;
  return typeof value === "boolean" ? (value ? W.form.yes : W.form.no) : String(value);
}
