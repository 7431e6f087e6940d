// The sign-in screen, and the one of a locked page.

import { Problem } from "../api.js";
import { canLock, isPin, locked, triesLeft, unlock } from "../lock.js";
import { canBeSent } from "../session.js";
import { button, h, told } from "../ui/dom.js";
import { control, form } from "../ui/form.js";
import { W } from "../words.js";

/** @typedef {import("../session.js").Reason} Reason */

/** Refuses what stands in a field. @param {string} field @param {string} detail */
const wrong = (field, detail) => new Problem(401, { title: W.problem.fields, errors: [{ field, detail }] });

/**
 * @param {Reason | undefined} reason why there is no session
 * @param {(key: string, keep: boolean, pin?: string) => Promise<void>} open
 */
export function signIn(reason, open) {
  const key = control({ name: "key", label: W.signIn.key, required: true });
  key.input.type = "password";
  const keep = control({ name: "keep", label: W.signIn.keep, kind: "check" });
  const pin = control({ name: "pin", label: W.lock.pin, hint: W.lock.pinHint });
  pin.input.type = "password";
  pin.node.hidden = !canLock();
  const controls = [key, keep, pin];
  const { node } = form({
    id: undefined,
    children: controls.map((one) => one.node),
    controls: () => controls,
    go: W.signIn.go,
    async submit() {
      const given = key.input.value.trim();
      if (!canBeSent(given)) throw wrong("key", W.signIn.cannotBeSent);
      const chosen = pin.input.value;
      if (chosen !== "" && !isPin(chosen)) throw wrong("pin", W.lock.pinHint);
      await open(given, keep.input.checked, chosen).catch((error) => {
        throw error instanceof Problem && error.status === 401 ? wrong("key", W.signIn.refused) : error;
      });
    },
  });
  queueMicrotask(() => key.input.focus());
  return page(W.signIn.title, reason, h("p", { class: "muted" }, W.signIn.lead), node);
}

/**
 * @param {(key: string) => Promise<void>} open
 * @param {(reason: Reason) => void} leave signs out
 */
export function locking(open, leave) {
  const pin = control({ name: "pin", label: W.lock.pin, required: true });
  pin.input.type = "password";
  const { node } = form({
    id: undefined,
    children: [pin.node],
    controls: () => [pin],
    go: W.lock.open,
    async submit() {
      const key = await unlock(pin.input.value);
      if (key !== undefined) return open(key);
      if (!locked()) return leave("locked");
      pin.put("");
      throw wrong("pin", W.lock.wrong(triesLeft()));
    },
    more: [button(W.shell.signOut, () => leave("left"), { class: "quiet" })],
  });
  queueMicrotask(() => pin.input.focus());
  return page(W.lock.title, undefined, h("p", {}, told(locked()?.name)), node);
}

/** @param {string} title @param {Reason | undefined} reason @param {...HTMLElement} content */
const page = (title, reason, ...content) =>
  h(
    "main",
    { class: "signin" },
    h("img", { src: "icon.svg", alt: "", width: 48, height: 48 }),
    h("h1", {}, title),
    reason && h("p", { class: "note", role: "alert" }, reason === "locked" ? W.lock.wiped : W.signIn[reason]),
    content,
  );
