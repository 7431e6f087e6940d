// The journal, which new entries join as they are written, and its head, which is printed and kept elsewhere.

import { call, write } from "../api.js";
import { instant } from "../formats.js";
import { follow, latest } from "../live.js";
import { button, h, show, told } from "../ui/dom.js";
import { choice } from "../ui/form.js";
import { table } from "../ui/table.js";
import { W } from "../words.js";

/** @typedef {import("../contract.js").JournalEntry} JournalEntry */
/** @typedef {import("../contract.js").JournalChange} JournalChange */
/** @typedef {import("../contract.js").JournalHead} JournalHead */

const PAGE = 50;
/** The number of entries that stay on the page while it follows. */
const MOST = 500;

/** @param {import("../router.js").Place} place */
export async function journal({ node, signal, title }) {
  title(W.screens.journal);
  const { columns } = W.journal;
  /** @type {Record<string, string>} What the service does without being asked has no name here. */
  const operations = W.journal.operations;
  const which = choice("record", W.journal.which, [["", W.journal.all], ...Object.entries(W.journal.records)]);
  which.select.addEventListener("change", () => display());
  const rows = table({
    caption: W.journal.caption,
    none: W.journal.none,
    key: (/** @type {JournalEntry} */ entry) => String(entry.seq),
    columns: [
      { label: columns.seq, cell: (entry) => entry.seq, kind: "number" },
      { label: columns.at, cell: (entry) => h("time", { datetime: entry.at }, instant(entry.at)) },
      { label: columns.actor, cell: (entry) => told(entry.actor) },
      { label: columns.operation, cell: (entry) => operations[entry.operation] ?? entry.operation },
      { label: columns.changes, cell: (entry) => entry.changes.map(changed), kind: "wide" },
    ],
  });
  /** @type {JournalEntry[]} the latest first */
  let entries = [];
  const older = button(W.journal.older, () => back(), { class: "quiet" });
  const head = h("code");
  const date = h("p", { class: "printed" });
  const kept = h("section", {}, h("h2", {}, W.journal.head), h("p", {}, head), date, h("p", {}, W.journal.why));
  const print = button(W.journal.print, () => alone(kept), { class: "quiet" });
  const fresh = h("p", { class: "muted following", role: "status" }, W.journal.following);

  /** Reads the entries after this one. @param {number} after @param {number} limit @returns {Promise<JournalEntry[]>} */
  async function read(after, limit) {
    /** @type {{ data: { items: JournalEntry[], head: JournalHead } }} */
    const { data } = await call("GET", "/journal", { query: { after, limit }, signal, quiet: entries.length > 0 });
    show(head, `${data.head.seq}:${data.head.link}`);
    show(date, W.journal.printed(location.host, instant(new Date())));
    return data.items.reverse();
  }

  async function back() {
    const first = entries.at(-1)?.seq ?? 1;
    const after = Math.max(0, first - 1 - PAGE);
    entries.push(...(first > 1 ? await read(after, first - 1 - after) : []));
    display();
  }

  /** @param {number} now the number of the last entry */
  async function ahead(now) {
    const last = entries[0]?.seq ?? 0;
    // After a long sleep the page leaves out the entries in between.
    const gap = now - last > MOST;
    const added = await read(gap ? now - PAGE : last, gap ? PAGE : MOST);
    if (added.length === 0) return;
    entries = gap ? added : [...added, ...entries].slice(0, MOST);
    fresh.textContent = W.journal.fresh(added.length);
    display();
  }

  function display() {
    const kind = which.select.value;
    const shown = entries.filter((entry) => kind === "" || entry.changes.some((change) => change.record === kind));
    rows.update(shown, { flash: true });
    older.hidden = (entries.at(-1)?.seq ?? 1) <= 1 || entries.length >= MOST;
  }
  const now = await latest(signal);
  entries = await read(Math.max(0, now - PAGE), PAGE);
  display();
  node.append(kept, print, h("div", { class: "filters" }, which.node), fresh, rows.node, older);
  follow((seq) => ahead(seq).catch(() => {}), signal);
}

/** Prints one part of the screen and nothing else. @param {HTMLElement} part */
function alone(part) {
  part.classList.add("paper");
  addEventListener("afterprint", () => part.classList.remove("paper"), { once: true });
  globalThis.print();
}

/** A record that an entry changed, to be opened. @param {JournalChange} change */
function changed(change) {
  const title = [W.journal.records[change.record], " ", told(change.id), " ", W.journal.changes[change.change]];
  if (change.value === undefined) return h("div", {}, title);
  const value = h("pre", { tabindex: 0 });
  const open = (/** @type {Event} */ event) => {
    if (/** @type {HTMLDetailsElement} */ (event.target).open) show(value, write(change.value, 2));
  };
  return h("details", { ontoggle: open }, h("summary", {}, title), value);
}
