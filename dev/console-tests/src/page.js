// What every page of a check begins with: the words of `screens/README.md` that a page does or shows. Each returns true
// once it is done or holds, and is asked again until then.

globalThis.check = (() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const field = (name) => one(`[name='${name}']`);

  /** Compares with a text, or with its beginning before "…". */
  const matches = (text, wanted) =>
    wanted.endsWith("…") ? text.startsWith(wanted.slice(0, -1)) : text === wanted;

  const nameOf = (node) =>
    node.getAttribute("aria-label") || node.labels?.[0]?.textContent || node.textContent.trim();

  /** The text of the fault at a field. */
  const fault = (name) => field(name)?.closest(".field").querySelector(".fault").textContent;

  /** The day after this number of days, as the forms have it. */
  const dayIn = (days) => {
    const at = new Date();
    at.setDate(at.getDate() + days);
    return at.toLocaleDateString("en-GB", { day: "2-digit", month: "2-digit", year: "numeric" });
  };

  /** The element of a selector; "last" before it says which of them. */
  const picked = (selector) => (selector.startsWith("last ") ? all(selector.slice(5)).at(-1) : one(selector));

  // Requests of the page that are under way. The long poll for news is not counted, but where it listens is noted.
  const sent = [];
  const [underWay, polls] = [new Set(), new Set()];
  const real = globalThis.fetch;
  globalThis.fetch = async (target, options) => {
    const url = new URL(target.url ?? target, location.href);
    const request = { method: options?.method ?? target.method ?? "GET", path: url.pathname + url.search };
    sent.push(request);
    const isPoll = url.pathname.endsWith("/news") && url.searchParams.has("wait");
    const own = isPoll ? polls : underWay;
    own.add(request);
    const over = () => setTimeout(() => own.delete(request));
    try {
      const answer = await real(target, options);
      answer.clone().text().then(over, over);
      return answer;
    } catch (error) {
      over();
      throw error;
    }
  };

  /** Presses what is not busy: a press while it does what the last one asked for is dropped. */
  function pressed(node) {
    if (node.matches("[aria-busy=true], form[aria-busy=true] [type=submit]")) return `${nameOf(node)} is busy`;
    node.click();
    return true;
  }

  /** Waits until the page has seen its new size; and until it has drawn what it has. */
  const sized = () => new Promise((then) => requestAnimationFrame(() => setTimeout(then)));
  const drawn = () => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(then))));

  const words = {
    click(name) {
      const found = all("button, a, summary").find((node) => matches(nameOf(node), name) && node.checkVisibility());
      if (!found) return `there is nothing called ${name} to be pressed`;
      return pressed(found);
    },
    tap(selector) {
      const found = picked(selector);
      found?.click();
      return Boolean(found) || `there is no ${selector}`;
    },
    focus(selector) {
      const found = picked(selector);
      found?.focus();
      return Boolean(found) || `there is no ${selector}`;
    },
    /** Makes a field ready to be written over. */
    enter(name) {
      const found = field(name);
      found?.focus();
      found?.select?.();
      return Boolean(found) || `there is no field ${name}`;
    },
    /** Chooses an option by its text or value, in the choice with this label, name or id. */
    choose(name, option) {
      const labelled = all("label").find((node) => node.checkVisibility() && node.textContent === name)?.control;
      const select = labelled ?? field(name) ?? document.getElementById(name);
      const options = [...(select?.options ?? [])];
      const found =
        options.find((node) => node.value === option) ?? options.find((node) => node.textContent.includes(option));
      if (!found) return `there is no ${option} among ${name}`;
      select.selectedIndex = options.indexOf(found);
      select.dispatchEvent(new Event("change", { bubbles: true }));
      return true;
    },
    /** Sends the last form, or the one whose button has this text, which its summary may have too. */
    submit(name) {
      const buttons = all("form button[type=submit]");
      const found = name === undefined ? buttons.at(-1) : buttons.find((node) => node.textContent === name);
      return found ? pressed(found) : "there is no form";
    },
    show(path) {
      one(".screen").replaceChildren();
      location.hash = path;
      return true;
    },
    shown: () => one("h1").textContent !== "" && one(".screen").childElementCount > 0,
    open: () => document.body.classList.contains("open") && one(".screen")?.childElementCount > 0,
    back() {
      history.back();
      return true;
    },
    reload() {
      globalThis.isLeft = true;
      location.reload();
      return true;
    },
    go(hash) {
      location.hash = hash;
      return true;
    },
    /** Moves the clock forward, from the true time. */
    later(minutes) {
      const then = Date.prototype.getTime.call(new Date());
      Date.now = () => then + Number(minutes) * 60_000;
      return true;
    },
    /** Loses the answer to the next request of this method. */
    lose(method) {
      const before = globalThis.fetch;
      let isLost = false;
      globalThis.fetch = async (target, options) => {
        const answer = await before(target, options);
        if (options?.method !== method || isLost) return answer;
        isLost = true;
        throw new TypeError("the answer is lost");
      };
      return true;
    },
    see: (text) => document.body.innerText.includes(text),
    unseen: (text) => !document.body.innerText.includes(text),
    once: (text) => document.body.innerText.split(text).length === 2,
    in: (selector, text) => picked(selector).innerText.includes(text) || picked(selector).innerText,
    lacks: (selector, text) => !picked(selector).innerText.includes(text) || picked(selector).innerText,
    text: (selector, text) => matches(picked(selector).textContent, text) || picked(selector).textContent,
    row: (one, other) => all("tbody tr").some((row) => row.innerText.includes(one) && row.innerText.includes(other)),
    some: (selector) => one(selector) !== null,
    none: (selector) => one(selector) === null,
    count: (count, selector) => all(selector).length === Number(count) || `there are ${all(selector).length}`,
    value: (name, text) => field(name)?.value === text || `it is ${field(name)?.value}`,
    fault: (name, text) => matches(fault(name), text) || `the fault is ${fault(name)}`,
    focused(name) {
      const node = document.activeElement;
      const isIt = [node.name, node.id, node.tagName, node.textContent, nameOf(node)].includes(name);
      return isIt || `the focus is on ${node.outerHTML.slice(0, 100)}`;
    },
    at: (hash) => matches(location.hash, hash) || `the address is ${location.hash}`,
    named: (name) =>
      all("a, button, input, select, textarea, summary").some(
        (node) => nameOf(node) === name && node.checkVisibility(),
      ),
    uncovered() {
      const node = document.activeElement;
      const box = node.getBoundingClientRect();
      const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      return (Boolean(at) && (node.contains(at) || at.contains(node))) || "what has the focus is covered";
    },
    /** No request is under way, and what was answered is drawn. */
    quiet: () => drawn().then(() => underWay.size === 0 || `${[...underWay][0].path} is under way`),
    /** The page has heard of all changes up to this one, and shows them. */
    heard(seq) {
      const after = [...polls].map(({ path }) => Number(new URLSearchParams(path.split("?")[1]).get("after")));
      return after.some((one) => one >= Number(seq)) ? words.quiet() : `it listens after ${after}`;
    },
    uncut: () => sized().then(() => cutOff() || true),
  };

  /** What axe-core finds. A part that has become too wide can be scrolled by keyboard from the next frame on. */
  const judged = async () => {
    await drawn();
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) => [id, help, nodes.map((node) => node.html.slice(0, 200))]);
  };

  /**
   * The first texts that are out of sight: cut off by an element that does not scroll, or outside the window. A part that
   * scrolls sideways counts as seen if the keyboard reaches it and it has a name. A word of usual length in a table is
   * cut off when its end stands on the next line.
   */
  function cutOff() {
    const cut = [];
    // Texts have most of their ancestors in common, and styles are dear.
    const known = new Map();
    const roomOf = (node) => {
      if (!known.has(node)) {
        const flow = getComputedStyle(node).overflowX;
        known.set(node, flow === "visible" ? undefined : { flow, edge: node.getBoundingClientRect() });
      }
      return known.get(node);
    };
    const isNamed = (node) =>
      node.tabIndex === 0 &&
      (node.getAttribute("role") === "region" || node.tagName === "PRE") &&
      node.getAttribute("aria-label");
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && cut.length < 3) {
      const text = walker.currentNode;
      const parent = text.parentElement;
      const isHidden = text.data.trim() === "" || !parent.checkVisibility();
      if (isHidden || parent.closest(".skip, .unseen, svg, option")) continue;
      // A caption for screen readers alone.
      if (parent.tagName === "CAPTION" && getComputedStyle(parent).clipPath !== "none") continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const boxes = [...range.getClientRects()];
      if (boxes.length > 1 && parent.closest("th, td")) {
        for (const { 0: word, index } of text.data.matchAll(/[\p{L}\p{N}]{2,20}/gu)) {
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          if (range.getClientRects().length > 1) cut.push(`the word ${word} is broken`);
        }
      }
      for (const box of boxes) {
        let [left, right, scrolls] = [0, innerWidth, false];
        for (let node = parent; node && !scrolls; node = node.parentElement) {
          const room = roomOf(node);
          if (!room) continue;
          const { flow, edge } = room;
          if (box.left >= edge.left - 1 && box.right <= edge.right + 1) continue;
          if (flow === "auto" || flow === "scroll") {
            scrolls = Boolean(isNamed(node));
            if (scrolls) continue;
          }
          left = Math.max(left, edge.left);
          right = Math.min(right, edge.right);
        }
        if (!scrolls && (box.left < left - 1 || box.right > right + 1)) {
          cut.push(text.data.trim().slice(0, 40));
          break;
        }
      }
    }
    for (const part of [one(".page") ?? document.body, one(".top") ?? document.body]) {
      if (part.scrollWidth > part.clientWidth) cut.push(`${part.className || "the body"} is ${part.scrollWidth} wide`);
    }
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth) cut.push(`the document is ${scrollWidth} wide`);
    return cut.length > 0 && `cut off is ${cut.join(" | ")}`;
  }

  return { one, all, nameOf, fault, dayIn, words, judged, sent };
})();
