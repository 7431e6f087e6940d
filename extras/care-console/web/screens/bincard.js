// The movements of a medicine as a bin card.

import { number } from "../formats.js";
import { may } from "../scopes.js";
import { button, link, told } from "../ui/dom.js";
import { dated, table } from "../ui/table.js";
import { SPEECH, STOCK, W } from "../words.js";
import { named, whoGot } from "./shelf_forms.js";
import { toBill } from "./visit_of.js";

/** @typedef {import("../contract.js").Movement} Movement */

/** What can be taken back. */
const REVERSIBLE = new Set(["receipt", "removal"]);

/** The bin card. @param {(movement: Movement) => unknown} reverse takes a movement back */
export function card(reverse) {
  const { cardColumns } = STOCK;
  return table({
    caption: STOCK.card,
    none: STOCK.noMovements,
    key: (/** @type {Movement} */ one) => String(one.movementId),
    columns: [
      { label: cardColumns.number, cell: (one) => one.movementId, kind: "number" },
      { label: cardColumns.day, cell: (one) => dated(one.day) },
      {
        label: cardColumns.kind,
        cell: (one) =>
          STOCK.kindWith(STOCK.kinds[one.kind], one.reason && { ...STOCK.reasons, ...STOCK.causes }[one.reason]),
      },
      { label: cardColumns.units, cell: (one) => SPEECH.signed(one.units), kind: "number" },
      { label: cardColumns.balance, cell: (one) => number(one.balance), kind: "number", isRare: true },
      { label: cardColumns.lot, cell: (one) => link(whoGot(one.medicine, one), told(named(one))) },
      {
        label: cardColumns.more,
        cell: (one) => [
          one.invoiceId ? toBill(one.invoiceId) : "",
          one.note ? told(" " + one.note) : "",
          may("inventory:write") &&
            REVERSIBLE.has(one.kind) &&
            button(STOCK.reverse, () => reverse(one), {
              class: "quiet",
              "aria-label": W.form.pair(STOCK.reverse, `${STOCK.kinds[one.kind]} ${one.movementId}`),
            }),
        ],
      },
    ],
  });
}
