// Rows that are made as they are scrolled to: a table of thousands is there at once.

/** The number of rows that are made at a time. */
export const PAGE = 40;

/** What makes more rows, by the element at the end of those that are there. @type {WeakMap<Element, () => void>} */
const makers = new WeakMap();
/** @type {IntersectionObserverInit & { scrollMargin: string }} some way before they are seen */
const early = { rootMargin: "600px", scrollMargin: "600px" };
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) makers.get(target)?.();
}, early);

/** What is printed whole. @type {Set<WeakRef<Element>>} */
const printed = new Set();
/** @type {WeakMap<Element, () => void>} */
const finishers = new WeakMap();
addEventListener("beforeprint", () => {
  for (const one of printed) {
    const node = one.deref();
    node?.isConnected ? finishers.get(node)?.() : printed.delete(one);
  }
});

/**
 * Calls for more rows when the end of those that are there comes near, and for all of them before they are printed.
 * @param {Element} end @param {() => void} more @param {() => void} all
 */
export function paged(end, more, all) {
  makers.set(end, more);
  finishers.set(end, all);
  printed.add(new WeakRef(end));
}

/** Looks for the end anew: it may be as near as it was. @param {HTMLElement} end @param {boolean} isOpen whether rows are left */
export function watch(end, isOpen) {
  seen.unobserve(end);
  end.hidden = !isOpen;
  if (isOpen) seen.observe(end);
}
