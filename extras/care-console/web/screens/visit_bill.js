// The invoices of a visit as one bill: paid together, each by a request of its own, and printed together.

import { Problem, call, list, once } from "../api.js";
import { follow, newest } from "../live.js";
import { may } from "../scopes.js";
import { button, h, link, show } from "../ui/dom.js";
import { lacks } from "../ui/lacks.js";
import { choice } from "../ui/form.js";
import { papers, printWhole, tongue } from "../ui/paper.js";
import { refusal } from "../ui/problem.js";
import { DESK, MONEY, W } from "../words.js";
import { receiptsOf } from "./receipts.js";
import { billSheet, labelSheet, left } from "./sheets.js";
import { till } from "./till.js";
import { unitsIn } from "./visit_of.js";
import { persons, present } from "./who.js";

/** @typedef {import("../contract.js").ListedInvoice} ListedInvoice */
/** @typedef {import("../contract.js").Movement} Movement */

/** A visit has no more prescriptions. */
const MOST = 30;

/** @param {import("../router.js").Place} place */
export async function visitBill({ node, signal, parameters: [visit = "", numbers = ""], title, say }) {
  const ids = [...new Set(numbers.split("-"))].slice(0, MOST);
  const words = DESK.bill;
  const paper = h("article", { class: "paper" });
  const trouble = h("div", {});
  const known = persons(signal);
  /** What makes paying an invoice twice the same as once. @type {Map<string, string>} */
  const keys = new Map();
  /** Why an invoice was not paid. @type {Map<string, string>} */
  const refused = new Map();
  /** @type {Map<string, Movement[]>} */
  const lots = new Map();
  /** @type {Map<string, import("../contract.js").Receipt[]>} */
  const book = new Map();
  /** @type {ListedInvoice[]} */
  let lines = [];
  /** The units that were prescribed. @type {Awaited<ReturnType<typeof unitsIn>> | undefined} */
  let units;
  const desk = till(take);
  // Another method is another request.
  desk.select.addEventListener("change", () => keys.clear());
  const printed = choice("sheet", MONEY.sheet, Object.entries({ bill: words.title, labels: MONEY.labels }));
  printed.select.addEventListener("change", () => draw());
  const sizes = papers(signal);
  const language = tongue(paper, () => draw());
  const print = button(W.bill.print, () => printWhole(paper), { class: "quiet" });

  let isBusy = false;
  /** Takes the payment of one invoice after the other. A refused one does not keep the others. @param {string} by */
  async function take(by) {
    if (isBusy) return;
    isBusy = true;
    show(trouble);
    refused.clear();
    let paid = 0;
    for (const { invoiceId, state } of lines) {
      if (state !== "unpaid") continue;
      const id = String(invoiceId);
      const key = keys.get(id) ?? once();
      keys.set(id, key);
      try {
        await call("POST", `/invoice/${id}/payment`, { once: key, body: { method: by } });
        paid += 1;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        refused.set(id, error.message);
        // Where nothing answers, the others would wait in vain.
        if (error.status === 0 || error.status === 401) break;
      }
    }
    isBusy = false;
    await read().catch((error) => show(trouble, refusal(error)));
    say([paid > 0 && words.paid(paid), refused.size > 0 && words.refused(refused.size)].filter(Boolean).join(" "));
  }

  /** Reads the invoices and what was handed out, and shows all at once. */
  const read = newest(async (isLast) => {
    const patientId = lines[0]?.patientId ?? (await patientOf(ids, signal));
    const query = { patientId, newest: true };
    const { items } = await list("/invoice", { query, signal, quiet: lines.length > 0 });
    const found = /** @type {ListedInvoice[]} */ (items).filter((one) => ids.includes(String(one.invoiceId))).reverse();
    await Promise.all([...found.map(receiptsFor), ...(may("inventory:read") ? found.map(handedOut) : [])]);
    const marked = await known.marked(found);
    units ??= await unitsIn(visit, patientId, signal);
    if (!isLast()) return;
    const of = units;
    lines = marked.map((line) => {
      const quantity = line.quantity ?? of(line.medicine);
      return quantity === undefined ? line : { ...line, quantity };
    });
    for (const { invoiceId, state } of lines) if (state !== "unpaid") refused.delete(String(invoiceId));
    draw();
    const isDone = lines.every((line) => line.state !== "unpaid");
    // The focus must not be lost with the button that had it.
    if (isDone && desk.hasFocus()) print.focus();
    desk.ask(lines.filter((line) => line.state === "unpaid"));
    desk.node.hidden = isDone || !may("invoice:write");
  });

  /** @param {ListedInvoice} line */
  async function handedOut({ invoiceId, state }) {
    const id = String(invoiceId);
    if (state === "unpaid" || (state === "paid" && lots.has(id))) return;
    const { items } = await list("/movements", { query: { invoiceId: id }, signal, quiet: true });
    lots.set(id, left(/** @type {Movement[]} */ (items)));
  }

  /** @param {ListedInvoice} line */
  async function receiptsFor({ invoiceId, state }) {
    const id = String(invoiceId);
    if (state !== "unpaid") book.set(id, await receiptsOf(id, signal));
  }

  /** Shows the sheet that was chosen as it will be printed. */
  function draw() {
    const isLabels = printed.select.value === "labels";
    paper.classList.toggle("label", isLabels);
    sizes.use(isLabels ? "label" : "sheet");
    const of = (/** @type {ListedInvoice} */ { invoiceId }) => lots.get(String(invoiceId)) ?? [];
    const gone = ids.filter((id) => lines.every((line) => String(line.invoiceId) !== id));
    language.write(() =>
      isLabels
        ? lines.flatMap((line) => labelSheet(String(line.invoiceId), line, of(line), line.quantity))
        : billSheet({ lines, lots, refused, book, gone }),
    );
  }

  title(words.title);
  await read();
  title(
    words.title,
    may("patient:read") && link("/patients/" + lines[0]?.patientId, words.patient, { class: "button quiet" }),
    may("history:read", "patient:read", "prescriptions:read") &&
      link("/visits/" + visit, words.visit, { class: "button quiet" }),
  );
  node.append(
    lines[0] ? present(lines[0], signal) : "",
    lacks("invoice:write", "inventory:read"),
    desk.node,
    trouble,
    paper,
    h("div", { class: "actions" }, printed.node, sizes.node, language.node, print),
  );
  if (!desk.node.hidden && document.activeElement?.matches("h1")) desk.select.focus();
  follow(() => read().catch(() => {}), signal, ["Invoice", "Receipt", "Patient"]);
}

/** Whose invoices these are: some may have been cancelled. @param {string[]} ids @param {AbortSignal} signal */
async function patientOf(ids, signal) {
  /** @type {unknown} */
  let missing;
  for (const id of ids) {
    try {
      const { data } = await call("GET", "/invoice/" + id, { signal });
      return /** @type {import("../contract.js").Invoice} */ (data).patientId;
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error;
      missing = error;
    }
  }
  throw missing;
}
