//! Names that try to be markup, scripts or text direction.

use serde_json::json;

use crate::{
    Verdict,
    browser::Window,
    process::Server,
    stage::{Stage, ask},
};

/// Names that try to run a script, to turn the text direction, or to end an element.
const NAMES: [&str; 4] = [
    "<img src=x onerror=\"window.harmed=1\">",
    "\u{202E}ada elpmaxe \u{2067}\u{05D0}\u{05D3}\u{05D4}",
    "<script>window.harmed=1</script>\u{2028}</bdi></td></table>",
    "javascript:window.harmed=1//'\"&amp;",
];

pub(crate) fn names(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let emoji = "\u{1F469}".repeat(128);
    let mut ids = Vec::new();
    for name in NAMES.into_iter().chain([emoji.as_str(), &"W".repeat(128)]) {
        let body = json!({ "name": name, "location": name, "address": name, "gender": name });
        let (status, patient) = ask(&server, "POST", "/patient", Some(body))?;
        if status != 201 {
            return Err(format!("{name}: {patient}").into());
        }
        let id = patient["patientId"].clone();
        let medicine = name.replace('\u{2028}', " ");
        let escaped: String = medicine.bytes().map(|byte| format!("%{byte:02X}")).collect();
        ask(
            &server,
            "POST",
            &format!("/inventory/{escaped}"),
            Some(json!({ "dosage": name, "price": 3, "currency": "EUR" })),
        )?;
        let visit =
            json!({ "patientId": id, "diseases": [name], "prescriptions": [{ "medicine": medicine, "dosage": name }] });
        let (_, visit) = ask(&server, "POST", "/consultations", Some(visit))?;
        let (_, listed) = ask(&server, "GET", &format!("/prescriptions?patientId={id}"), None)?;
        let prescription = listed["items"][0]["prescriptionId"].clone();
        ask(&server, "POST", &format!("/prescriptions/{prescription}/invoice"), None)?;
        ids.push((id, visit["consultationId"].clone(), prescription, escaped));
    }
    let (_, bills) = ask(&server, "GET", "/invoice?state=unpaid&limit=100", None)?;
    let page = stage.desk(&server, Server::KEY)?;
    let mut screens: Vec<String> =
        ["/inventory", "/restock", "/patients", "/bills", "/journal"].map(str::to_owned).into();
    for (id, visit, prescription, medicine) in &ids {
        screens.extend([
            format!("/patients/{id}"),
            format!("/patients/{id}/edit"),
            format!("/patients/{id}/visit"),
            format!("/visits/{visit}"),
            format!("/prescriptions/{prescription}"),
            format!("/inventory/of/{medicine}"),
        ]);
    }
    let bills = bills["items"].as_array().cloned().unwrap_or_default();
    screens.extend(bills.iter().rev().take(NAMES.len() + 2).map(|bill| format!("/bills/{}", bill["invoiceId"])));
    for width in [1280, 320] {
        page.browser.size(Window { width, height: 900 })?;
        for screen in &screens {
            page.show(screen)?;
            harmless(&page, screen).map_err(|wrong| format!("{screen} at {width}: {wrong}"))?;
        }
    }
    page.is_clean()
}

fn harmless(page: &crate::page::Page, screen: &str) -> Verdict {
    if page.is(
        "window.harmed === 1 || document.querySelectorAll('script, iframe, img:not([src=\"icon.svg\"])').length > 1",
    )? != json!(false)
    {
        return Err("a name became an element".into());
    }
    let wide = page.is("[document.documentElement, document.querySelector('.page')]\
        .some((node) => node.scrollWidth > node.clientWidth + 1)")?;
    if wide != json!(false) {
        return Err(format!("a name makes {screen} wider than the window").into());
    }
    if page.is("document.querySelector('h1').textContent")? == json!("The request was refused") {
        return Err("the screen does not open".into());
    }
    Ok(())
}
