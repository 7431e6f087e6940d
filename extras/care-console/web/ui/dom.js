// Nodes. Text always becomes a text node: nothing here reads HTML.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Makes an element. `on…` attributes are listeners, `true` is an attribute without a value, and what is absent is left
 * out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  dress(node, attributes);
  fill(node, ...children);
  return node;
}

/**
 * Makes an element of a drawing.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  dress(node, attributes);
  fill(node, ...children);
  return node;
}

/**
 * Text that a client of the service wrote. It has a direction of its own, so it cannot turn the text beside it.
 * @param {unknown} text
 */
export function told(text) {
  return h("bdi", {}, text === undefined || text === null ? "" : String(text));
}

/**
 * A sentence with a name in it, which is the same in every language.
 * @param {(name: string) => string} say @param {string} name
 */
export function around(say, name) {
  const node = told(say(name));
  node.dataset.name = name;
  return node;
}

/**
 * Replaces what is in an element.
 * @param {Element} node
 * @param {...(Child | Child[])} children
 */
export function show(node, ...children) {
  node.replaceChildren();
  fill(node, ...children);
}

/**
 * A button. While what it does is under way, it is busy, and pressing it again does nothing.
 * @param {Child} label
 * @param {(event: Event) => unknown} action
 * @param {Record<string, unknown>} [attributes]
 */
export function button(label, action, attributes = {}) {
  /** @param {Event} event */
  async function press(event) {
    if (node.ariaBusy === "true") return;
    const deed = action(event);
    if (!(deed instanceof Promise)) return;
    node.ariaBusy = "true";
    await deed.finally(() => (node.ariaBusy = null));
  }
  const node = h("button", { type: "button", onclick: press, ...attributes }, label);
  return node;
}

/**
 * A link within the console.
 * @param {string} path
 * @param {Child} label
 * @param {Record<string, unknown>} [attributes]
 */
export function link(path, label, attributes = {}) {
  return h("a", { href: "#" + path, ...attributes }, label);
}

let last = 0;

/** An identifier that no other element has. */
export function unique() {
  last += 1;
  return "n" + last;
}

/** What has the focus in the box that finds patients: an answer that comes late leaves it there. */
export const inBox = () => document.querySelector(".finder :focus");

/** @param {Element} node @param {Record<string, unknown>} attributes */
function dress(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on") && typeof value === "function") {
      node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (value === true) {
      node.setAttribute(name, "");
    } else if (value !== false && value !== undefined && value !== null) {
      node.setAttribute(name, String(value));
    }
  }
}

/** @param {Element} node @param {...(Child | Child[])} children */
function fill(node, ...children) {
  for (const child of children.flat()) {
    if (child instanceof Node) node.append(child);
    else if (child !== null && child !== undefined && child !== false) node.append(String(child));
  }
}
