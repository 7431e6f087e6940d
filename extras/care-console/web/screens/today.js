// The first screen: what is open today, and the way to each of it.

import { call, list as listed, once, wasLeft } from "../api.js";
import { day, money } from "../formats.js";
import { follow } from "../live.js";
import { may } from "../scopes.js";
import { button, h, link, show, told } from "../ui/dom.js";
import { control, form } from "../ui/form.js";
import { refusal } from "../ui/problem.js";
import { nothing } from "../ui/table.js";
import { DESK, MONEY, STOCK, W } from "../words.js";
import { invoiceOf } from "./prescriptions.js";
import { inexact } from "./receipts.js";
import { putOnOrder } from "./restock.js";
import { toBill, toVisit } from "./visit_of.js";
import { among, apart, persons } from "./who.js";

/** @typedef {import("../contract.js").Today} Today */
/** @typedef {"openVisits" | "withoutInvoice" | "unpaid" | "outWithDemand" | "expiring" | "orders"} Part */
/** @typedef {{ count: number, more?: boolean, items: any[] }} Counted */

const PARTS = /** @type {Part[]} */ (["openVisits", "withoutInvoice", "unpaid", "outWithDemand", "expiring", "orders"]);
const KINDS = ["Consultation", "Prescription", "Invoice", "Receipt", "Inventory", "Stock", "Movement"];
/** For how long the service answers with one report of the orders, in milliseconds. */
const REPORT_HOLDS = 2000;
/** The number of lines of each part. */
const FIRST = 5;
/** The number of lines of one part alone, and of open visits among which the newest are looked for. */
const LISTED = 500;
const VISITS = 10_000;

/** The parts that are about persons. They begin with the newest, which the service lists last. */
const PERSONS = /** @type {Part[]} */ (["openVisits", "withoutInvoice", "unpaid"]);

/** What leads to where each is worked on. @type {Record<Part, string>} */
const PLACES = {
  openVisits: "/today/openVisits",
  withoutInvoice: "/today/withoutInvoice",
  unpaid: "/bills",
  outWithDemand: "/today/outWithDemand",
  expiring: "/expiring",
  orders: "/restock",
};

/** @param {import("../router.js").Place} place */
export async function today({ node, signal, title, say, go }) {
  title(W.screens.today);
  const lead = h("p", { class: "muted" });
  const left = h("p", { class: "muted lacks", hidden: true });
  const trouble = h("div", {});
  const lines = liner({ signal, say, go }, trouble, () => renew());
  const parts = PARTS.map((part) => ({
    part,
    ...section(part, DESK.today.parts[part], link(PLACES[part], DESK.today.all)),
  }));
  const taken = section("taken", DESK.today.taken, link("/takings", W.screens.takings));
  let seen = "";

  async function read() {
    const { data } = /** @type {{ data: Today }} */ (await call("GET", "/today", { signal, quiet: seen !== "" }));
    lead.textContent = DESK.today.lead(day(data.day));
    const missing = (data.left ?? []).map(
      (name) => DESK.today.left[/** @type {keyof typeof DESK.today.left} */ (name)],
    );
    left.hidden = missing.length === 0;
    left.textContent = DESK.today.lacks(missing);
    const firsts = await Promise.all(parts.map(({ part }) => newest(part, data, FIRST, signal)));
    await lines.learn(parts.flatMap(({ part }, place) => (PERSONS.includes(part) ? (firsts[place] ?? []) : [])));
    for (const [place, one] of parts.entries()) {
      display(one, data, firsts[place]);
      if (one.part === "unpaid") one.list.after(...sums(one.list, data.unpaid));
    }
    taken.node.hidden = data.taken === undefined;
    taken.count.textContent = "";
    show(
      taken.list,
      (data.taken ?? []).map((total) =>
        h("li", {}, h("strong", {}, money(total.net, total.currency)), " ", MONEY.methods[total.method]),
      ),
      (data.taken ?? []).length === 0 && !data.beyond && h("li", { class: "muted" }, MONEY.takings.none),
      data.beyond && h("li", { class: "muted" }, exceeded(data.beyond)),
    );
    compare();
  }

  /** @param {(typeof parts)[number]} one @param {Today} data @param {any[]} [items] its first lines */
  function display({ part, node: own, count, list }, data, items = []) {
    const counted = /** @type {Counted | undefined} */ (data[part]);
    own.hidden = counted === undefined;
    if (!counted) return;
    count.textContent = DESK.today.count(counted.count, counted.more === true);
    lines.update(part, list, items, counted.more);
  }

  /** Says when a figure has changed. */
  function compare() {
    const now = parts.map(({ count }) => count.textContent).join();
    if (seen !== "" && seen !== now) say(DESK.today.changed);
    seen = now;
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** Reads all after a change, and the orders once more: their report may have been made before it. */
  async function renew() {
    clearTimeout(timer);
    if (may("inventory:read")) timer = setTimeout(() => readOrders().catch(() => {}), REPORT_HOLDS);
    await read();
  }

  async function readOrders() {
    const query = { part: "orders" };
    const { data } = /** @type {{ data: Today }} */ (await call("GET", "/today", { query, signal, quiet: true }));
    for (const one of parts) if (one.part === "orders") display(one, data, data.orders?.items.slice(0, FIRST));
    compare();
  }
  await read();
  node.append(
    lead,
    may("prescriptions:write") && !may("patient:read") ? byNumber(go) : "",
    left,
    trouble,
    h(
      "div",
      { class: "today" },
      parts.map((one) => one.node),
      taken.node,
    ),
  );
  follow(() => renew().catch(() => {}), signal, KINDS);
}

/**
 * The lines of a part, the newest of what people bring about first. A part ends at its 500th record, the oldest first: the
 * newest of more are read in lists that reach them, of which there is none for prescriptions without an invoice.
 * @param {Part} part @param {Today} today @param {number} most @param {AbortSignal} signal
 * @returns {Promise<any[]>}
 */
export async function newest(part, today, most, signal) {
  const how = { signal, quiet: true };
  const { count, items } = /** @type {Counted} */ (today[part] ?? { count: 0, items: [] });
  if (!PERSONS.includes(part)) return items.slice(0, most);
  if (count <= items.length) return items.toReversed().slice(0, most);
  if (part === "unpaid")
    return (await listed("/invoice", { query: { state: "unpaid", newest: true }, most, ...how })).items;
  if (part === "openVisits" && count > LISTED) {
    const { items: all } = await listed("/consultations", { query: { state: "open" }, most: VISITS, ...how });
    return all.slice(-most).reverse();
  }
  const { data } = /** @type {{ data: Today }} */ (await call("GET", "/today", { query: { part }, ...how }));
  return /** @type {Counted} */ (data[part] ?? { items }).items.slice(-most).reverse();
}

/** The way to a visit for a key that does not find patients: by the number that it was told. @param {import("../router.js").Place["go"]} go */
function byNumber(go) {
  const number = control({ name: "patientId", label: W.patient.fields.patientId, kind: "whole", required: true });
  return form({
    id: undefined,
    isFilter: true,
    children: [number.node],
    controls: () => [number],
    go: W.visit.title,
    submit: async () => go(`/patients/${number.value()}/visit`),
  }).node;
}

/** All of one part. @param {import("../router.js").Place} place */
export async function todayPart({ node, signal, parameters: [name = ""], title, say, go }) {
  const part = /** @type {Part} */ (name);
  title(DESK.today.parts[part], link("/today", W.screens.today, { class: "button quiet" }));
  const count = h("p", { class: "muted", role: "status" });
  const list = h("ul", { class: "lines" });
  const trouble = h("div", {});
  const lines = liner({ signal, say, go }, trouble, () => read());
  async function read() {
    const { data } = /** @type {{ data: Today }} */ (await call("GET", "/today", { query: { part }, signal }));
    const counted = /** @type {Counted} */ (data[part] ?? { count: 0, items: [] });
    const items = await newest(part, data, LISTED, signal);
    count.textContent = DESK.today.listed(items.length, DESK.today.count(counted.count, counted.more === true));
    if (PERSONS.includes(part)) await lines.learn(items);
    lines.update(part, list, items, counted.more);
  }
  await read();
  node.append(count, trouble, h("section", { class: "card" }, list));
  follow(() => read().catch(() => {}), signal, KINDS);
}

/** @param {string} part @param {string} name @param {HTMLElement} all */
function section(part, name, all) {
  const count = h("span", { class: "count" });
  const list = h("ul", { class: "lines" });
  all.setAttribute("aria-label", `${all.textContent}: ${name}`);
  const node = h(
    "section",
    { class: "card", "data-part": part },
    h("div", { class: "head" }, h("h2", { tabindex: -1 }, name, " ", count), all),
    list,
  );
  return { node, count, list };
}

/**
 * The sums of what is unpaid, in the place of earlier ones.
 * @param {Element} list @param {Today["unpaid"]} unpaid
 */
function sums(list, unpaid) {
  if (list.nextElementSibling?.classList.contains("sums")) list.nextElementSibling.remove();
  const texts = (unpaid?.totals ?? []).map((total) => money(total.amount, total.currency));
  if (texts.length === 0 && !unpaid?.beyond) return [];
  return [
    h(
      "p",
      { class: "sums" },
      texts.length > 0 && [DESK.today.sum, " ", h("strong", {}, texts.join(", ")), " "],
      exceeded(unpaid?.beyond),
    ),
  ];
}

/** Names the currencies that totals leave out. @param {string[]} [codes] */
const exceeded = (codes = []) => inexact(codes.map((currency) => ({ currency })));

/**
 * Writes the lines of a part, each with the way to act.
 * @param {Pick<import("../router.js").Place, "signal" | "say" | "go">} place @param {HTMLElement} trouble
 * @param {() => Promise<void>} again
 */
function liner({ signal, say, go }, trouble, again) {
  const known = persons(signal);
  /** Finds the patient of a record. @type {Awaited<ReturnType<typeof known.of>>} */
  let find = () => undefined;
  /** What makes issuing an invoice twice the same as once. @type {Map<string, string>} */
  const keys = new Map();

  /** @param {any} one */
  function person(one) {
    const now = find(one) ?? one;
    const { patientId, age } = now;
    return among(now, { detail: apart({ patientId, age }), isLink: may("patient:read") });
  }

  /** @param {() => Promise<void>} deed */
  async function attempt(deed) {
    show(trouble);
    await deed().catch((error) => show(trouble, refusal(error)));
  }

  /** @param {any} one */
  async function bill(one) {
    const number = String(one.prescriptionId);
    const key = keys.get(number) ?? once();
    keys.set(number, key);
    const invoice = await invoiceOf(number, key);
    go("/bills/" + invoice, DESK.bill.issued([invoice]));
  }

  /** @param {any} one */
  async function order(one) {
    say(await putOnOrder(one));
    await again();
  }

  const shelf = (/** @type {any} */ one) => "/inventory/stock/" + encodeURIComponent(one.medicine);
  const words = DESK.today;
  /** @type {Record<Part, (one: any) => import("../ui/dom.js").Child[]>} */
  const write = {
    openVisits: (one) => [toVisit(one), " ", person(one)],
    withoutInvoice: (one) => [
      may("prescriptions:read", "prescriptions:write")
        ? link("/prescriptions/" + one.prescriptionId, told(one.medicine))
        : told(one.medicine),
      " ",
      person(one),
      may("invoice:write") &&
        button(W.patient.bill, () => attempt(() => bill(one)), {
          "aria-label": `${W.patient.bill}: ${one.medicine}`,
          class: "quiet",
        }),
    ],
    unpaid: (one) => [
      toBill(one.invoiceId),
      " ",
      person(one),
      " ",
      h("strong", {}, money(one.price, one.currency)),
      may("invoice:write") && link("/bills/" + one.invoiceId, words.pay, { class: "button quiet" }),
    ],
    outWithDemand: (one) => [link(shelf(one), told(one.medicine))],
    expiring: (one) => [
      link(shelf(one), told(one.medicine)),
      " ",
      h("span", { class: "muted" }, words.first(lastDay(one))),
    ],
    orders: (one) => [
      link("/restock/of/" + encodeURIComponent(one.medicine), told(one.medicine)),
      " ",
      one.plan && STOCK.packs(one.plan.packs, one.plan.order),
      may("inventory:write") &&
        button(DESK.ordered.go, () => attempt(() => order(one)), {
          "aria-label": DESK.ordered.of(one.medicine),
          class: "quiet",
        }),
    ],
  };
  let isUnnamed = false;
  /** Reads the patients of records, which are shown by their numbers where that fails. @param {any[]} items */
  async function learn(items) {
    const before = isUnnamed;
    try {
      find = await known.of(items);
      isUnnamed = false;
    } catch (error) {
      if (wasLeft(error)) throw error;
      find = () => undefined;
      isUnnamed = true;
      show(trouble, refusal(error));
    }
    if (before && !isUnnamed) show(trouble);
  }
  /** The records that are about persons, where they are shown. @type {Map<HTMLElement, { part: Part, items: any[], isCut: boolean | undefined }>} */
  const shown = new Map();
  async function renew() {
    await learn([...shown.values()].flatMap(({ items }) => items));
    shown.forEach(({ part, items, isCut }, list) => update(part, list, items, isCut));
  }
  follow(() => renew().catch(() => {}), signal, ["Patient"]);

  /** @param {Part} part @param {HTMLElement} list @param {any[]} items @param {boolean} [isCut] whether there may be more */
  function update(part, list, items, isCut) {
    if (PERSONS.includes(part)) shown.set(list, { part, items, isCut });
    const controls = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll("a, button")]);
    const at = controls().findIndex((one) => one === document.activeElement);
    const name = document.activeElement && called(document.activeElement);
    show(
      list,
      items.map((one) => h("li", {}, write[part](one))),
      items.length === 0 && h("li", { class: "muted" }, nothing(words.nothing, isCut)),
    );
    if (at < 0) return;
    // The focus stays where it is, or goes to the next line when its own is gone.
    const now = controls();
    const heading = list.closest(".card")?.querySelector("h2") ?? document.querySelector("h1");
    const next = [now[at], ...now].find((one) => one && called(one) === name) ?? now[at] ?? heading;
    next?.focus({ preventScroll: true });
  }
  return { learn, update };
}

/** What a control is called. @param {Element} one */
const called = (one) => one.getAttribute("aria-label") ?? one.textContent;

/** The first last day of a shelf. @param {{ lots: { expires?: string }[] }} stock */
function lastDay({ lots }) {
  const days = lots.flatMap((lot) => (lot.expires ? [lot.expires.split("/").reverse().join("/")] : [])).sort();
  return day(days[0]?.split("/").reverse().join("/"));
}
