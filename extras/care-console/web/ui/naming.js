// A field that holds the whole name of a medicine.

import { look } from "../medicines.js";
import { meant } from "../names.js";
import { becomes } from "../typed.js";
import { W } from "../words.js";
import { combobox } from "./combobox.js";
import { told } from "./dom.js";

/** The number of names that a field mentions at most. */
const NAMED = 5;

/** After a touch the browser tells of a press by a mouse, within this time in milliseconds. */
const TOUCH = 100;

/** What waits for the end of a press; `undefined` while nothing is pressed. @type {(() => void)[] | undefined} */
let waiting;
addEventListener("pointerdown", () => (waiting ??= []), { capture: true });
/** @param {PointerEvent} event */
function release({ pointerType }) {
  const end = () => {
    const all = waiting ?? [];
    waiting = undefined;
    for (const then of all) then();
  };
  setTimeout(end, pointerType === "mouse" ? 0 : TOUCH);
}
for (const end of /** @type {const} */ (["pointerup", "pointercancel"]))
  addEventListener(end, release, { capture: true });

/** Calls a listener once nothing is pressed: what moves under a press would be pressed in place of what is meant. @param {() => void} then */
const released = (then) => void (waiting ? waiting.push(then) : then());

/**
 * Makes a field hold a whole name: one that was chosen from a list, or typed so that it is equal to one. Whatever else is
 * typed is a question when the field is left: it says so, offers the names that may be meant, and is not sent.
 * @template {{ medicine: string, folded: string }} T
 * @param {import("./form.js").Control} field
 * @param {object} options
 * @param {() => import("../typed.js").Names<T>} options.names
 * @param {(item: T) => import("./dom.js").Child[]} options.detail what stands beside a name in the list
 * @param {(text: string) => string} options.unknown what is said of a text that begins no name, if anything
 * @param {boolean} [options.isFree] whether such a text may be sent: its form asks about it
 * @param {() => void} options.next goes on after Enter
 * @param {() => void} [options.left] is told that the field was left
 */
export function naming(field, { names, detail, unknown, isFree = false, next, left = () => {} }) {
  const { input } = field;
  const suggest = (/** @type {string} */ text, /** @type {number} */ most) =>
    meant(names().items, text, most).map((item) => ({
      value: item.medicine,
      shown: [told(item.medicine), " ", ...detail(item)],
    }));
  const list = combobox(field, suggest, (chosen) => {
    settle("enter", chosen);
    next();
  });
  /** What is asked of what stands in the field, `undefined` while nothing is. @type {string | undefined} */
  let asked;

  /** @param {import("../typed.js").Way} way @param {string} [chosen] what is marked in the list */
  function judged(way, chosen) {
    const known = names();
    const marked = chosen === undefined ? undefined : known.items.find((item) => item.medicine === chosen);
    return becomes({ text: input.value, way, marked, names: known });
  }

  /** The medicine whose whole name stands in the field. */
  const whole = () => judged("blur").held;

  /** What is asked of what stands in the field. */
  function question({ isAsked, begun } = judged("blur")) {
    if (!isAsked) return "";
    if (begun.length === 0) return unknown(input.value);
    const found = meant(begun, input.value, NAMED + 1).map((item) => item.medicine);
    return W.suggestions.which(found.slice(0, NAMED), found.length > NAMED);
  }

  /** Takes what stands in the field as it is left in this way, or asks. @param {import("../typed.js").Way} way @param {string} [chosen] */
  function settle(way, chosen) {
    const became = judged(way, chosen);
    if (became.text !== input.value) list.take(became.text);
    const text = question(became);
    asked = became.isAsked ? text : undefined;
    if (became.isAsked) list.offer();
    else list.close();
    if (text !== "") field.fault(text);
  }

  /** Why what stands in the field is not sent, if it is not. */
  function wrong() {
    const became = judged("blur");
    if (isFree && became.begun.length === 0) return "";
    if (became.isAsked) list.offer();
    return question(became);
  }

  /** Asks anew, or no longer, when other names are known. */
  function refresh() {
    list.refresh();
    const became = judged("blur");
    const isSame = became.isAsked && question(became) === asked;
    if (asked === undefined || isSame || document.activeElement === input) return;
    field.fault("");
    settle("blur");
  }
  input.addEventListener("blur", () =>
    released(() => {
      if (document.activeElement === input || !input.isConnected) return;
      settle("blur");
      left();
    }),
  );
  input.addEventListener("input", () => {
    asked = undefined;
    field.fault("");
    look(input.value).then(list.refresh, () => {});
  });
  field.wrong = wrong;
  // What is said when the field is left is read out, for the focus is elsewhere by then.
  field.node.querySelector(".fault")?.setAttribute("aria-live", "polite");
  return {
    whole,
    wrong,
    settle,
    refresh,
    /** Puts a name into the field, or nothing, and asks no longer. @param {string | undefined} name */
    put(name) {
      asked = undefined;
      field.put(name);
      field.fault("");
      list.close();
    },
  };
}
