// What was taken, by day and by receipt numbers, and the slip of the drawer.

import { call } from "../api.js";
import { day, instant, money, number } from "../formats.js";
import { follow } from "../live.js";
import { tab } from "../tab.js";
import { button, h, show, told } from "../ui/dom.js";
import { control, form, grid } from "../ui/form.js";
import { papers } from "../ui/paper.js";
import { table } from "../ui/table.js";
import { MONEY, W } from "../words.js";
import { inexact, totals } from "./receipts.js";
import { slipSheet } from "./sheets.js";

/** @typedef {import("../contract.js").Takings} Takings */
/** @typedef {import("../contract.js").DayTakings} DayTakings */

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
    isFilter: true,
    children: [from.node, to.node],
    controls: () => [from, to],
    go: words.period,
    submit: read,
    more: [now],
  });
  const lead = h("p", { class: "muted", role: "status" });
  const sums = totals();
  const days = table({
    caption: words.captionDays,
    none: words.none,
    key: (/** @type {DayTakings} */ one) => `${one.day} ${one.holder}`,
    columns: [
      { label: words.columns.day, cell: (one) => day(one.day) },
      { label: words.columns.holder, cell: (one) => told(one.holder), kind: "wide" },
      { label: words.columns.receipts, cell: (one) => number(one.receipts), kind: "number" },
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
    sums.update(data.totals, { flash: true });
    days.update(data.items, { flash: true });
  }
  node.append(period, lead, sums.node, days.node, slip(node, signal));
  await read();
  follow(() => read().catch(() => {}), signal, ["Receipt"]);
}

/** The form that makes a slip, which is put below it. @param {HTMLElement} node @param {AbortSignal} signal */
function slip(node, signal) {
  const words = MONEY.takings;
  const before = slips.get("last");
  const above = control({ name: "above", label: words.above, kind: "whole", hint: words.aboveHint, value: before });
  const upto = control({ name: "upto", label: words.upto, kind: "whole", hint: words.uptoHint });
  const paper = h("article", { class: "paper" });
  const size = h("div", { class: "actions" });
  const { node: editor } = form({
    id: "slip",
    children: [h("h2", {}, words.slip), h("p", {}, words.slipLead), grid([above, upto])],
    controls: () => [above, upto],
    go: words.make,
    async submit() {
      const query = { above: above.value() ?? 0, upto: upto.value() };
      const { data } = /** @type {{ data: Takings }} */ (await call("GET", "/takings", { query, signal }));
      if ((data.upto ?? 0) <= Number(query.above)) return above.fault(words.noReceipts);
      show(paper, slipSheet(data, instant(new Date())));
      if (!size.hasChildNodes()) {
        size.append(
          papers(signal),
          button(W.bill.print, () => print(), { class: "primary" }),
        );
        node.append(paper, size);
      }
      slips.put("last", data.upto);
      paper.scrollIntoView({ block: "nearest" });
    },
  });
  return h("section", { class: "card" }, editor);
}
