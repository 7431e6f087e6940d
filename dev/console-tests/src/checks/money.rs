//! Money at the desk: methods, refunds, corrections, takings, and what is printed.

use serde_json::{Value, json};

use super::drafts::{lose, sign_in_again};
use crate::{
    Verdict,
    page::Page,
    process::Server,
    stage::{Stage, ask, unpaid},
};

const PAID: &str = "The invoice is paid, and the history is updated.";

/// Chooses the option with this text in the choice with this label.
fn choose(page: &Page, label: &str, option: &str) -> Verdict {
    let script = "const select = [...document.querySelectorAll('label')].filter((one) => one.checkVisibility())
            .find((one) => one.textContent === arguments[0])?.control;
        const found = [...(select?.options ?? [])].find((one) => one.textContent.includes(arguments[1]));
        if (found) { select.value = found.value; select.dispatchEvent(new Event('change', { bubbles: true })); }
        return Boolean(found)";
    match page.browser.run(script, &[json!(label), json!(option)])? {
        Value::Bool(true) => Ok(()),
        _ => Err(format!("there is no {option:?} among {label:?}").into()),
    }
}

/// Sends the form whose button has this text, which its summary has too.
fn send(page: &Page, label: &str) -> Verdict {
    let script = "[...document.querySelectorAll('form button[type=submit]')]\
        .find((one) => one.textContent === arguments[0]).click()";
    page.browser.run(script, &[json!(label)]).map(drop)
}

fn receipts(server: &Server, invoice: i64) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    let (_, mut page) = ask(server, "GET", &format!("/receipts?invoiceId={invoice}"), None)?;
    Ok(page["items"].as_array_mut().map(std::mem::take).unwrap_or_default())
}

/// Checks a payment by card, the correction of its method, and its refund as a wrong entry, each on its paper.
pub(crate) fn put_right(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let invoice = unpaid(&server)?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show(&format!("/bills/{invoice}"))?;
    choose(&page, "Paid by", "Card")?;
    page.click("Take the payment")?;
    page.says(PAID)?;
    page.click("Correct the method")?;
    choose(&page, "Method", "Mobile money")?;
    send(&page, "Correct the method")?;
    page.says("Card → Mobile money")?;
    choose(&page, "What to print", "Receipt")?;
    page.wait_for("document.querySelector('.paper').innerText.includes('Mobile money')")?;

    page.click("Refund in full")?;
    send(&page, "Refund in full")?;
    page.says("Choose why the amount is given back.")?;
    choose(&page, "Reason of the refund", "Other")?;
    send(&page, "Refund in full")?;
    page.wait_for("document.querySelector('[name=note][aria-invalid]') !== null")?;
    choose(&page, "Reason of the refund", "Wrong entry")?;
    page.browser.run("document.querySelector('[name=reopen]').click()", &[])?;
    send(&page, "Refund in full")?;
    page.says("Give the patient the credit note.")?;
    page.wait_for("document.querySelector('.paper h2').textContent.startsWith('Credit note ')")?;
    page.wait_for("document.querySelector('.paper').innerText.includes('Wrong entry')")?;
    page.wait_for("document.activeElement.textContent === 'Print'")?;
    choose(&page, "What to print", "Invoice")?;
    page.wait_for("document.querySelector('.paper .pill').textContent === 'refunded'")?;

    let said: Vec<_> = receipts(&server, invoice)?
        .iter()
        .map(|one| [&one["kind"], &one["method"], &one["reason"]].map(|part| part.as_str().unwrap_or("").to_owned()))
        .collect();
    let wanted = [["payment", "card", ""], ["correction", "mobile", ""], ["refund", "mobile", "wrongEntry"]];
    if said != wanted {
        return Err(format!("the receipts are {said:?}").into());
    }
    let (_, active) = ask(&server, "GET", "/prescriptions?medicine=Zinc%2010&state=active", None)?;
    if active["items"].as_array().map(Vec::len) != Some(1) {
        return Err(format!("the prescription is not active again: {active}").into());
    }
    page.is_clean()
}

/// Checks that a refund whose answer was lost is learned after a reload, and given once.
pub(crate) fn lost(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let invoice = unpaid(&server)?;
    ask(&server, "POST", &format!("/invoice/{invoice}/payment"), None)?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show(&format!("/bills/{invoice}"))?;
    page.click("Refund in full")?;
    choose(&page, "Reason of the refund", "Goodwill")?;
    lose(&page, "POST")?;
    send(&page, "Refund in full")?;
    // News of the refund may show the invoice anew before its form can say so.
    page.wait_for(
        "document.body.innerText.includes('nothing is done twice') \
        || document.querySelector('.paper .pill')?.textContent === 'refunded'",
    )?;
    page.browser.run("location.reload()", &[])?;
    sign_in_again(&page, Server::KEY)?;
    page.says("This was entered at the first attempt")?;
    page.wait_for("document.querySelector('.paper .pill')?.textContent === 'refunded'")?;
    match receipts(&server, invoice)?.len() {
        2 => page.is_clean(),
        count => Err(format!("there are {count} receipts").into()),
    }
}

/// Checks that the takings of today follow a payment, and that a slip ends where the next one begins.
pub(crate) fn takings(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/takings")?;
    page.says("Nothing was taken.")?;
    let invoice = unpaid(&server)?;
    ask(&server, "POST", &format!("/invoice/{invoice}/payment"), Some(json!({ "method": "bank" })))?;
    page.says("Bank transfer")?;
    page.says("1 receipt, 0 without an amount.")?;
    let last = receipts(&server, invoice)?.last().and_then(|one| one["receiptId"].as_i64()).ok_or("no receipt")?;
    page.fill("above", &(last - 3).to_string())?;
    page.click("Make the slip")?;
    page.says(&format!("Receipts {} to {last}", last - 2))?;
    let on_paper = page.is("document.querySelector('.paper').innerText")?;
    for wanted in ["Bank transfer", "4", &format!("The next slip begins after receipt {last}.")] {
        if !on_paper.as_str().is_some_and(|text| text.contains(wanted)) {
            return Err(format!("{wanted:?} is not on the slip: {on_paper}").into());
        }
    }
    page.show("/patients")?;
    page.show("/takings")?;
    page.wait_for(&format!("document.querySelector('[name=above]').value === '{last}'"))?;
    page.click("Make the slip")?;
    page.says("There is no receipt after this one.")?;
    page.is_clean()
}

/// Checks that each sheet is one page of the paper that was chosen.
pub(crate) fn papers(stage: &Stage) -> Verdict {
    /// The papers, with their sizes in points of 1/72 inch.
    const PAPERS: [(&str, i64, i64); 4] =
        [("A4", 595, 842), ("A5", 420, 595), ("80 mm roll", 227, 842), ("58 mm roll", 164, 842)];
    let server = stage.demo()?;
    let invoice = unpaid(&server)?;
    ask(&server, "POST", &format!("/invoice/{invoice}/payment"), None)?;
    ask(&server, "POST", &format!("/invoice/{invoice}/refund"), Some(json!({ "reason": "goodwill" })))?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show(&format!("/bills/{invoice}"))?;
    for sheet in ["Invoice", "Receipt", "Credit note", "Medicine label"] {
        choose(&page, "What to print", sheet)?;
        for paper in PAPERS {
            is_one_page(&page, sheet, paper)?;
        }
    }
    is_one_page(&page, "Medicine label", ("62 × 29 mm label", 176, 82))?;
    page.show("/takings")?;
    page.click("Make the slip")?;
    page.says("The next slip begins")?;
    for paper in PAPERS {
        is_one_page(&page, "slip", paper)?;
    }
    page.is_clean()
}

fn is_one_page(page: &Page, sheet: &str, (paper, width, height): (&str, i64, i64)) -> Verdict {
    choose(page, "Paper", paper)?;
    page.browser.cdp("Emulation.setEmulatedMedia", json!({ "media": "print" }))?;
    let cut =
        page.is("(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)(document.querySelector('.paper'))")?;
    page.browser.cdp("Emulation.setEmulatedMedia", json!({ "media": "" }))?;
    let printed = page.browser.printed()?;
    let text = String::from_utf8_lossy(&printed);
    let boxes: Vec<Vec<i64>> = text
        .split("/MediaBox [")
        .skip(1)
        .filter_map(|rest| rest.split(']').next())
        .map(|numbers| {
            numbers.split_whitespace().filter_map(|n| n.parse::<f64>().ok()).map(|n| n.round() as i64).collect()
        })
        .collect();
    match boxes.as_slice() {
        [only] if cut == json!(false) && (only[2] - width).abs() <= 1 && (only[3] - height).abs() <= 1 => Ok(()),
        other => Err(format!("{sheet} on {paper} is {other:?}, too wide: {cut}").into()),
    }
}
