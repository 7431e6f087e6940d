// The lots that expire soon or have expired, removed with one click.

import { call, list, once } from "../api.js";
import { day, today } from "../formats.js";
import { follow } from "../live.js";
import { ask, asked } from "../router.js";
import { may } from "../scopes.js";
import { fileDay, saveCsv } from "../ui/csv.js";
import { button, h, link, show, told } from "../ui/dom.js";
import { lacks } from "../ui/lacks.js";
import { pill } from "../ui/pill.js";
import { refusal } from "../ui/problem.js";
import { dated, table } from "../ui/table.js";
import { DESK, STOCK, W } from "../words.js";
import { named, reasonOf, whoGot } from "./shelf_forms.js";

/** @typedef {import("../contract.js").Stock} Stock */
/** @typedef {Stock["lots"][number] & { medicine: string, unit: string, expires: string }} Expiring */

const PERIODS = [30, 90, 180];
const MOST = 2000;

/** @param {string} day */
const sortable = (day) => day.split("/").reverse().join("");

/** @param {import("../router.js").Place} place */
export async function expiring({ node, signal, title, say }) {
  const words = DESK.expiring;
  /** @type {Expiring[]} */
  let lots = [];
  title(
    words.title,
    button(W.restock.csv, () => save(lots), { class: "quiet" }),
    button(W.restock.print, () => print(), { class: "quiet" }),
  );
  const given = Number(asked().get("days"));
  let days = PERIODS.includes(given) ? given : 90;
  const periods = PERIODS.map((each) =>
    button(words.within(each), () => choose(each), { "aria-pressed": String(each === days), "data-days": each }),
  );
  const lead = h("p", { class: "muted", role: "status" });
  const date = h("p", { class: "printed" }, words.list(day(today())));
  const trouble = h("div", {});
  const undo = h("div", { class: "rows" });
  const rows = table({
    caption: words.caption,
    none: words.none,
    key: (/** @type {Expiring} */ lot) => JSON.stringify([lot.medicine, lot.expires, lot.lot]),
    columns: [
      { label: words.columns.medicine, cell: (lot) => shelf(lot), kind: "wide" },
      { label: words.columns.expires, cell: (lot) => dated(lot.expires) },
      { label: words.columns.lot, cell: (lot) => told(lot.lot ?? STOCK.noLot) },
      { label: words.columns.units, cell: (lot) => told(STOCK.units(lot.onHand, lot.unit)), kind: "number" },
      { label: words.columns.state, cell: state },
      { label: words.columns.actions, cell: actions, kind: "actions" },
    ],
  });

  /** @param {Expiring} lot */
  function actions(lot) {
    const who = { class: "button quiet", "aria-label": words.whoOf(lot.medicine, named(lot)) };
    const label = { "aria-label": words.removeOf(lot.medicine, named(lot)) };
    return [
      may("inventory:write") && button(words.remove, () => attempt(() => remove(lot)), label),
      link(whoGot(lot.medicine, lot), words.who, who),
    ];
  }

  /** What makes removing a lot twice the same as once. @type {Map<string, string>} */
  const keys = new Map();

  /** Removes what is left of a lot, and offers to take that back. @param {Expiring} lot */
  async function remove({ medicine, lot, expires, onHand, unit, usable }) {
    const text = words.removed(STOCK.units(onHand, unit), medicine);
    const isOver = sortable(expires) < sortable(today()) || !usable;
    const reason = isOver
      ? "expired"
      : await reasonOf(words.removeOf(medicine, named({ ...(lot ? { lot } : {}), expires })), signal);
    if (reason === undefined) return;
    const place = JSON.stringify([medicine, expires, lot, onHand]);
    const key = keys.get(place) ?? once();
    keys.set(place, key);
    const body = { kind: "removal", reason, units: onHand, lot, expires };
    const path = `/inventory/${encodeURIComponent(medicine)}/movements`;
    const { data } = /** @type {{ data: import("../contract.js").Movement }} */ (
      await call("POST", path, { body, once: key })
    );
    keys.delete(place);
    await read();
    const reversal = once();
    const line = h(
      "div",
      { class: "actions" },
      told(text),
      button(words.undo, () =>
        attempt(async () => {
          await call("POST", `/movements/${data.movementId}/reversal`, { once: reversal });
          line.remove();
          await read();
          say(STOCK.cameBack);
        }),
      ),
    );
    undo.prepend(line);
    say(text);
    line.querySelector("button")?.focus();
  }

  /** @param {() => Promise<void>} deed */
  async function attempt(deed) {
    show(trouble);
    await deed().catch((error) => show(trouble, refusal(error)));
  }

  /** @param {number} each */
  function choose(each) {
    days = each;
    ask({ days: String(days) });
    periods.forEach((one) => one.setAttribute("aria-pressed", String(Number(one.dataset.days) === days)));
    return attempt(read);
  }

  async function read() {
    const until = today(days);
    const quiet = lots.length > 0;
    const { items, more } = await list("/stock", { query: { expiresTo: until }, signal, most: MOST, quiet });
    lots = /** @type {Stock[]} */ (items)
      .flatMap(({ medicine, unit, lots }) =>
        lots.map((lot) => ({ ...lot, medicine, unit, expires: lot.expires ?? "" })),
      )
      .filter((lot) => lot.expires !== "" && sortable(lot.expires) <= sortable(until))
      .sort((one, other) => sortable(one.expires).localeCompare(sortable(other.expires)));
    const medicines = new Set(lots.map((lot) => lot.medicine)).size;
    lead.textContent = [words.lead(lots.length, medicines, day(until)), more && words.more].filter(Boolean).join(" ");
    rows.update(lots, { flash: true, isCut: more });
  }
  await read();
  node.append(
    lacks("inventory:write"),
    h("div", { class: "forms", role: "group", "aria-label": words.period }, periods),
    lead,
    date,
    trouble,
    undo,
    rows.node,
  );
  follow(() => read().catch(() => {}), signal, ["Inventory", "Stock", "Movement"]);
}

/** @param {Expiring} lot */
const shelf = (lot) => link("/inventory/stock/" + encodeURIComponent(lot.medicine), told(lot.medicine));

/** @param {Expiring} lot */
function state({ expires, usable }) {
  if (sortable(expires) < sortable(today())) return pill(DESK.expiring.expired, "bad");
  return usable ? pill(STOCK.usable, "good") : pill(STOCK.notUsable, "warn");
}

/** @param {Expiring[]} lots */
function save(lots) {
  const names = /** @type {const} */ (["medicine", "lot", "expires", "onHand", "unit", "usable"]);
  saveCsv(
    `expiring-${fileDay(today())}`,
    names,
    lots.map((lot) => names.map((name) => lot[name])),
  );
}
