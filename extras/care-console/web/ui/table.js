// Tables whose unchanged rows stay in place when other rows change.

import { write } from "../api.js";
import { h, show } from "./dom.js";
import { PAGE, paged, watch } from "./rows.js";

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
 */

/**
 * A table. On a narrow screen each row is a card that shows the column's name beside each value.
 * @template T
 * @param {object} options
 * @param {string} options.caption
 * @param {Column<T>[]} options.columns
 * @param {(item: T) => string} options.key what tells one item from another
 * @param {string} options.none what is said when there is none
 */
export function table({ caption, columns, key, none }) {
  const body = h("tbody", { role: "rowgroup" });
  const heads = columns.map((column) =>
    h("th", { scope: "col", role: "columnheader", class: column.kind }, column.label),
  );
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
  let all = [];
  paged(
    end,
    () => display(rows.size + PAGE),
    () => display(all.length),
  );

  /** @param {T} item @param {number} place */
  const cell = (item, place) => {
    const column = /** @type {Column<T>} */ (columns[place]);
    const attributes = { role: place === 0 ? "rowheader" : "cell", class: column.kind, "data-label": column.label };
    return place === 0
      ? h("th", { scope: "row", ...attributes }, column.cell(item))
      : h("td", attributes, column.cell(item));
  };

  /**
   * Shows these items, the first of them at once. Rows of unchanged items stay untouched, and the focus stays where it
   * is.
   * @param {T[]} items
   * @param {{ flash?: boolean, none?: string }} [how] whether rows that changed are to catch the eye, and what is said now
   * when there is none
   */
  function update(items, how) {
    all = items;
    empty.textContent = how?.none ?? none;
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
  return { node, update };
}
