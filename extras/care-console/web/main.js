// The shell: signing in, the menu, and the screen that the address names.

import * as live from "./live.js";
import { Problem, call, wasLeft } from "./api.js";
import { settle } from "./drafts.js";
import { FINDABLE, finder } from "./finder.js";
import { goBy } from "./formats.js";
import * as medicines from "./medicines.js";
import { forget } from "./memory.js";
import { restore, turn } from "./places.js";
import { arrived, go } from "./router.js";
import * as scopes from "./scopes.js";
import * as lock from "./lock.js";
import { locking, signIn } from "./screens/signin.js";
import * as session from "./session.js";
import { MENU, address, find, first } from "./routes.js";
import { sure } from "./ui/dialog.js";
import { keys, onKey } from "./ui/keys.js";
import { button, h, inBox, link, show, told } from "./ui/dom.js";
import { drawer } from "./ui/drawer.js";
import { languages } from "./ui/languages.js";
import { refusal } from "./ui/problem.js";
import { W, speak } from "./words.js";

const SLOW = 1000;
/** The time for which the facility's day is not asked for again, in milliseconds. */
const DAY_HOLDS = 60_000;

const status = h("p", { class: "status", role: "status" });
const connection = h("p", { class: "connection", role: "status", hidden: true });
const countdown = h("span", { "aria-hidden": "true" });
const warned = h("span", {});
const warning = h("p", { class: "warning", role: "alert", hidden: true }, warned, " ", countdown);
/** Says on every page that the data is invented, where it is. */
const remark = h("p", { class: "note", hidden: true });
const menu = h("ul", {});
const main = h("main", { id: "main", tabindex: -1 });
const footer = h("footer", {});
const requests = drawer();
let leave = new AbortController();
let out = new AbortController();
/** Ends the box of the header, which is made anew with each language. */
let seek = new AbortController();

const toggle = button("", () => requests.toggle(toggle), { "aria-expanded": "false", class: "quiet" });
const holder = h("p", { class: "holder" });
const skip = button("", () => main.focus(), { class: "skip" });
const signOut = button("", () => session.end("left"), { class: "quiet" });
const lockUp = button("", () => session.end("locked"), { class: "quiet" });
const brand = h("span", {});
const nav = h("nav", {}, menu);
const search = h("div", {});
const language = languages(change);
const header = h(
  "header",
  { class: "top" },
  h("a", { href: "#", class: "brand" }, h("img", { src: "icon.svg", alt: "", width: 28, height: 28 }), brand),
  search,
  nav,
  h("div", { class: "tools" }, toggle, holder, lockUp, signOut),
);

/** Shows a message, and lets screen readers read it out. @param {string} text */
function say(text) {
  status.textContent = text;
}

/** Says everything around the screens in the page's language. */
function label() {
  for (const [node, text] of /** @type {const} */ ([
    [warned, lock.locked() ? W.lock.soon : W.shell.idleSoon],
    [lockUp, W.lock.go],
    [toggle, W.shell.requests],
    [skip, W.shell.skip],
    [signOut, W.shell.signOut],
    [brand, W.name],
  ])) {
    show(node, text);
  }
  lockUp.hidden = !lock.locked();
  nav.setAttribute("aria-label", W.shell.navigation);
  show(holder, h("span", { class: "unseen" }, W.shell.holder, " "), told(scopes.name()));
  show(
    menu,
    MENU.filter((entry) => scopes.mayAny(entry.scopes)).map((entry) =>
      h("li", {}, link(entry.path, W.screens[entry.name])),
    ),
    about.explorer && h("li", {}, h("a", { href: "../explorer/" }, W.screens.explorer)),
  );
  show(
    footer,
    about.framework && h("span", {}, W.shell.servedBy(about.framework)),
    h("span", {}, W.shell.version(about.version)),
    button(W.keys.title, keys, { class: "quiet" }),
    language.node,
  );
  language.label();
  labelRemark();
  requests.label();
  seek.abort();
  seek = new AbortController();
  show(search, scopes.mayAny(FINDABLE) && finder(AbortSignal.any([seek.signal, out.signal])));
}

function labelRemark() {
  remark.hidden = !about.nightly;
  show(remark, about.nightly && W.shell.nightly);
}

/** Goes over to another language. What was typed into a form is kept as its draft. @param {string} wanted */
async function change(wanted) {
  await speak(wanted);
  say("");
  if (session.current() === undefined) enter(why);
  else {
    label();
    route({ moves: false });
  }
  queueMicrotask(() => language.select.focus());
}

/** @type {session.Reason | undefined} */
let why;
/** The name of the last holder, for whom the address is kept after an idle end. @type {string | undefined} */
let last;

/** Shows the sign-in screen, or the one of a locked page. @param {session.Reason | undefined} reason */
function enter(reason) {
  out.abort();
  leave.abort();
  scopes.become(undefined);
  why = reason;
  if (reason === "left") clear("all");
  show(main);
  say("");
  document.body.classList.remove("open");
  language.label();
  labelRemark();
  const isLocked = lock.locked() !== undefined;
  const screen = isLocked ? locking(unlocked, leaveLocked) : signIn(reason, open);
  show(document.body, warning, remark, screen, h("footer", { class: "outside" }, language.node));
  document.title = `${isLocked ? W.lock.title : W.signIn.title} · ${W.name}`;
}

/** Opens the desk with the key of a locked page. @param {string} key */
const unlocked = (key) =>
  open(key, false).catch((error) => {
    if (!(error instanceof Problem) || error.status !== 401) throw error;
    leaveLocked("refused");
  });

/** Ends what is locked. @param {session.Reason} reason */
function leaveLocked(reason) {
  lock.wipe();
  enter(reason);
}

/** Empties what the page remembers of the last holder, the address included. @param {"all" | "shown"} which */
function clear(which) {
  forget(which);
  last = undefined;
  history.replaceState(null, "", location.pathname + location.search);
}

/**
 * Opens the desk with a key. With a PIN the key is kept under it alone.
 * @param {string} key
 * @param {boolean} keep
 * @param {string} [pin]
 */
async function open(key, keep, pin) {
  const next = await scopes.about(key);
  if (!opensAny(next)) throw new Problem(403, { title: W.signIn.nothing, detail: W.shell.notYoursDetail });
  if (pin) await lock.keep(key, pin, next.name);
  begin(key, keep && !pin, next);
}

/** @param {import("./scopes.js").Holder} holder */
const opensAny = (holder) => MENU.some((entry) => entry.scopes.some((scope) => holder.scopes.has(scope)));

/**
 * Begins a session, and shows the desk.
 * @param {string} key
 * @param {boolean} keep
 * @param {import("./scopes.js").Holder} next
 */
function begin(key, keep, next) {
  out.abort();
  if (last !== undefined && last !== next.name) clear("shown");
  last = next.name;
  session.begin(key, keep);
  scopes.become(next);
  out = new AbortController();
  medicines.begin(out.signal);
  label();
  document.body.classList.add("open");
  show(
    document.body,
    skip,
    header,
    h("div", { class: "page" }, remark, warning, connection, status, main, footer),
    requests.node,
  );
  void live.listen(out.signal, connected, renew);
  route();
}

/** @param {boolean} answers whether the service does */
function connected(answers) {
  connection.textContent = answers ? "" : W.shell.away;
  connection.hidden = answers;
  if (answers) say(W.shell.back);
}

/** Reads the screen anew from another database, where its record may be gone or be another one. */
function renew() {
  forget("shown");
  route({ moves: main.contains(document.activeElement) });
}

/** Shows the screen that the address names. @param {{ moves?: boolean }} [how] whether the focus goes to its heading */
function route({ moves = true } = {}) {
  if (session.current() === undefined) return;
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const { signal: over } = out;
  const { hash } = location;
  const left = turn(main);
  void askForDay().catch(() => {});
  const path = address();
  for (const entry of menu.querySelectorAll("a")) {
    const at = entry.hash.slice(1);
    const isHere = at !== "" && (path === at || path.startsWith(at + "/") || path.startsWith(at + "?"));
    isHere ? entry.setAttribute("aria-current", "page") : entry.removeAttribute("aria-current");
  }
  const heading = h("h1", { tabindex: -1 });
  const actions = h("div", { class: "actions" });
  const node = h("div", { class: "screen" });
  const from = scopes.facility().map((text) => h("p", { class: "printed" }, told(text)));
  show(main, h("div", { class: "head" }, heading, actions, from), node);
  /** @type {import("./router.js").Place["title"]} */
  const title = (text, ...more) => {
    if (signal.aborted) return;
    const isFirst = moves && !heading.textContent;
    show(heading, text);
    show(actions, ...more);
    if (!isFirst || inBox()) return;
    heading.focus();
    scrollTo(0, 0);
  };
  const found = find(path);
  const missing = found === null ? W.shell.notYours : W.shell.notFound;
  // Browsers write titles down: a name stands in the heading alone.
  document.title = `${found?.title ?? missing} · ${W.name}`;
  if (!found) {
    title(missing);
    const detail = found === null ? W.shell.notYoursDetail : W.shell.notFoundDetail;
    return show(node, h("p", {}, detail), link(first(), W.shell.toInventory));
  }
  let said = "";
  const slow = setTimeout(() => {
    said = status.textContent ?? "";
    say(W.shell.slow);
  }, SLOW);
  /** @type {import("./router.js").Place} */
  const place = {
    node,
    signal,
    parameters: found.parameters,
    title,
    say: (text) => over.aborted || say(text),
    kept: left.kept,
    // Once the user is elsewhere, what is typed there stays on the screen.
    go: (path, text, name) => (signal.aborted ? text && place.say(text) : go(path, text, name)),
    settle: (id, heir) => settle(hash, id, heir),
  };
  new Promise((resolve) => resolve(found.screen(place)))
    .then(() => (inBox() ? undefined : restore(main, left, signal)))
    .catch((error) => {
      if (signal.aborted || wasLeft(error)) return;
      const isUnanswered = error instanceof Problem && [0, 502, 503, 504].includes(error.status);
      // An outage may be over before the news notice it.
      if (isUnanswered) void live.answered(signal).then(() => signal.aborted || route());
      title(error instanceof Problem ? error.title : W.problem.unknown);
      show(
        node,
        refusal(error),
        button(W.shell.again, () => route()),
      );
    })
    .finally(() => {
      clearTimeout(slow);
      if (status.textContent === W.shell.slow) say(said);
    });
}

let asked = 0;

/** Asks for the facility's day, which may be another one than that of this computer. */
async function askForDay() {
  if (Date.now() - asked < DAY_HOLDS) return;
  asked = Date.now();
  // Any key hears the day; one part is less work than all.
  const answer = await call("GET", "/today", { query: { part: "taken" }, signal: out.signal, quiet: true });
  goBy(/** @type {import("./contract.js").Today} */ (answer.data).day);
}

/** @type {{ version: string, framework?: string, explorer: boolean, nightly: boolean }} */
let about = { version: "", explorer: false, nightly: false };

async function start() {
  const [carried, kept] = [session.carried(), session.kept()];
  session.listen(enter, (left) => {
    warning.hidden = left === undefined;
    countdown.textContent = left === undefined ? "" : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  });
  onKey("?", keys);
  addEventListener("hashchange", (event) => (say(arrived()), adopt(event.oldURL) || route()));
  const answer = await fetch("about.json");
  about = await answer.json();
  const key = kept ?? carried;
  if (!key || lock.locked()) return enter(undefined);
  await open(key, kept !== undefined).catch(refused);
  if (carried !== undefined && carried !== key) await offer(carried);
}

/** Takes a key out of the address of an open page. @param {string} before the address until then @returns {boolean} */
function adopt(before) {
  if (!location.hash.startsWith("#key=")) return false;
  const key = session.carried(new URL(before).hash);
  if (key) void offer(key);
  return true;
}

/**
 * Opens the desk with a key that an address brought. It never takes the place of another key unasked: everything that is
 * done afterwards is done in its holder's name.
 * @param {string} key
 */
async function offer(key) {
  const running = session.current();
  if (running === key) return;
  if (running === undefined) return lock.locked() ? undefined : open(key, false).catch(refused);
  try {
    const next = await scopes.about(key);
    const { otherKey, otherKeyDetail, otherKeyYes } = W.shell;
    const isMeant = await sure(otherKey(next.name), otherKeyDetail, otherKeyYes(next.name), leave.signal);
    if (!isMeant || session.current() !== running) return;
    if (!opensAny(next)) return say(W.signIn.nothing);
    clear("shown");
    lock.wipe();
    begin(key, false, next);
  } catch {
    say(W.shell.otherKeyRefused);
  }
}

/** Asks for another key, and shows the reason. @param {unknown} error */
function refused(error) {
  session.drop();
  lock.wipe();
  enter(error instanceof Problem && error.status === 401 ? "refused" : undefined);
  if (error instanceof Problem && error.status !== 401) document.querySelector(".signin")?.append(refusal(error));
}

void start();
