// A text field with a list of suggestions, as the ARIA practices describe it: a combobox with a list box.

import { W } from "../words.js";
import { h, show, unique } from "./dom.js";

/** @typedef {{ value: string, shown: import("./dom.js").Child[] }} Suggestion */

/** The number of suggestions that are shown. */
const MOST = 20;

/**
 * Suggests texts for a field. Enter chooses the marked one, unless the field has an Enter of its own; Escape closes the list.
 * @param {import("./form.js").Control} control
 * @param {(text: string, most: number) => Suggestion[]} suggest the best first
 * @param {(marked: string | undefined) => void} [enter] what Enter does with the text that is marked, if one is
 */
export function combobox({ input, node, put }, suggest, enter) {
  const id = unique();
  const list = h("ul", { id, role: "listbox", class: "suggestions", "aria-label": W.suggestions.name, hidden: true });
  const said = h("span", { class: "unseen", role: "status" });
  /** @type {Suggestion[]} */
  let all = [];
  let marked = -1;
  /** Whether nothing was found for what stands in the field. */
  let isVain = false;
  /** Whether the list stays open when the field is left, for it is to be chosen from. */
  let isOffered = false;
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-controls": id })) {
    input.setAttribute(name, value);
  }
  node.classList.add("suggesting");
  input.after(list, said);
  close();

  function close() {
    marked = -1;
    isOffered = false;
    list.classList.remove("offered");
    list.hidden = true;
    input.ariaExpanded = "false";
    input.removeAttribute("aria-activedescendant");
  }

  function open() {
    const found = suggest(input.value, MOST + 1);
    all = found.slice(0, MOST);
    isVain = all.length === 0;
    show(
      list,
      all.map(({ shown }, place) =>
        h("li", { id: id + place, role: "option", "aria-selected": "false", onclick: () => choose(place) }, shown),
      ),
    );
    said.textContent = found.length > MOST ? W.suggestions.first(MOST) : W.suggestions.count(all.length);
    if (all.length === 0) return close();
    marked = -1;
    list.hidden = false;
    list.scrollTop = 0;
    input.ariaExpanded = "true";
    input.removeAttribute("aria-activedescendant");
  }

  /** @param {number} place */
  function mark(place) {
    list.children[marked]?.setAttribute("aria-selected", "false");
    marked = place;
    list.children[place]?.setAttribute("aria-selected", "true");
    list.children[place]?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", id + place);
  }

  /** @param {number} place */
  function choose(place) {
    const chosen = all[place];
    close();
    said.textContent = "";
    if (chosen) take(chosen.value);
  }

  /** Puts a text into the field as a choice of it. @param {string} value */
  function take(value) {
    put(value);
    // The draft and the field's own remarks follow what is typed; the list stays closed.
    input.dispatchEvent(new CustomEvent("input", { bubbles: true, detail: "chosen" }));
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (list.hidden) open();
      const count = all.length;
      if (count > 0) mark(marked < 0 ? (step > 0 ? 0 : count - 1) : (marked + step + count) % count);
    } else if (event.key === "Enter") {
      // Enter must not send the form with half a name.
      if (enter || marked >= 0) event.preventDefault();
      if (!enter) return choose(marked);
      const chosen = all[marked]?.value;
      close();
      enter(chosen);
    } else if (event.key === "Escape" && !list.hidden) {
      event.stopPropagation();
      close();
    }
  }
  input.addEventListener("input", (event) => {
    if (event instanceof CustomEvent) return;
    close();
    // A draft that is put back is not typed: without the focus nothing would close the list again.
    if (input.value.trim() !== "" && document.activeElement === input) open();
  });
  input.addEventListener("keydown", press);
  input.addEventListener("blur", () => isOffered || close());
  // A press on a suggestion must not take the focus, which would close the list under it.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("mousedown", (event) => event.preventDefault());
  return {
    close,
    take,
    /** Leaves the list open for what stands in the field, wherever the focus is. It stands between the fields, not over them. */
    offer() {
      open();
      isOffered = !list.hidden;
      list.classList.toggle("offered", isOffered);
    },
    /** Suggests again where nothing was found before there were more suggestions. */
    refresh: () => isVain && document.activeElement === input && input.value.trim() !== "" && open(),
  };
}
