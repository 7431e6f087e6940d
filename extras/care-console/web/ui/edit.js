// Editing one record while others may edit it too.

import { Problem } from "../api.js";
import { rebase } from "../drafts.js";
import { h, show } from "./dom.js";
import { changes, form, grid } from "./form.js";
import { differs, persist, sides } from "./stale.js";
import { SPEECH, W } from "../words.js";

/** @typedef {import("./form.js").Control} Control */
/**
 * A part of a record that is sent by a request of its own.
 * @typedef {object} Part
 * @property {Control[]} controls
 * @property {string} [called] what is said of it where another part is refused
 * @property {(body: Record<string, unknown>, tag: string) => Promise<{ tag: string }>} send writes what was edited
 */

/**
 * A form over one record that was read with its tag. It sends only what was edited, under that tag. If others have stored
 * something else in the same fields, both versions are shown, and one is chosen for each field.
 * @param {object} options
 * @param {import("../drafts.js").Kept} options.id
 * @param {Part[]} options.parts in the order in which they are sent
 * @param {string} options.tag the record's, as it was read
 * @param {() => Promise<{ data: any, tag: string }>} options.get reads the record again
 * @param {(body: Record<string, unknown>) => Promise<boolean>} [options.isMeant] asks about what was edited, if need be
 * @param {() => unknown} options.done goes on afterwards
 * @param {(text: string) => void} options.say
 * @param {import("./dom.js").Child[]} [options.children] its fields as they are shown
 * @param {import("./stale.js").Kept} [options.record] as the journal names it
 * @param {boolean} [options.isMoving] whether fields that were not edited change by themselves
 */
export function edit({ id, parts, tag, get, isMeant, done, say, children, isMoving = false, record }) {
  const controls = parts.flatMap((part) => part.controls);
  const place = h("div");
  /** The choice between two versions, while it is open. @type {(ReturnType<typeof sides> & { settle: () => void }) | undefined} */
  let choice;
  const { node, complain, trouble } = form({
    id,
    children: children ?? [grid(controls)],
    controls: () => controls,
    go: W.form.save,
    submit,
    tag: () => tag,
    late(fields) {
      const asked = controls.filter((control) => fields?.includes(control.input));
      const stored = Object.fromEntries(controls.map((control) => [control.name, control.first]));
      asked.length > 0 ? choose({ data: stored, tag }, asked) : close();
    },
  });
  node.append(place);

  function close() {
    choice = undefined;
    show(place);
  }

  /** Takes what is stored by now, except in the fields that keep what was typed. @param {Record<string, unknown>} stored @param {(name: string) => boolean} keeps */
  function take(stored, keeps) {
    for (const control of controls) {
      control.first = stored[control.name];
      if (!keeps(control.name)) control.put(control.first);
      rebase(control.input, control.first);
    }
    close();
    node.dispatchEvent(new Event("input"));
  }

  /** Shows what others have stored beside what was typed. @param {{ data: Record<string, unknown>, tag: string }} now @param {Control[]} asked */
  function choose({ data, tag: latest }, asked) {
    const made = sides({
      controls,
      stored: data,
      asked,
      record,
      save: () => node.requestSubmit(),
      theirs() {
        tag = latest;
        take(data, () => false);
        controls[0]?.input.focus();
      },
    });
    function settle() {
      tag = latest;
      const edited = changes(controls);
      take(data, (name) => name in edited && made.keeps(name));
    }
    choice = { ...made, settle };
    show(place, made.node);
  }

  async function submit() {
    if (choice && !choice.isMade()) return choice.ask();
    choice?.settle();
    const body = changes(controls);
    if (Object.keys(body).length === 0) return say(W.form.nothingChanged);
    if (isMeant && !(await isMeant(body))) return;
    const due = parts.filter((part) => Object.keys(changes(part.controls)).length > 0);
    let saved = 0;
    try {
      for (; saved < due.length; saved += 1) if (!(await put(/** @type {Part} */ (due[saved])))) break;
    } catch (error) {
      complain(error);
    }
    if (saved === due.length) return void done();
    const called = (/** @type {Part[]} */ some) => SPEECH.list(some.map((part) => part.called ?? ""));
    if (saved === 0) return;
    trouble.prepend(
      h("p", { class: "note", role: "alert" }, W.form.half(called(due.slice(0, saved)), called(due.slice(saved)))),
    );
  }

  /** Sends a part, and returns whether it is stored; if not, the choice is open. @param {Part} part */
  async function put({ controls: own, send }) {
    const body = changes(own);
    const edited = own.filter(({ name }) => name in body);
    const isSame = (/** @type {Record<string, unknown>} */ data) =>
      isMoving && edited.every(({ name, first }) => data[name] === first);
    try {
      tag = (await persist((tag) => send(body, tag), get, tag, isSame)).tag;
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 412) throw error;
      const now = await get();
      const others = edited.filter((one) => differs(one.value(), now.data[one.name]));
      // The answer to the same request may have been lost.
      if (others.length > 0) {
        const asked = others.filter((one) => differs(one.first, now.data[one.name]));
        choose(now, asked);
        choice?.focus();
        return false;
      }
      tag = now.tag;
    }
    for (const control of edited) {
      control.first = control.value();
      rebase(control.input, control.kind === "check" ? control.first : control.input.value);
    }
    node.dispatchEvent(new Event("input"));
    return true;
  }
  return node;
}
