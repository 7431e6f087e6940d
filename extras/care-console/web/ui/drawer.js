// The drawer of requests: each request of this page as JSON, as XML and as curl.

import { BASE, exchanges, inXml, read, watch, write } from "../api.js";
import { remembers } from "../memory.js";
import { asCurl, asXml } from "../wire.js";
import { W } from "../words.js";
import { button, h, show } from "./dom.js";

/** @typedef {import("../api.js").Exchange} Exchange */
/** @typedef {"json" | "xml" | "curl"} Form */

/** A window with too little room for the drawer beside the page, as at 400 % of zoom. */
const SMALL = matchMedia("(max-height: 40rem) and (max-width: 63.99rem), (max-width: 40rem)");

/** The drawer, closed. It is a part beside the page, and in a small window a dialog that fills it. */
export function drawer() {
  const list = h("select", { id: "exchange", onchange: () => choose(list.selectedIndex) });
  const text = h("pre", { tabindex: 0, role: "region" });
  const copied = h("span", { role: "status", class: "muted" });
  /** @type {Form} */
  let form = "json";
  /** @type {Exchange | undefined} */
  let chosen;
  const forms = /** @type {Form[]} */ (["json", "xml", "curl"]).map((name) =>
    button("", () => write_(name), { "aria-pressed": String(name === form), "data-form": name }),
  );
  const copy = button("", async () => {
    await navigator.clipboard.writeText(text.textContent ?? "");
    copied.textContent = W.drawer.copied;
  });
  const title = h("h2", {});
  const close = button("", () => node.close(), { class: "quiet" });
  const lead = h("p", { class: "muted" });
  const name = h("label", { for: "exchange" });
  const group = h("div", { class: "forms", role: "group" }, forms);
  /** @type {HTMLDialogElement} */
  const node = h(
    "dialog",
    { class: "drawer", onclose: closed },
    h("div", { class: "head" }, title, close),
    lead,
    name,
    list,
    group,
    text,
    h("div", { class: "actions" }, copy, copied),
  );

  /** Lists the exchanges. The chosen one stays chosen; without one the latest is. */
  function refresh() {
    if (!node.open) return;
    const options = exchanges.map((exchange) =>
      h(
        "option",
        {},
        `${exchange.method} ${exchange.path} · ${exchange.status || W.drawer.noAnswer} · ${exchange.took} ms`,
      ),
    );
    show(list, options);
    const place = chosen && list.dataset.picked ? exchanges.indexOf(chosen) : 0;
    list.selectedIndex = Math.max(0, place);
    if (exchanges[list.selectedIndex] !== chosen) {
      chosen = exchanges[list.selectedIndex];
      void render();
    }
  }

  /** @param {number} place */
  function choose(place) {
    chosen = exchanges[place];
    list.dataset.picked = place === 0 ? "" : "yes";
    void render();
  }

  /** @param {Form} name */
  function write_(name) {
    form = name;
    forms.forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.form === name)));
    void render();
  }

  async function render() {
    copied.textContent = "";
    const [exchange, as] = [chosen, form];
    if (!exchange) return show(text, W.drawer.none);
    const written = await put(exchange, as);
    if (exchange === chosen && as === form) show(text, written);
  }

  /** @type {HTMLElement | undefined} */
  let opener;
  let moves = false;

  function open() {
    SMALL.matches ? node.showModal() : node.show();
    document.body.classList.add("drawn");
    opener?.setAttribute("aria-expanded", "true");
    refresh();
  }

  function closed() {
    if (moves) return;
    document.body.classList.remove("drawn");
    opener?.setAttribute("aria-expanded", "false");
    opener?.focus();
  }

  // An open drawer becomes the other one when the window changes.
  SMALL.addEventListener("change", () => {
    if (!node.open) return;
    moves = true;
    node.addEventListener("close", () => (moves = false), { once: true });
    node.close();
    open();
  });
  watch(refresh);
  remembers(() => {
    chosen = undefined;
    list.dataset.picked = "";
    show(list);
    show(text);
  });
  return {
    node,
    /** Says what is in it in the page's language. */
    label() {
      for (const part of [node, text, group]) part.setAttribute("aria-label", W.drawer.title);
      forms.forEach((each) => show(each, W.drawer[/** @type {Form} */ (each.dataset.form)]));
      show(title, W.drawer.title);
      show(close, W.form.close);
      show(lead, W.drawer.lead);
      show(name, W.drawer.choose);
      show(copy, W.drawer.copy);
    },
    /** Opens or closes it. @param {HTMLElement} by */
    toggle(by) {
      opener = by;
      if (node.open) return node.close();
      open();
      list.focus();
    },
  };
}

/** An exchange in one of the forms. @param {Exchange} exchange @param {Form} form @returns {Promise<string>} */
async function put(exchange, form) {
  if (form === "curl") return asCurl(exchange, location.origin + BASE);
  const head = `${exchange.method} ${BASE}${exchange.path}`;
  if (form === "xml" && exchange.method === "GET") {
    return `${head}\nAccept: application/xml\n\n${await inXml(exchange.path).catch(() => W.drawer.noAnswer)}`;
  }
  if (form === "xml") return asXml(exchange, head).catch(() => W.drawer.noAnswer);
  const headers = Object.entries(exchange.headers).map(([name, value]) => `${name}: ${value}`);
  const asked = exchange.body === undefined ? "" : pretty(exchange.body) + "\n\n";
  const answered = exchange.answer === "" ? W.drawer.noBody : pretty(exchange.answer);
  return `${[head, ...headers].join("\n")}\n\n${asked}${exchange.status || W.drawer.noAnswer}\n\n${answered}`;
}

/** @param {string} json */
function pretty(json) {
  const value = read(json);
  return value === undefined ? `${json}\n${W.drawer.cut}` : write(value, 2);
}
