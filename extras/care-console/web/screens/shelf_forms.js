// The forms of a shelf: starting, receiving, removing, counting, settings.

import { Problem, call } from "../api.js";
import { counting, isOvertaken, recount } from "../drafts.js";
import { correct, correction, isAsTyped } from "../steady.js";
import { h, show } from "../ui/dom.js";
import { edit } from "../ui/edit.js";
import { choice, chosen, control, filled, form, grid } from "../ui/form.js";
import { day } from "../formats.js";
import { ask } from "../ui/dialog.js";
import { MONEY, STOCK, W } from "../words.js";
import { currencyField } from "./prices.js";

/** @typedef {import("../contract.js").Stock} Stock */
/** @typedef {Stock["lots"][number]} Lot */
/** @typedef {import("../ui/form.js").Control} Control */
/** @typedef {ReturnType<typeof import("../steady.js").steady>} Sending */
/** What is told when a form is done: what is usual, unless it is something else. @typedef {(text?: string) => unknown} Done */

/** The fields of a lot. */
const lotFields = () => [
  control({ name: "lot", label: STOCK.fields.lot }),
  control({ name: "expires", label: STOCK.fields.expires, kind: "lastDay" }),
];

/** Tracks a medicine from now on. @param {string} path @param {Sending} sending @param {Done} done */
export function start(path, sending, done) {
  const unit = control({ name: "unit", label: STOCK.fields.unit, hint: STOCK.unitHint, required: true });
  const pack = control({ name: "packUnits", label: STOCK.fields.packUnits, kind: "whole" });
  const supply = control({ name: "supplyUnits", label: STOCK.fields.supplyUnits, kind: "whole" });
  const units = control({ name: "opening[0].units", label: STOCK.fields.units, kind: "whole" });
  const lot = lotFields().map((one) => ({ ...one, name: `opening[0].${one.name}` }));
  const controls = [unit, pack, supply, units, ...lot];
  /** @type {Awaited<ReturnType<Sending["learn"]>>} */
  let made;
  const { node } = form({
    id: "start",
    children: [h("p", {}, STOCK.startLead), grid(controls)],
    controls: () => controls,
    go: STOCK.start,
    async submit() {
      const entered = filled([unit, pack, supply]);
      const opening = filled([units, ...lot].map((one) => ({ ...one, name: one.name.replace("opening[0].", "") })));
      const body = Object.keys(opening).length === 0 ? entered : { ...entered, opening: [opening] };
      made ??= await sending.make(path, body);
      const { opening: lots, ...settings } = correction(made.body, body);
      const isDone = Object.keys(settings).length === 0 || (await correct(path, settings, made.tag));
      done(lots === undefined && isDone ? undefined : STOCK.wasEntered);
    },
  });
  return node;
}

/** @param {string} item @param {Stock} stock @param {Sending} sending @param {Done} done */
export function receive(item, stock, sending, done) {
  const controls = [
    control({ name: "units", label: STOCK.unitsOf(stock.unit), kind: "whole", required: true }),
    ...lotFields(),
    control({ name: "cost", label: STOCK.fields.cost, kind: "whole" }),
    currencyField(STOCK.fields.currency),
    control({ name: "note", label: STOCK.fields.note, wide: true }),
  ];
  const kind = () => ({ kind: "receipt" });
  return move({
    id: "receive",
    item,
    label: STOCK.receive,
    controls,
    more: kind,
    children: [grid(controls)],
    sending,
    done,
  });
}

/** @param {string} item @param {Stock} stock @param {Sending} sending @param {Done} done */
export function remove(item, stock, sending, done) {
  const controls = [
    control({ name: "units", label: STOCK.unitsOf(stock.unit), kind: "whole", required: true }),
    control({ name: "note", label: STOCK.fields.note }),
  ];
  const lot = lotChoice(STOCK.which, stock.lots);
  const reason = choice("reason", STOCK.fields.reason, [["", MONEY.choose], ...Object.entries(STOCK.reasons)]);
  const kind = () => {
    if (reason.select.value === "") {
      reason.select.focus();
      throw new Problem(422, { title: STOCK.noReason, detail: STOCK.noReason });
    }
    return { kind: "removal", reason: reason.select.value, ...lot.chosen() };
  };
  const children = [h("div", { class: "grid" }, lot.node, reason.node), grid(controls)];
  return move({ id: "remove", item, label: STOCK.remove, controls, more: kind, children, sending, done });
}

/**
 * Puts units that a patient brings back into the lot that they were taken from, folded up below the bill.
 * @param {string} invoice @param {import("../contract.js").Movement[]} lots what was handed out, at least one
 * @param {Sending} sending @param {Done} done
 */
export function takeBack(invoice, lots, sending, done) {
  const controls = [
    control({ name: "units", label: STOCK.fields.units, kind: "whole", required: true }),
    control({ name: "note", label: STOCK.fields.note }),
  ];
  const lot = lotChoice(STOCK.whichBack, lots);
  const kind = () => ({ kind: "return", invoiceId: Number(invoice), ...lot.chosen() });
  const item = "/inventory/" + encodeURIComponent(lots[0]?.medicine ?? "");
  const children = [lot.node, grid(controls)];
  const editor = move({ id: "return", item, label: STOCK.takeBack, controls, more: kind, children, sending, done });
  return h("details", { class: "card" }, h("summary", {}, STOCK.takeBack), editor);
}

/** Asks why units are removed. @param {string} question @param {AbortSignal} signal @returns {Promise<string | undefined>} */
export async function reasonOf(question, signal) {
  const reasons = Object.entries(STOCK.reasons);
  const answer = await ask(question, STOCK.fields.reason, [...reasons.map(([, text]) => text), W.form.cancel], signal);
  return reasons[answer]?.[0];
}

/** What tells a lot from the others of its medicine. @param {{ lot?: string, expires?: string }} lot */
const identity = ({ lot, expires }) => JSON.stringify([expires ?? null, lot ?? null]);

/**
 * A choice among lots by their identity: a draft outlives the order in which they stand on the shelf.
 * @param {string} label @param {{ lot?: string, expires?: string }[]} lots
 */
function lotChoice(label, lots) {
  // None of several is chosen beforehand: another one may be the first when a draft is put back.
  const options = lots.map((one) => [identity(one), named(one)]);
  const { node, select } = choice("from", label, lots.length > 1 ? [["", MONEY.choose], ...options] : options);
  return {
    node,
    /** @throws {Problem} when the lot that was chosen is no longer there */
    chosen() {
      const found = lots.find((one) => identity(one) === select.value);
      if (found) return { lot: found.lot, expires: found.expires };
      select.focus();
      throw new Problem(422, { title: STOCK.noLotChosen, detail: STOCK.noLotChosenDetail });
    },
  };
}

/**
 * @param {{ item: string, id: import("../drafts.js").Kept, label: string, controls: Control[], more: () => Record<string, unknown>,
 *   children: HTMLElement[], sending: Sending, done: Done }} options
 */
function move({ item, id, label, controls, more, children, sending, done }) {
  const { node } = form({
    id,
    children: [h("h2", {}, label), ...children],
    controls: () => controls,
    go: label,
    async submit() {
      const body = { ...more(), ...filled(controls) };
      const made = await sending.make(item + "/movements", body);
      await done(isAsTyped(made, body) ? undefined : STOCK.wasEntered);
    },
  });
  return node;
}

/**
 * Counts the lots. A count is refused when units were moved meanwhile, since it would be wrong; the lots are then shown as
 * they are, each with what was typed at it.
 * @param {string} item @param {() => { data: Stock, tag: string }} latest as it was read last
 * @param {Sending} sending @param {Done} done @param {() => Promise<void>} again
 */
export function count(item, latest, sending, done, again) {
  const grown = h("div", { class: "grid" });
  const found = [control({ name: "counted", label: STOCK.fields.units, kind: "whole" }), ...lotFields()];
  let stock = latest();
  /** @type {{ lot: Lot, control: Control }[]} */
  let lines = [];
  function display() {
    stock = latest();
    const typed = new Map(lines.map((line) => [identity(line.lot), line.control.value()]));
    const at = grown.contains(document.activeElement) ? document.activeElement?.getAttribute("data-of") : undefined;
    lines = stock.data.lots.map((lot) => {
      const of = identity(lot);
      const hint = STOCK.units(lot.onHand, stock.data.unit);
      const value = typed.get(of);
      return { lot, control: control({ name: "counted", of, label: named(lot), kind: "whole", hint, value }) };
    });
    for (const { input } of [...lines.map((line) => line.control), ...found]) {
      counting(input, stock.tag);
      recount(input);
    }
    show(
      grown,
      lines.map((line) => line.control.node),
    );
    if (at) (lines.find(({ lot }) => identity(lot) === at)?.control ?? found[0])?.input.focus();
  }
  display();
  const entered = () => lines.filter((line) => line.control.value() !== undefined);
  const overtaken = () => new Problem(412, { title: W.stale.title, detail: STOCK.stale });
  const { node, complain } = form({
    id: "count",
    children: [
      h("h2", {}, STOCK.count),
      h("p", {}, STOCK.countLead),
      grown,
      h("fieldset", {}, h("legend", {}, STOCK.otherLot), grid(found)),
    ],
    controls: () => [
      ...entered().map((line, place) => ({ ...line.control, name: `lines[${place}].counted` })),
      ...found.map((one) => ({ ...one, name: `lines[${entered().length}].${one.name}` })),
    ],
    late: (fields) => fields && complain(overtaken()),
    go: STOCK.count,
    async submit() {
      const other = filled(found);
      const body = {
        lines: [
          ...entered().map((line) => ({ lot: line.lot.lot, expires: line.lot.expires, counted: line.control.value() })),
          ...(Object.keys(other).length > 0 ? [other] : []),
        ],
      };
      const fields = [...entered().map((line) => line.control), ...found];
      try {
        if (fields.some(({ input }) => isOvertaken(input))) throw overtaken();
        const made = await sending.make(item + "/count", body, stock.tag);
        await done(isAsTyped(made, body) ? undefined : STOCK.wasEntered);
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 412) throw error;
        await again();
        display();
        throw overtaken();
      }
    },
  });
  return node;
}

/** The policies that use a number; the others use all. @type {Record<string, string[]>} */
const USED_BY = {
  min: ["minMax"],
  max: ["minMax"],
  minDays: ["cover", "service"],
  maxDays: ["cover", "service"],
  leadDays: ["cover", "service"],
  reviewDays: ["service"],
  serviceLevel: ["service"],
};

/**
 * @param {string} path @param {{ data: Stock, tag: string }} read the stock with its tag
 * @param {Done} done @param {(text: string) => void} say
 */
export function settings(path, { data: stock, tag }, done, say) {
  const whole = /** @type {const} */ ([
    "packUnits",
    "supplyUnits",
    "keepDays",
    "ordered",
    "min",
    "max",
    "minDays",
    "maxDays",
    "leadDays",
    "reviewDays",
    "serviceLevel",
  ]);
  const controls = [
    control({ name: "unit", label: STOCK.fields.unit, value: stock.unit, required: true }),
    ...whole.map((name) => control({ name, label: STOCK.fields[name], kind: "whole", value: stock[name] })),
  ];
  const policy = chosen("policy", STOCK.fields.policy, STOCK.policies, stock.policy);
  const basis = chosen("basis", STOCK.fields.basis, STOCK.bases, stock.basis);
  /** Shows the numbers that the policy uses. */
  function fit() {
    for (const { name, node } of controls) {
      const policies = USED_BY[name];
      node.hidden = policies !== undefined && !policies.includes(policy.input.value);
    }
  }
  policy.input.addEventListener("change", fit);
  fit();
  const all = [policy, basis, ...controls];
  return edit({
    id: "settings",
    children: [h("h2", {}, STOCK.settings), grid(all)],
    parts: [{ controls: all, send: (body, tag) => call("PUT", path, { body, ifMatch: tag }) }],
    tag,
    get: () => call("GET", path),
    done,
    say,
    isMoving: true,
    record: { kind: "Stock", id: stock.medicine },
  });
}

/** How a lot is called. @param {{ lot?: string, expires?: string }} lot */
export const named = (lot) => STOCK.lotOf(lot.lot ?? "", lot.expires ? day(lot.expires) : "") || STOCK.noLot;

/** A lot as it is compared: in any spelling it is the same. @param {string | undefined} lot */
export const spelt = (lot = "") =>
  lot.replace(/[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, "").toLowerCase();

/** The address of the list of those who got a lot. @param {string} medicine @param {{ lot?: string, expires?: string }} lot */
export const whoGot = (medicine, { lot = "", expires }) =>
  `/inventory/stock/${encodeURIComponent(medicine)}/lot/${encodeURIComponent(lot)}` +
  (expires ? "?" + new URLSearchParams({ expires }) : "");
