//! Labels for medicines, which lose no word.

use serde_json::{Value, json};

use crate::{
    Verdict,
    browser::Answer,
    page::Page,
    process::Server,
    stage::{Stage, ask},
};

const DOSAGE: &str = "1 tablet every 6 hours when in pain, at most 4 tablets in 24 hours; do NOT take with other \
    medicines that contain paracetamol";
const LONGEST: &str = "Dissolve one tablet in half a glass of water; take it after breakfast, with food. Do not drive. \
    Do not take it with milk, antacids or iron. Stop and come back if a rash appears. Keep it from children, below 25 \
    degrees and dry.";
const THAI: &str = "รับประทานครั้งละหนึ่งเม็ดวันละสามครั้งหลังอาหารเช้ากลางวันแล\
    ะเย็นห้ามรับประทานร่วมกับนมหรือยาลดกรดหากมีผื่นขึ้นให้หยุดยา\
    และกลับมาพบแพทย์ทันทีเก็บให้พ้นมือเด็กและแสงแดดรับประทานครั้\
    งละหนึ่งเม็ดวันละสามครั้งหลังอาหาร";

/// A script for the words that are not whole on their label of 59 × 25 mm, and for all that is written on each.
const LABELS: &str = "const mm = 96 / 25.4;
    return [...document.querySelectorAll('.paper .sticker')].map((label) => {
      const box = label.getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(label);
      const isCut = [...range.getClientRects()].some((at) => at.right > box.left + 59 * mm + 1
          || at.left < box.left - 1 || at.bottom > box.top + 25 * mm + 1 || at.top < box.top - 1);
      const lines = [...label.children].map((one) => one.textContent);
      return { isCut, size: parseFloat(label.style.fontSize), lines };
    })";

/// Returns the number of a paid invoice of 60 tablets for this person.
fn paid(server: &Server, medicine: &str, name: &str, dosage: &str) -> Answer<i64> {
    let escaped: String = medicine.bytes().map(|byte| format!("%{byte:02X}")).collect();
    ask(server, "POST", &format!("/inventory/{escaped}"), Some(json!({ "price": 4, "currency": "EUR" })))?;
    let opening = json!({ "unit": "tablets", "supplyUnits": 60,
        "opening": [{ "lot": "A1", "expires": "31/03/2099", "units": 60 }] });
    ask(server, "POST", &format!("/inventory/{escaped}/stock"), Some(opening))?;
    let (_, patient) = ask(server, "POST", "/patient", Some(json!({ "name": name })))?;
    let id = &patient["patientId"];
    let body = json!({ "patientId": id, "medicine": medicine, "dosage": dosage });
    ask(server, "POST", "/prescriptions", Some(body))?;
    let (_, listed) = ask(server, "GET", &format!("/prescriptions?patientId={id}"), None)?;
    ask(server, "POST", &format!("/prescriptions/{}/invoice", listed["items"][0]["prescriptionId"]), None)?;
    let (_, invoices) = ask(server, "GET", &format!("/invoice?patientId={id}"), None)?;
    let number = invoices["items"][0]["invoiceId"].as_i64().ok_or(format!("no invoice in {invoices}"))?;
    ask(server, "POST", &format!("/invoice/{number}/payment"), None)?;
    Ok(number)
}

/// Shows the labels of an invoice as they are printed on labels.
fn label(page: &Page, invoice: i64) -> Verdict {
    page.show(&format!("/bills/{invoice}"))?;
    page.wait_for("document.querySelector('[name=sheet] [value=label]') !== null")?;
    for (name, value) in [("sheet", "label"), ("paper", "label")] {
        let choose = "const list = document.querySelector(`[name=${arguments[0]}]`); list.value = arguments[1];
            list.dispatchEvent(new Event('change', { bubbles: true }))";
        page.browser.run(choose, &[json!(name), json!(value)])?;
    }
    page.wait_for("document.querySelector('.paper.label') !== null")
}

/// Checks that labels show every word, the medicine first, in smaller letters or on several labels.
pub(crate) fn whole(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    let long = "Maria Magdalena ".repeat(7);
    let cases = [
        ("Zinc 10", "Ada Example", "1-0-1", 1),
        ("Paracetamol forte 500", "Wilhelmina Featherstonehaugh of Cholmondeley", DOSAGE, 1),
        ("Doxycycline 100", long.trim(), LONGEST, 2),
        ("Amoxicillin with clavulanic acid, syrup", "สมชาย ใจดี", THAI, 2),
    ];
    for (medicine, name, dosage, least) in cases {
        let invoice = paid(&server, medicine, name, dosage)?;
        label(&page, invoice)?;
        page.browser.cdp("Emulation.setEmulatedMedia", json!({ "media": "print" }))?;
        let labels = page.browser.run(LABELS, &[])?;
        page.browser.cdp("Emulation.setEmulatedMedia", json!({ "media": "" }))?;
        let labels = labels.as_array().cloned().unwrap_or_default();
        is_whole(&labels, [medicine, name, dosage]).map_err(|wrong| format!("{medicine}: {wrong}: {labels:?}"))?;
        let pages = String::from_utf8_lossy(&page.browser.printed()?).matches("/MediaBox [").count();
        if labels.len() < least || pages != labels.len() {
            return Err(format!("{medicine} is on {pages} pages: {labels:?}").into());
        }
    }
    page.is_clean()
}

fn is_whole(labels: &[Value], [medicine, name, dosage]: [&str; 3]) -> Verdict {
    let mut text = String::new();
    for (place, label) in labels.iter().enumerate() {
        let mut lines: Vec<_> = label["lines"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if label["isCut"] != json!(false) || label["size"].as_f64() < Some(7.0) {
            return Err("it is cut off, or too small".into());
        }
        if labels.len() > 1 {
            let foot = lines.pop().unwrap_or_default();
            if !foot.starts_with(&format!("{} of {}, Invoice ", place + 1, labels.len())) {
                return Err("it does not say which of them it is".into());
            }
        }
        text += &lines.join("\n");
    }
    let at = |part: &str| text.find(part).ok_or(format!("{part:?} is missing"));
    let unbroken: String = text.replace('\n', "");
    for part in [dosage, name] {
        if !unbroken.contains(part) && !text.contains(part) {
            return Err(format!("{part:?} is missing").into());
        }
    }
    match at(medicine)? == 0 && at("Quantity: 60")? < at("number ")? && at("number ")? < at("A1")? {
        true => Ok(()),
        false => Err("it is in another order".into()),
    }
}

/// Checks that a label with a word that does not fit is not printed, and says why.
pub(crate) fn too_long(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    let invoice = paid(&server, "Zinc 10", &"W".repeat(120), "1-0-1")?;
    label(&page, invoice)?;
    page.browser.run("window.prints = 0; window.print = () => (window.prints += 1)", &[])?;
    page.click("Print")?;
    page.wait_for(
        "document.querySelector('.paper [role=alert]')?.innerText.startsWith('A word is too long for the label')",
    )?;
    page.browser.cdp("Emulation.setEmulatedMedia", json!({ "media": "print" }))?;
    let printed = page.is("[window.prints, document.body.innerText.trim()]")?;
    page.browser.cdp("Emulation.setEmulatedMedia", json!({ "media": "" }))?;
    match printed == json!([0, ""]) {
        true => page.is_clean(),
        false => Err(format!("printed is {printed}").into()),
    }
}
