// The sheet for counting the whole shelf. It is printed blind: what should be there does not stand on it.

import { list } from "../api.js";
import { day, today } from "../formats.js";
import { button, h, link, told } from "../ui/dom.js";
import { control } from "../ui/form.js";
import { dated, table } from "../ui/table.js";
import { DESK, W } from "../words.js";

/** @typedef {import("../contract.js").Stock} Stock */
/** @typedef {{ medicine: string, unit: string, lot?: string | undefined, expires?: string | undefined }} Line */

const MOST = 2000;

/** @param {import("../router.js").Place} place */
export async function countSheet({ node, signal, title }) {
  const words = DESK.sheet;
  title(
    words.title,
    button(W.restock.print, () => print(), { class: "quiet" }),
  );
  const read = await list("/stock", { signal, most: MOST });
  const empty = control({ name: "empty", label: words.empty, kind: "check" });
  const rows = table({
    caption: words.caption,
    none: words.none,
    key: (/** @type {Line} */ line) => JSON.stringify([line.medicine, line.lot, line.expires]),
    columns: [
      {
        label: words.columns.medicine,
        cell: ({ medicine }) => link("/inventory/stock/" + encodeURIComponent(medicine), told(medicine)),
        kind: "wide",
      },
      { label: words.columns.unit, cell: (line) => told(line.unit) },
      { label: words.columns.lot, cell: (line) => told(line.lot ?? W.form.none) },
      { label: words.columns.expires, cell: (line) => dated(line.expires) },
      { label: words.columns.counted, cell: () => h("div", { class: "blank" }) },
    ],
  });

  /** A line for each lot, and on demand one for each empty shelf. */
  function display() {
    rows.update(
      /** @type {Stock[]} */ (read.items).flatMap(({ medicine, unit, lots }) =>
        lots.length === 0 && empty.input.checked
          ? [{ medicine, unit }]
          : lots.map(({ lot, expires }) => ({ medicine, unit, lot, expires })),
      ),
      read.more ? { none: W.inventory.noneOf(MOST) } : {},
    );
  }
  empty.input.addEventListener("change", display);
  display();
  node.append(
    h("p", { class: "muted lacks" }, words.lead),
    h("div", { class: "filters" }, empty.node),
    h("p", { class: "printed" }, words.of(day(today()))),
    h("p", { class: "note", hidden: !read.more }, words.more),
    rows.node,
    h("p", { class: "printed" }, words.by),
  );
}
