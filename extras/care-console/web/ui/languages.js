// The choice of the page's language.

import { LANGUAGES } from "../language.js";
import { SPEECH, W } from "../words.js";
import { h, show } from "./dom.js";

/** @param {(language: string) => unknown} speak goes over to another language */
export function languages(speak) {
  const name = h("label", { for: "language" });
  const select = h(
    "select",
    { id: "language", onchange: () => speak(select.value) },
    Object.entries(LANGUAGES).map(([value, own]) => h("option", { value, lang: value }, own)),
  );
  return {
    node: h("div", { class: "languages" }, name, select),
    select,
    /** Says it in the page's language. */
    label() {
      show(name, W.shell.language);
      select.value = SPEECH.language;
    },
  };
}
