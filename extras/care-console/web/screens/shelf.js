// The stock of one medicine in units: its lots, and the forms that change them.

import { Problem, call, list, once } from "../api.js";
import { number } from "../formats.js";
import { follow, newest } from "../live.js";
import { may } from "../scopes.js";
import { steady } from "../steady.js";
import { sure } from "../ui/dialog.js";
import { around, button, h, link, show, told } from "../ui/dom.js";
import { cut, lacks } from "../ui/lacks.js";
import { pill } from "../ui/pill.js";
import { refusal } from "../ui/problem.js";
import { persist } from "../ui/stale.js";
import { dated, table } from "../ui/table.js";
import { DESK, STOCK, W } from "../words.js";
import { level } from "../ui/chart.js";
import { card } from "./bincard.js";
import { count, named, receive, remove, settings, start, whoGot } from "./shelf_forms.js";

/** @typedef {import("../contract.js").Stock} Stock */
/** @typedef {Stock["lots"][number]} Lot */
/** @typedef {import("../contract.js").Movement} Movement */

/** The number of movements on the bin card. */
const MOVEMENTS = 200;
/** The number of movements that are read. */
const MOST = 5000;

/** @param {import("../router.js").Place} place */
export async function shelf({ node, signal, parameters: [medicine = ""], title, say, go, settle }) {
  const item = "/inventory/" + encodeURIComponent(medicine);
  const path = item + "/stock";
  const back =
    may("inventory:write") &&
    link("/inventory/of/" + encodeURIComponent(medicine), W.inventory.edit, { class: "button quiet" });
  const starting = steady("start " + item, say);
  if (await starting.learn()) {
    settle("start");
    say(STOCK.wasEntered);
  }
  /** @type {{ data: Stock, tag: string } | undefined} */
  let stock;
  try {
    if (!location.hash.endsWith("?untracked")) stock = await call("GET", path, { signal });
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error;
  }
  if (!stock) {
    const { data } = /** @type {{ data: import("../contract.js").Item }} */ (await call("GET", item, { signal }));
    title(around(STOCK.title, data.medicine), back);
    node.append(lacks("inventory:write"));
    const begun = (text = STOCK.started) => go("/inventory/stock/" + encodeURIComponent(medicine) + "?", text);
    if (may("inventory:write")) node.append(start(path, starting, begun));
    return;
  }
  let now = stock;
  const figures = h("dl", { class: "figures" });
  const held = h("p", { hidden: true }, pill(STOCK.held, "bad"));
  const trouble = h("div", {});
  const rest = cut();
  const desk = h("div", {});
  const lots = table({
    caption: STOCK.lots,
    none: STOCK.noLots,
    key: (/** @type {Lot} */ lot) => `${lot.expires ?? ""} ${lot.lot ?? ""}`,
    columns: [
      { label: STOCK.lotColumns.lot, cell: (lot) => told(lot.lot ?? STOCK.noLot), kind: "wide" },
      { label: STOCK.lotColumns.expires, cell: (lot) => (lot.expires ? dated(lot.expires) : STOCK.noDay) },
      { label: STOCK.lotColumns.onHand, cell: (lot) => number(lot.onHand), kind: "number" },
      {
        label: STOCK.lotColumns.usable,
        cell: (lot) => (lot.usable ? pill(STOCK.usable, "good") : pill(STOCK.notUsable, "bad")),
      },
      {
        label: DESK.expiring.columns.actions,
        cell: (lot) =>
          link(whoGot(now.data.medicine, lot), DESK.expiring.who, {
            class: "button quiet",
            "aria-label": DESK.expiring.whoOf(now.data.medicine, named(lot)),
          }),
        kind: "actions",
      },
    ],
  });
  /** What makes taking a movement back twice the same as once. @type {Map<unknown, string>} */
  const keys = new Map();
  const movements = card(({ movementId, kind }) =>
    attempt(async () => {
      if (!(await sure(STOCK.sureReverse, STOCK.sureReverseDetail(STOCK.kinds[kind]), STOCK.reverse, signal))) return;
      const key = keys.get(movementId) ?? once();
      keys.set(movementId, key);
      await call("POST", `/movements/${movementId}/reversal`, { once: key });
      await done(STOCK.reversed);
    }),
  );
  const drawing = h("div", {});
  const hold = button(STOCK.hold, () => attempt(turn), { class: "quiet" });
  const end = button(
    STOCK.end,
    () =>
      attempt(async () => {
        if (!(await sure(STOCK.sureEnd, STOCK.sureEndDetail, STOCK.end, signal))) return;
        await call("DELETE", path, { ifMatch: now.tag });
        go("/inventory", STOCK.ended);
      }),
    { class: "quiet" },
  );

  /** @param {() => Promise<unknown>} deed */
  async function attempt(deed) {
    show(trouble);
    await deed().catch((error) => show(trouble, refusal(error)));
  }

  /** Holds the stock back, or lifts the hold, unless another person has done so. */
  async function turn() {
    const { held } = now.data;
    /** @returns {Promise<{ data: Stock, tag: string }>} */
    const get = () => call("GET", path);
    const put = (/** @type {string} */ tag) => call("PUT", path, { body: { held: !held }, ifMatch: tag });
    await persist(put, get, now.tag, (data) => data.held === held);
    await read();
  }

  /** The button that opened the form. @type {HTMLElement | undefined} */
  let opener;

  /**
   * A button that opens one of the forms, which closes when it is done. If the answer to its last request was lost, the
   * outcome is told instead.
   * @param {import("../drafts.js").Kept} id the form's @param {string} label
   * @param {(sending: import("./shelf_forms.js").Sending) => HTMLElement} make
   */
  function forming(id, label, make, attributes = {}) {
    const own = button(
      label,
      () =>
        attempt(async () => {
          opener = own;
          const sending = steady(`${id} ${item}`, say);
          if (await sending.learn()) {
            settle(id);
            return done(STOCK.wasEntered);
          }
          show(desk, h("section", { class: "card" }, make(sending), button(W.form.close, close, { class: "quiet" })));
          desk.querySelector("input")?.focus();
        }),
      attributes,
    );
    return own;
  }

  /** Closes the form. The focus goes back to the button that opened it. */
  function close() {
    show(desk);
    opener?.focus();
  }
  desk.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.isComposing) close();
  });
  /** @param {string} text */
  const done = async (text) => {
    close();
    await read().catch(() => {});
    say(text);
  };

  /** The tag of the stock whose movements are shown. */
  let drawn = "";

  /** Reads the stock, and its movements only when there are new ones: another medicine's are news too. */
  const read = newest(async (isLast) => {
    const stock = /** @type {typeof now} */ (await call("GET", path, { signal, quiet: true }));
    if (!isLast()) return;
    const before = now.tag;
    now = stock;
    display(now.tag !== before);
    if (drawn === now.tag) return;
    const { items, isCut } = await latest(medicine, signal);
    if (!isLast()) return;
    rest.hidden = !isCut;
    drawn = stock.tag;
    movements.update(items, { flash: true });
    const ends = new Map([...items].reverse().map((one) => [one.day, one.balance]));
    const points = [...ends].map(([day, units]) => ({ day, units }));
    show(drawing, level(STOCK.chart(now.data.unit), points));
  });

  /** @param {boolean} flash */
  function display(flash) {
    const { data } = now;
    const names = /** @type {const} */ (["available", "onHand", "reserved", "expired", "ordered"]);
    show(
      figures,
      names.map((name) =>
        h("div", {}, h("dt", {}, STOCK.figures[name]), h("dd", {}, told(STOCK.units(Number(data[name]), data.unit)))),
      ),
    );
    held.hidden = !data.held;
    hold.textContent = data.held ? STOCK.lift : STOCK.hold;
    lots.update(data.lots, { flash });
  }
  const advice = link("/restock/of/" + encodeURIComponent(now.data.medicine), STOCK.advice, { class: "button quiet" });
  title(around(STOCK.title, now.data.medicine), now.data.policy !== "none" && advice, back);
  display(false);
  node.append(
    lacks("inventory:write"),
    held,
    figures,
    h(
      "div",
      { class: "actions", hidden: !may("inventory:write") },
      forming(
        "receive",
        STOCK.receive,
        (sending) => receive(item, now.data, sending, (text = STOCK.received) => done(text)),
        { class: "primary" },
      ),
      forming("remove", STOCK.remove, (sending) =>
        remove(item, now.data, sending, (text = STOCK.removed) => done(text)),
      ),
      forming("count", STOCK.count, (sending) =>
        count(
          item,
          () => now,
          sending,
          (text = STOCK.counted) => done(text),
          read,
        ),
      ),
      forming("settings", STOCK.settings, () => settings(path, now, () => done(STOCK.saved), say), { class: "quiet" }),
      hold,
      end,
    ),
    trouble,
    desk,
    lots.node,
    drawing,
    rest,
    movements.node,
  );
  await read();
  follow(() => read().catch(() => {}), signal, ["Inventory", "Stock", "Movement"]);
}

/**
 * The last movements of a medicine, the latest first, and whether there are others. The list ascends, so all of it is read:
 * of a longer one the first are shown.
 * @param {string} medicine @param {AbortSignal} signal
 */
async function latest(medicine, signal) {
  const { items, more } = await list("/movements", { query: { medicine }, signal, quiet: true, most: MOST });
  return { items: /** @type {Movement[]} */ (items).reverse().slice(0, MOVEMENTS), isCut: more };
}
