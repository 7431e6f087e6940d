// The sign-in screen.

import { Problem } from "../api.js";
import { canBeSent } from "../session.js";
import { h } from "../ui/dom.js";
import { control, form } from "../ui/form.js";
import { W } from "../words.js";

/**
 * @param {"left" | "idle" | "refused" | undefined} reason why there is no session
 * @param {(key: string, keep: boolean) => Promise<void>} open
 */
export function signIn(reason, open) {
  const key = control({ name: "key", label: W.signIn.key, required: true });
  key.input.type = "password";
  const keep = control({ name: "keep", label: W.signIn.keep, kind: "check" });
  const controls = [key, keep];
  const { node } = form({
    children: [key.node, keep.node],
    controls: () => controls,
    go: W.signIn.go,
    async submit() {
      const given = key.input.value.trim();
      if (!canBeSent(given)) {
        throw new Problem(0, { title: W.problem.fields, errors: [{ field: "key", detail: W.signIn.cannotBeSent }] });
      }
      await open(given, keep.input.checked).catch((error) => {
        if (!(error instanceof Problem) || error.status !== 401) throw error;
        throw new Problem(401, { title: W.problem.fields, errors: [{ field: "key", detail: W.signIn.refused }] });
      });
    },
  });
  queueMicrotask(() => key.input.focus());
  return h(
    "main",
    { class: "signin" },
    h("img", { src: "icon.svg", alt: "", width: 48, height: 48 }),
    h("h1", {}, W.signIn.title),
    reason && h("p", { class: "note", role: "alert" }, W.signIn[reason]),
    h("p", { class: "muted" }, W.signIn.lead),
    node,
  );
}
