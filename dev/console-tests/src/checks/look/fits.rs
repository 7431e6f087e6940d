//! The room on the screen: nothing is cut off, at any width and at any zoom.

use serde_json::{Value, json};

use crate::{
    Verdict,
    browser::Window,
    page::{ENTER, ESCAPE, Page},
    process::Server,
    stage::{Stage, WIDE, ask, unpaid},
};

/// The screens whose layout differs.
pub(crate) const SCREENS: [&str; 23] = [
    "/today",
    "/inventory",
    "/inventory/new",
    "/inventory/of/Zinc%2010",
    "/inventory/delivery",
    "/inventory/sheet",
    "/inventory/stock/Zinc%2010",
    "/inventory/stock/Cetirizine%2010",
    "/expiring?days=180",
    "/restock",
    "/restock/of/Amoxicillin%20500",
    "/patients",
    "/patients/new",
    "/patients/1",
    "/patients/1/edit",
    "/patients/1/visit",
    "/visits/1",
    "/visits/1/bill/3",
    "/prescriptions/1",
    "/bills",
    "/bills/3",
    "/takings",
    "/journal",
];

/// The steps of a person on a screen to see one of its forms whole.
enum Opener {
    Press(&'static str),
    /// A text for a field, followed by Enter.
    Enter(&'static str, &'static str),
}

/// The forms that a screen opens, or that grow.
const FORMS: [(&str, Opener); 9] = [
    ("/inventory/stock/Amoxicillin%20500", Opener::Press("Receive")),
    ("/inventory/stock/Amoxicillin%20500", Opener::Press("Remove")),
    ("/inventory/stock/Amoxicillin%20500", Opener::Press("Count")),
    ("/inventory/stock/Amoxicillin%20500", Opener::Press("Settings")),
    ("/inventory/delivery", Opener::Enter("scan", "amox")),
    ("/patients/new", Opener::Enter("age", "many")),
    ("/patients/1/visit", Opener::Press("Price and regular use")),
    ("/bills/3", Opener::Press("Refund in full")),
    ("/bills/3", Opener::Press("Correct the method")),
];

/// A script for the first texts that are out of sight: cut off by an element that does not scroll, or outside the
/// window. A part that scrolls sideways counts as seen if the keyboard reaches it and it has a name. A word of usual
/// length in a table is cut off when its end stands on the next line.
const CUT_OFF: &str = "
    const cut = [];
    const isNamed = (node) => node.tabIndex === 0 && (node.getAttribute('role') === 'region' || node.tagName === 'PRE')
        && node.getAttribute('aria-label');
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && cut.length < 3) {
      const text = walker.currentNode, parent = text.parentElement;
      if (text.data.trim() === '' || !parent.checkVisibility()
          || parent.closest('.skip, .unseen, .card caption, svg, option')) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const boxes = [...range.getClientRects()];
      if (boxes.length > 1 && parent.closest('th, td'))
        for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{N}]{2,20}/gu)) {
          range.setStart(text, index); range.setEnd(text, index + word.length);
          if (range.getClientRects().length > 1) cut.push(`the word ${word} is broken`);
        }
      for (const box of boxes) {
        let [left, right] = [0, innerWidth], scrolls = false;
        for (let node = parent; node && !scrolls; node = node.parentElement) {
          const flow = getComputedStyle(node).overflowX;
          if (flow === 'visible') continue;
          const edge = node.getBoundingClientRect();
          if (box.left >= edge.left - 1 && box.right <= edge.right + 1) continue;
          if (flow === 'auto' || flow === 'scroll') { scrolls = Boolean(isNamed(node)); if (scrolls) continue; }
          left = Math.max(left, edge.left); right = Math.min(right, edge.right);
        }
        if (!scrolls && (box.left < left - 1 || box.right > right + 1)) {
          cut.push(text.data.trim().slice(0, 40));
          break;
        }
      }
    }
    const wide = document.querySelector('.page') ?? document.body;
    if (wide.scrollWidth > wide.clientWidth) cut.push(`the page is ${wide.scrollWidth} wide`);
    if (document.documentElement.scrollWidth > innerWidth)
        cut.push(`the document is ${document.documentElement.scrollWidth} wide`);
    return cut.join(' | ')";

/// Checks each screen and each form from 320 to 1,700 pixels in steps of 20, screens with and without the drawer of
/// requests.
pub(crate) fn widths(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    ask(&server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4, "currency": "EUR" })))?;
    let page = stage.desk(&server, Server::KEY)?;
    // Both servers hand out the same files, so each view has every width on one of them: three of five on the first,
    // which has less to do besides.
    let (is_first, mut turn) = (stage.server == Server::BOTH[0], 0);
    let mut wrong = Vec::new();
    let mut sweep = |what: &str| -> Verdict {
        turn += 1;
        let step = if (turn % 5 < 3) == is_first { 20 } else { 460 };
        for width in (320..=1700).step_by(step) {
            page.browser.size(Window { width, height: 900 })?;
            let cut = shown(&page)?;
            if cut != json!("") {
                wrong.push(format!("{what} at {width}: {cut}"));
            }
        }
        page.browser.size(WIDE)
    };
    for screen in SCREENS {
        page.show(screen)?;
        sweep(screen)?;
        page.click("Requests")?;
        sweep(&format!("{screen} beside the drawer"))?;
        page.click("Requests")?;
    }
    for (screen, opener) in FORMS {
        // A screen that is shown twice in a row is not made anew.
        page.show("/patients")?;
        page.show(screen)?;
        let name = match opener {
            Opener::Press(name) => page.click(name).map(|()| name),
            Opener::Enter(field, text) => {
                page.fill(field, text)?;
                page.browser.keys(ENTER).map(|()| text)
            }
        }?;
        page.wait_for("[...document.querySelectorAll('form')].some((form) => form.checkVisibility())")?;
        sweep(&format!("{name} on {screen}"))?;
    }
    page.click("Sign out")?;
    page.says("the key is forgotten")?;
    sweep("the form that asks for a key")?;
    if !wrong.is_empty() {
        return Err(format!("{} views are cut off, such as {:?}", wrong.len(), &wrong[..wrong.len().min(8)]).into());
    }
    page.is_clean()
}

/// Checks 400 % of zoom on a usual screen, which leaves 320 by 256 pixels: the page has the window, the requests are a
/// dialog that fills it, and what has the focus is seen.
pub(crate) fn zoom(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let number = unpaid(&server)?;
    let page = stage.desk(&server, Server::KEY)?;
    let small = Window { width: 320, height: 256 };
    page.browser.size(small)?;
    for screen in [&format!("/bills/{number}"), "/patients/1", "/restock", "/patients/1/edit", "/patients/new"] {
        page.show(screen)?;
        let cut = shown(&page)?;
        if cut != json!("") {
            return Err(format!("{screen}: {cut}").into());
        }
        // The header scrolls away, so all of the window is the page.
        page.browser.run("document.querySelector('footer').scrollIntoView({ block: 'end' })", &[])?;
        page.wait_for("document.querySelector('.top').getBoundingClientRect().bottom <= 0")?;
        page.browser.run("scrollTo(0, 0)", &[])?;
    }
    page.browser.run("document.querySelector('[aria-expanded]').focus()", &[])?;
    page.click("Requests")?;
    page.wait_for(
        "document.querySelector('dialog.drawer:modal') !== null && document.activeElement.id === 'exchange'",
    )?;
    let filled = page.is("(({ top, left, width, height }) => [top, left, width, height].join())\
        (document.querySelector('.drawer').getBoundingClientRect())")?;
    if filled != json!("0,0,320,256") {
        return Err(format!("the drawer has {filled} of the window").into());
    }
    let covered = "const box = document.activeElement.getBoundingClientRect(),
        heading = document.querySelector('.drawer h2').getBoundingClientRect();
        return box.top < heading.bottom && heading.bottom > 0";
    if page.browser.run(covered, &[])? != json!(false) {
        return Err("the focused field covers the heading".into());
    }
    let cut = shown(&page)?;
    if cut != json!("") {
        return Err(format!("the drawer: {cut}").into());
    }
    page.browser.keys(ESCAPE)?;
    page.wait_for("!document.querySelector('.drawer').checkVisibility()")?;
    page.wait_for("document.activeElement.textContent === 'Requests'")?;
    // A window that grows makes a part beside the page of the dialog.
    page.click("Requests")?;
    page.browser.size(WIDE)?;
    page.wait_for(
        "document.querySelector('.drawer').checkVisibility() && !document.querySelector('.drawer').matches(':modal')",
    )?;
    page.is_clean()
}

/// Checks that the focus returns to the button that opened a form of the shelf, however the form is closed.
pub(crate) fn focus(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let opening = json!({ "unit": "tablets", "opening": [{ "lot": "A1", "expires": "31/03/2099", "units": 40 }] });
    ask(&server, "POST", "/inventory/Cetirizine%2010/stock", Some(opening))?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/inventory/stock/Cetirizine%2010")?;
    let is_back = |name: &str| page.wait_for(&format!("document.activeElement.textContent === '{name}'"));
    for name in ["Receive", "Remove", "Count", "Settings"] {
        page.tab_to(name)?;
        page.browser.keys(ENTER)?;
        page.wait_for("document.querySelector('form')?.contains(document.activeElement)")?;
        page.browser.keys(ESCAPE)?;
        page.wait_for("document.querySelector('form') === null")?;
        is_back(name)?;
        page.click(name)?;
        page.click("Close")?;
        is_back(name)?;
    }
    for (name, field, units) in [("Receive", "units", "5"), ("Remove", "units", "2"), ("Count", "counted", "41")] {
        page.click(name)?;
        page.fill(field, units)?;
        page.browser.keys(ENTER)?;
        page.wait_for("document.querySelector('form') === null")?;
        is_back(name)?;
    }
    page.is_clean()
}

/// Returns what is cut off now, after the page has seen its new size.
pub(crate) fn shown(page: &Page) -> Result<Value, Box<dyn std::error::Error>> {
    let settled = "await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));";
    page.browser.run(&format!("return (async () => {{ {settled} {CUT_OFF} }})()"), &[])
}
