// The keys that do something, in a list that `?` opens.

import { W } from "../words.js";
import { ask } from "./dialog.js";
import { h } from "./dom.js";

/** Shows the keys. */
export function keys() {
  const list = h(
    "dl",
    { class: "facts" },
    W.keys.list.flatMap(([key, deed]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, deed)]),
  );
  void ask(W.keys.title, list, [W.form.close], new AbortController().signal);
}

/** Calls the listener when a key is pressed that is no part of a text. @param {string} key @param {() => void} listener @param {AbortSignal} [signal] */
export function onKey(key, listener, signal) {
  document.addEventListener(
    "keydown",
    (event) => {
      const at = event.target;
      const types = at instanceof HTMLElement && at.matches("input, select, textarea");
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || types) return;
      if (document.querySelector("dialog:modal")) return;
      event.preventDefault();
      listener();
    },
    signal ? { signal } : {},
  );
}
