// The inventory. The screen follows every change by itself.

import { Problem, call } from "../api.js";
import { money } from "../formats.js";
import { MOST, again, look, medicines, watch } from "../medicines.js";
import { folded } from "../names.js";
import { may } from "../scopes.js";
import { button, h, link, told } from "../ui/dom.js";
import { control } from "../ui/form.js";
import { lacks } from "../ui/lacks.js";
import { stock } from "../ui/pill.js";
import { refusal } from "../ui/problem.js";
import { table } from "../ui/table.js";
import { DESK, STOCK, W } from "../words.js";

/** @typedef {import("../medicines.js").Medicine} Item */

/** The number of changes that are announced one by one. */
const READ_OUT = 3;

/** @param {import("../router.js").Place} place */
export async function inventory({ node, signal, title, say, kept }) {
  title(
    W.screens.inventory,
    link("/inventory/sheet", DESK.sheet.open, { class: "button quiet" }),
    may("inventory:write") && link("/inventory/delivery", DESK.delivery.open, { class: "button quiet" }),
    may("inventory:write") && link("/inventory/new", W.inventory.add, { class: "button" }),
  );
  const search = control({ name: "search", label: W.inventory.search, value: kept["search"] });
  search.input.type = "search";
  const only = control({ name: "only", label: W.inventory.only, kind: "check", value: kept["only"] });
  const count = h("p", { class: "muted", role: "status" });
  const trouble = h("div", {});
  let known = medicines();
  const { columns, fields } = W.inventory;
  const rows = table({
    caption: W.inventory.caption,
    none: W.inventory.none,
    key: (/** @type {Item} */ item) => item.medicine,
    columns: [
      { label: fields.medicine, cell: named, kind: "wide" },
      { label: columns.isAvailable, cell: shelfOf },
      { label: fields.dosage, cell: (item) => told(item.dosage ?? W.form.none), isRare: true },
      { label: W.prescription.columns.price, cell: (item) => money(item.price, item.currency), kind: "number" },
      { label: fields.isRegular, cell: (item) => (item.isRegular ? W.form.yes : W.form.no), isRare: true },
      { label: columns.actions, cell: (item) => toggle(item), kind: "actions" },
    ],
  });

  /** @param {Item} item */
  function toggle(item) {
    const shelf = link(page(item), STOCK.open, {
      class: "button quiet",
      "aria-label": W.form.pair(STOCK.open, item.medicine),
    });
    // The availability of a tracked medicine follows from its stock.
    return item.stock || !may("inventory:write") ? [shelf] : [flag(item), shelf];
  }

  /** @param {Item} item */
  function flag(item) {
    const label = item.isAvailable ? W.inventory.setOut : W.inventory.setIn;
    return button(label, () => turn(item).catch((error) => trouble.replaceChildren(refusal(error))), {
      "aria-label": W.form.pair(label, item.medicine),
    });
  }

  /** Toggles the flag, unless the stored item differs from the one on the screen. @param {Item} item */
  async function turn(item) {
    trouble.replaceChildren();
    const path = "/inventory/" + encodeURIComponent(item.medicine);
    /** @type {{ data: Item, tag: string }} */
    const now = await call("GET", path);
    if (now.data.isAvailable !== item.isAvailable) {
      await again();
      throw new Problem(412, { title: W.stale.title, detail: became(now.data) });
    }
    await call("PUT", path, { body: { isAvailable: !item.isAvailable }, ifMatch: now.tag });
    await again();
  }

  function filter() {
    kept["search"] = search.input.value;
    kept["only"] = only.input.checked;
    const { items, extent } = known;
    const wanted = folded(search.input.value);
    const found = items.filter((item) => item.folded.includes(wanted) && !(only.input.checked && item.isAvailable));
    const { empty, none, noneSoFar, noneOf, cut, reading } = W.inventory;
    rows.update(found, {
      flash: true,
      none: { all: items.length === 0 ? empty : none, some: noneSoFar, first: noneOf(MOST) }[extent],
    });
    const rest = { all: "", some: reading, first: cut(MOST) }[extent];
    const counted = W.inventory.count(found.length, found.filter((item) => !item.isAvailable).length);
    count.textContent = [counted, rest].filter(Boolean).join(" ");
  }

  /** Shows what is known by now, and says what has changed. */
  function display() {
    const before = new Map(known.items.map((item) => [item.medicine, item.isAvailable]));
    known = medicines();
    filter();
    const turned = known.items.filter(
      (item) => before.has(item.medicine) && before.get(item.medicine) !== item.isAvailable,
    );
    const others = turned.length > READ_OUT ? [W.inventory.others(turned.length - READ_OUT)] : [];
    if (turned.length > 0) say([...turned.slice(0, READ_OUT).map(became), ...others].join(" "));
  }

  search.input.addEventListener("input", () => {
    filter();
    look(search.input.value).catch(() => {});
  });
  only.input.addEventListener("change", filter);
  filter();
  node.append(
    lacks("inventory:write"),
    h("div", { class: "filters" }, search.node, only.node),
    count,
    trouble,
    rows.node,
  );
  const read = again(true);
  watch(display, signal);
  await read;
}

/** @param {Pick<Item, "medicine" | "isAvailable">} item */
const became = (item) => W.inventory.became(item.medicine, item.isAvailable);

/** The page of its stock. The address says of a medicine that it is not tracked, so that nothing is asked in vain. @param {Item} item */
const page = (item) => `/inventory/stock/${encodeURIComponent(item.medicine)}${item.stock ? "" : "?untracked"}`;

/** Returns the name, which leads to the stock of the item. @param {Item} item */
const named = (item) => link(page(item), told(item.medicine));

/** Returns the stock: in units where they are tracked. @param {Item} item */
function shelfOf(item) {
  if (!item.stock) return stock(item.isAvailable);
  const units = told(STOCK.units(Number(item.stock.available), item.stock.unit));
  return [stock(item.isAvailable), " ", units, item.stock.held && h("span", { class: "muted" }, " ", STOCK.held)];
}
