// The shell: signing in, the menu, and the screen that the address names.

import * as live from "./live.js";
import { Problem, wasLeft } from "./api.js";
import { MENU, address, arrived, find, first } from "./router.js";
import { look, opens } from "./scopes.js";
import { signIn } from "./screens/signin.js";
import * as session from "./session.js";
import { button, h, link, show } from "./ui/dom.js";
import { drawer } from "./ui/drawer.js";
import { refusal } from "./ui/problem.js";
import { W } from "./words.js";

const SLOW = 1000;

const status = h("p", { class: "status", role: "status" });
const connection = h("p", { class: "connection", role: "status", hidden: true });
const warning = h("p", { class: "warning", role: "alert", hidden: true }, W.shell.idleSoon);
const menu = h("ul", {});
const main = h("main", { id: "main", tabindex: -1 });
const footer = h("footer", {});
const requests = drawer();
let leave = new AbortController();
let out = new AbortController();

const toggle = button(W.shell.requests, () => requests.toggle(toggle), { "aria-expanded": "false", class: "quiet" });
const skip = button(W.shell.skip, () => main.focus(), { class: "skip" });
const header = h(
  "header",
  { class: "top" },
  h("a", { href: "#", class: "brand" }, h("img", { src: "icon.svg", alt: "", width: 28, height: 28 }), W.name),
  h("nav", { "aria-label": W.shell.navigation }, menu),
  h(
    "div",
    { class: "tools" },
    toggle,
    button(W.shell.signOut, () => session.end("left"), { class: "quiet" }),
  ),
);

/** Shows a message, and lets screen readers read it out. @param {string} text */
function say(text) {
  status.textContent = text;
}

/** Shows the sign-in screen. @param {"left" | "idle" | "refused" | undefined} reason */
function enter(reason) {
  out.abort();
  leave.abort();
  document.body.classList.remove("open");
  show(document.body, warning, signIn(reason, open));
  document.title = `${W.signIn.title} · ${W.name}`;
}

/**
 * Opens the desk with a key.
 * @param {string} key
 * @param {boolean} keep
 */
async function open(key, keep) {
  out.abort();
  session.begin(key, keep);
  try {
    if (!(await look())) throw new Problem(403, { title: W.signIn.nothing, detail: W.shell.notYoursDetail });
  } catch (error) {
    session.forget();
    throw error;
  }
  out = new AbortController();
  const entries = MENU.filter((entry) => opens(entry.list));
  show(
    menu,
    entries.map((entry) => h("li", {}, link(entry.path, entry.label))),
  );
  if (about.explorer) menu.append(h("li", {}, h("a", { href: "../explorer/" }, W.screens.explorer)));
  document.body.classList.add("open");
  show(
    document.body,
    skip,
    header,
    h("div", { class: "page" }, warning, connection, status, main, footer),
    requests.node,
  );
  void live.listen(out.signal, (answers) => {
    connection.textContent = answers ? "" : W.shell.away;
    connection.hidden = answers;
    if (answers) say(W.shell.back);
  });
  route();
}

/** Shows the screen that the address names. */
function route() {
  if (session.current() === undefined) return;
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const path = address();
  for (const entry of menu.querySelectorAll("a")) {
    const at = entry.hash.slice(1);
    const isHere = at !== "" && (path === at || path.startsWith(at + "/"));
    isHere ? entry.setAttribute("aria-current", "page") : entry.removeAttribute("aria-current");
  }
  const heading = h("h1", { tabindex: -1 });
  const actions = h("div", { class: "actions" });
  const node = h("div", { class: "screen" });
  show(main, h("div", { class: "head" }, heading, actions), node);
  /** @type {import("./router.js").Place["title"]} */
  const title = (text, ...more) => {
    const isFirst = heading.textContent === "";
    show(heading, text);
    show(actions, ...more);
    document.title = `${heading.textContent} · ${W.name}`;
    if (isFirst) focus(heading);
  };
  const found = find(path);
  if (!found) {
    title(found === null ? W.shell.notYours : W.shell.notFound);
    const detail = found === null ? W.shell.notYoursDetail : W.shell.notFoundDetail;
    return show(node, h("p", {}, detail), link(first(), W.shell.toInventory));
  }
  const slow = setTimeout(() => say(W.shell.slow), SLOW);
  const place = { node, signal, parameters: found.parameters, title, say };
  Promise.resolve(found.screen(place))
    .catch((error) => {
      if (signal.aborted || wasLeft(error)) return;
      title(error instanceof Problem ? error.title : W.problem.unknown);
      show(node, refusal(error), button(W.shell.again, route));
    })
    .finally(() => {
      clearTimeout(slow);
      if (status.textContent === W.shell.slow) say("");
    });
}

/** @param {HTMLElement} heading */
function focus(heading) {
  heading.focus({ preventScroll: true });
  main.scrollTo(0, 0);
  scrollTo(0, 0);
}

/** @type {{ version: string, framework?: string, explorer: boolean }} */
let about = { version: "", explorer: false };

async function start() {
  const key = session.found();
  session.listen(enter, (warned) => (warning.hidden = !warned));
  addEventListener("hashchange", () => (say(arrived()), adopt() || route()));
  const answer = await fetch("about.json");
  about = await answer.json();
  show(
    footer,
    about.framework && h("span", {}, W.shell.servedBy(about.framework)),
    h("span", {}, W.shell.version(about.version)),
  );
  if (!key) return enter(undefined);
  await open(key, false).catch(refused);
}

/** Takes a key that was put into the address of an open page. @returns {boolean} */
function adopt() {
  if (!location.hash.startsWith("#key=")) return false;
  const key = session.found();
  if (key) void open(key, false).catch(refused);
  return true;
}

/** Asks for another key, and shows the reason. @param {unknown} error */
function refused(error) {
  enter(error instanceof Problem && error.status === 401 ? "refused" : undefined);
  if (error instanceof Problem && error.status !== 401) document.querySelector(".signin")?.append(refusal(error));
}

void start();
