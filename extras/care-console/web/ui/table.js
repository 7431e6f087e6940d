// Tables whose unchanged rows stay in place when other rows change.

import { write } from "../api.js";
import { day as inShort } from "../formats.js";
import { DESK, SPEECH } from "../words.js";
import { button, h, show } from "./dom.js";
import { PAGE, paged, watch } from "./rows.js";

/** A day of the service in a cell, which is sorted by it. @param {string | undefined} day @param {string} [text] what is shown of it */
export const dated = (day, text = inShort(day)) =>
  day ? h("time", { datetime: day.split("/").reverse().join("-") }, text) : text;

/**
 * What is said where a list has nothing: that there is none, unless the list was cut and may have more.
 * @param {string} none @param {boolean | undefined} isCut
 */
export const nothing = (none, isCut) => (isCut ? DESK.find.cut : none);

/** @param {Column<any>} column */
const classOf = ({ kind, isRare }) => [kind, isRare && "rare"].filter(Boolean).join(" ") || undefined;

const fits = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const node = /** @type {HTMLElement} */ (target.closest("[data-region]"));
    const isWide = node.scrollWidth > node.clientWidth;
    for (const [name, value] of Object.entries({ tabindex: "0", role: "region", "aria-label": node.dataset.region })) {
      isWide ? node.setAttribute(name, value ?? "") : node.removeAttribute(name);
    }
  }
});

/**
 * Lets the keyboard scroll a part as long as its content is wider than its room.
 * @param {HTMLElement} node with its only content that can be too wide as the first child
 * @param {string} name
 */
export function scrollable(node, name) {
  node.dataset.region = name;
  fits.observe(node);
  if (node.firstElementChild) fits.observe(node.firstElementChild);
}

/**
 * @template T
 * @typedef {object} Column
 * @property {string} label
 * @property {(item: T) => import("./dom.js").Child | import("./dom.js").Child[]} cell
 * @property {"number" | "wide" | "actions"} [kind]
 * @property {boolean} [isRare] whether it gives way to the others where there is little room
 */

/**
 * What a cell is sorted by: a time, a number, or its text.
 * @param {HTMLElement} cell
 */
function rank(cell) {
  const time = cell.querySelector("time");
  if (time) return time.dateTime;
  const text = cell.textContent ?? "";
  if (!cell.classList.contains("number")) return text;
  const digits = text.replace(/[^\d-]/g, "");
  return digits === "" ? undefined : Number(digits);
}

/** @param {ReturnType<typeof rank>} one @param {ReturnType<typeof rank>} other */
function compare(one, other) {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  if (typeof one === "number" && typeof other === "number") return one - other;
  return SPEECH.compare(String(one), String(other));
}

/**
 * A table. On a narrow screen each row is a card that shows the column's name beside each value.
 * @template T
 * @param {object} options
 * @param {string} options.caption
 * @param {Column<T>[]} options.columns
 * @param {(item: T) => string} options.key what tells one item from another
 * @param {string} options.none what is said when there is none
 * @param {boolean} [options.isFixed] whether its order cannot be changed
 */
export function table({ caption, columns, key, none, isFixed = false }) {
  const body = h("tbody", { role: "rowgroup" });
  /** The column by which the rows are sorted, and whether from the end. */
  let [sorted, isDown] = [-1, false];
  const heads = columns.map((column, place) =>
    h(
      "th",
      { scope: "col", role: "columnheader", class: classOf(column) },
      isFixed || column.kind === "actions"
        ? column.label
        : [h("span", { class: "printed" }, column.label), button(column.label, () => sort(place), { class: "sort" })],
    ),
  );

  /** Sorts by a column, from the end when it is pressed again, and not at all at the third time. @param {number} place */
  function sort(place) {
    [sorted, isDown] = sorted !== place ? [place, false] : isDown ? [-1, false] : [place, true];
    heads.forEach((head, at) => (head.ariaSort = at !== sorted ? null : isDown ? "descending" : "ascending"));
    update(given);
  }

  /** The items in the order that was chosen. @param {T[]} items */
  function ordered(items) {
    if (sorted < 0) return items;
    const ranked = items.map((item) => ({ item, rank: rank(cell(item, sorted)) }));
    ranked.sort((one, other) => (isDown ? -1 : 1) * compare(one.rank, other.rank));
    return ranked.map(({ item }) => item);
  }
  const grid = h(
    "table",
    { role: "table" },
    h("caption", {}, caption),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)),
    body,
  );
  const empty = h("p", { class: "muted" }, none);
  const end = h("div", { class: "end" });
  const node = h("div", { class: "table" }, grid, end, empty);
  scrollable(node, caption);
  /** @type {Map<string, { row: HTMLElement, state: string }>} */
  let rows = new Map();
  /** @type {T[]} */
  let given = [];
  /** The same, sorted. @type {T[]} */
  let all = [];
  paged(
    end,
    () => display(rows.size + PAGE),
    () => display(all.length),
  );

  /** @param {T} item @param {number} place */
  const cell = (item, place) => {
    const column = /** @type {Column<T>} */ (columns[place]);
    const attributes = { role: place === 0 ? "rowheader" : "cell", class: classOf(column), "data-label": column.label };
    return place === 0
      ? h("th", { scope: "row", ...attributes }, column.cell(item))
      : h("td", attributes, column.cell(item));
  };

  /**
   * Shows these items, the first of them at once. Rows of unchanged items stay untouched, and the focus stays where it
   * is.
   * @param {T[]} items
   * @param {{ flash?: boolean, none?: string, isCut?: boolean | undefined }} [how] whether rows that changed are to catch
   * the eye, what is said now when there is none, and whether there may be more
   */
  function update(items, how) {
    given = items;
    all = ordered(items);
    empty.textContent = nothing(how?.none ?? none, how?.isCut);
    const shown = items.filter((item) => rows.has(key(item))).length;
    display(Math.max(PAGE, shown), how);
  }

  /** Shows this many of the items. @param {number} count @param {{ flash?: boolean }} [how] */
  function display(count, { flash = false } = {}) {
    const items = all.slice(0, count);
    const focused = document.activeElement;
    const at = focused instanceof HTMLElement ? focused.closest("tr")?.dataset.key : undefined;
    const controls = at === undefined ? [] : [...(rows.get(at)?.row.querySelectorAll("a, button, summary") ?? [])];
    const control = focused ? controls.indexOf(focused) : -1;
    /** @type {typeof rows} */
    const next = new Map();
    for (const item of items) {
      const name = key(item);
      const state = write(item);
      const before = rows.get(name);
      const row =
        before?.state === state
          ? before.row
          : h(
              "tr",
              { role: "row", "data-key": name, class: flash && rows.size > 0 && "fresh" },
              columns.map((_, place) => cell(item, place)),
            );
      next.set(name, { row, state });
    }
    rows = next;
    const wanted = [...rows.values()].map((entry) => entry.row);
    const isSame = wanted.length === body.children.length && wanted.every((row, place) => row === body.children[place]);
    const isLonger =
      wanted.length > body.children.length && [...body.children].every((row, place) => row === wanted[place]);
    if (isLonger) body.append(...wanted.slice(body.children.length));
    else if (!isSame) {
      show(body, wanted);
      if (at !== undefined && control >= 0) {
        const found = rows.get(at)?.row.querySelectorAll("a, button, summary")[control];
        if (found instanceof HTMLElement) found.focus({ preventScroll: true });
      }
    }
    grid.hidden = items.length === 0;
    empty.hidden = items.length > 0;
    items.length < all.length
      ? grid.setAttribute("aria-rowcount", String(all.length + 1))
      : grid.removeAttribute("aria-rowcount");
    watch(end, items.length < all.length);
  }
  update([]);
  return {
    node,
    update,
    /** Makes all rows at once. */
    whole: () => display(all.length),
  };
}
