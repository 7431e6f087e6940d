// What the explorer needs beside RapiDoc: the document, the form of the answers, and the theme of the system.

const explorer = /** @type {HTMLElement & { loadSpec: (document: unknown) => void }} */ (
  document.querySelector("rapi-doc")
);
const form = /** @type {HTMLSelectElement} */ (document.querySelector("#form"));

explorer.addEventListener("before-try", (event) => {
  const { request } = /** @type {CustomEvent<{ request: Request }>} */ (event).detail;
  request.headers.set("Accept", form.value);
});

const dark = matchMedia("(prefers-color-scheme: dark)");
const dress = () => {
  explorer.setAttribute("theme", dark.matches ? "dark" : "light");
  explorer.setAttribute("bg-color", dark.matches ? "#121618" : "#f4f6f5");
  explorer.setAttribute("text-color", dark.matches ? "#e8edee" : "#182226");
  explorer.setAttribute("nav-bg-color", dark.matches ? "#1a2023" : "#ffffff");
  explorer.setAttribute("nav-text-color", dark.matches ? "#c4ced1" : "#34444a");
  explorer.setAttribute("primary-color", dark.matches ? "#6cd3c5" : "#0b6b62");
};
dark.addEventListener("change", dress);
dress();

/**
 * The document without the `null` that clears a field: RapiDoc 9.3.8 makes no example in XML of a schema that has it.
 * @param {any} node
 * @returns {any}
 */
function shown(node) {
  if (Array.isArray(node)) return node.filter((part) => part?.type !== "null").map(shown);
  if (typeof node !== "object" || node === null) return node;
  const parts = Object.entries(node).map(([name, part]) => [name, shown(part)]);
  const copy = Object.fromEntries(parts);
  if (Array.isArray(copy.type)) {
    const types = copy.type.filter((/** @type {string} */ type) => type !== "null");
    copy.type = types.length === 1 ? types[0] : types;
  }
  return copy;
}

// The note comes first: RapiDoc takes seconds to read the document, and the page stands still until it has.
const nightly = /** @type {HTMLElement} */ (document.querySelector("#nightly"));
const about = await fetch("../console/about.json");
nightly.hidden = !(await about.json()).nightly;

await customElements.whenDefined("rapi-doc");
const answer = await fetch("../openapi.json");
explorer.loadSpec(shown(await answer.json()));
