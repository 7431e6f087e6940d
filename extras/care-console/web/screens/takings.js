// What was taken, by day and by receipt numbers, and the slip of the drawer.

import { call, list } from "../api.js";
import { day, instant, money, number, today } from "../formats.js";
import { follow } from "../live.js";
import { tab } from "../tab.js";
import { button, h, show, told } from "../ui/dom.js";
import { choice, control, form } from "../ui/form.js";
import { papers } from "../ui/paper.js";
import { dated, table } from "../ui/table.js";
import { DESK, MONEY, W } from "../words.js";
import { inexact, receipts, totals } from "./receipts.js";
import { slipSheet } from "./sheets.js";

/** @typedef {import("../contract.js").Takings} Takings */
/** @typedef {import("../contract.js").DayTakings} DayTakings */
/** @typedef {import("../contract.js").Receipt} Receipt */

/** The number of receipts that are shown behind a figure. */
const MOST = 2000;

/** The last receipt of the slip before. @type {ReturnType<typeof tab<number>>} */
const slips = tab("care.slip", 1);

/** @param {import("../router.js").Place} place */
export async function takings({ node, signal, title }) {
  const words = MONEY.takings;
  title(
    W.screens.takings,
    button(W.restock.print, () => print(), { class: "quiet" }),
  );
  const from = control({ name: "from", label: words.from, kind: "day" });
  const to = control({ name: "to", label: words.to, kind: "day" });
  const now = button(
    words.today,
    () => {
      from.put("");
      to.put("");
      return read();
    },
    { class: "quiet" },
  );
  const { node: period } = form({
    id: undefined,
    isFilter: true,
    children: [from.node, to.node],
    controls: () => [from, to],
    go: words.period,
    submit: read,
    more: [now],
  });
  const lead = h("p", { class: "muted", role: "status" });
  const behind = h("div", {});
  const sums = totals(({ method, currency }) =>
    open({ from: shown.from, to: shown.to }, (one) => {
      const isOf = method === undefined || one.method === method || one.from === method;
      return isOf && one.amount !== undefined && one.currency === currency;
    }),
  );
  /** @type {{ from?: string | undefined, to?: string | undefined }} */
  let shown = {};

  /** Shows the receipts behind a figure. @param {Record<string, unknown>} query @param {(one: Receipt) => boolean} [isOf] */
  async function open(query, isOf = () => true) {
    const { items, more } = await list("/receipts", { query, signal, most: MOST });
    const rows = receipts(words.behind, true);
    rows.update(/** @type {Receipt[]} */ (items).filter(isOf), { isCut: more });
    show(behind, more && h("p", { class: "note" }, DESK.recall.more), rows.node);
    behind.scrollIntoView({ block: "nearest" });
  }
  const days = table({
    caption: words.captionDays,
    none: words.none,
    key: (/** @type {DayTakings} */ one) => `${one.day} ${one.holder}`,
    columns: [
      { label: words.columns.day, cell: (one) => dated(one.day) },
      { label: words.columns.holder, cell: (one) => told(one.holder), kind: "wide" },
      {
        label: words.columns.receipts,
        cell: (one) =>
          button(number(one.receipts), () => open({ from: one.day, to: one.day, holder: one.holder }), {
            class: "quiet",
            "aria-label": `${words.behind}: ${day(one.day)}, ${one.holder}`,
          }),
        kind: "number",
      },
      {
        label: words.columns.net,
        cell: (one) =>
          one.totals.map((total) =>
            h("div", {}, `${money(total.net, total.currency)}, ${MONEY.methods[total.method]}`),
          ),
        kind: "number",
      },
    ],
  });

  async function read() {
    const query = { from: from.value(), to: to.value() };
    const { data } = /** @type {{ data: Takings }} */ (await call("GET", "/takings", { query, signal }));
    const [first, last] = [day(data.from), day(data.to)];
    const said = [
      first === last ? words.leadDay(first) : words.lead(first, last),
      words.count(data.receipts, data.unpriced),
      inexact(data.beyond),
      data.more ? words.more : "",
    ];
    lead.textContent = said.filter(Boolean).join(" ");
    shown = { from: data.from, to: data.to };
    sums.update(data, { flash: true });
    days.update(data.items, { flash: true, isCut: data.more });
  }
  node.append(period, lead, sums.node, days.node, behind, slip(node, signal));
  await read();
  follow(() => read().catch(() => {}), signal, ["Receipt"]);
}

/** The form that makes a slip, which is put below it. @param {HTMLElement} node @param {AbortSignal} signal */
function slip(node, signal) {
  const words = MONEY.takings;
  const before = slips.get("last");
  const from = { ...(before === undefined ? {} : { last: words.sinceLast(before) }), ...words.since };
  const since = choice("since", words.begins, Object.entries(from));
  const above = control({ name: "above", label: words.above, kind: "whole", required: true });
  const upto = control({ name: "upto", label: words.upto, kind: "whole", hint: words.uptoHint });
  const float = control({ name: "float", label: words.float, kind: "whole" });
  const counted = control({ name: "counted", label: words.cash, kind: "whole" });
  const paper = h("article", { class: "paper" });
  const size = h("div", { class: "actions" });
  const isByNumber = () => since.select.value === "number";
  const fit = () => (above.node.hidden = !isByNumber());
  since.select.addEventListener("change", fit);
  fit();

  /** The receipt after which the slip begins, if there is one to begin with. */
  async function begin() {
    if (isByNumber()) return above.value();
    if (since.select.value === "last") return slips.get("last");
    const query = { from: today(), to: today(), limit: 1 };
    /** @type {{ data: { items: Receipt[] } }} */
    const { data } = await call("GET", "/receipts", { query, signal });
    return data.items[0] && Number(data.items[0].receiptId) - 1;
  }
  const { node: editor } = form({
    id: undefined,
    children: [
      h("h2", {}, words.slip),
      h("p", {}, words.slipLead),
      h("div", { class: "grid" }, since.node, above.node, upto.node, float.node, counted.node),
    ],
    controls: () => [...(isByNumber() ? [above] : []), upto, float, counted],
    go: words.make,
    async submit() {
      const begun = await begin();
      const query = { above: begun, upto: upto.value() };
      const { data } =
        begun === undefined
          ? { data: undefined }
          : /** @type {{ data: Takings }} */ (await call("GET", "/takings", { query, signal }));
      if (!data || (data.upto ?? 0) <= Number(begun)) return upto.fault(words.noReceipts);
      const [put, found] = /** @type {(number | undefined)[]} */ ([float.value(), counted.value()]);
      show(paper, slipSheet(data, instant(new Date()), put, found));
      if (!size.hasChildNodes()) {
        size.append(
          papers(signal).node,
          button(W.bill.print, () => print(), { class: "primary" }),
        );
        node.append(paper, size);
      }
      slips.put("last", data.upto);
      paper.scrollIntoView({ block: "nearest" });
    },
  });
  return h("section", { class: "card lacks" }, editor);
}
