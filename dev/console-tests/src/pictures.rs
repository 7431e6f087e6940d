//! Takes the pictures of the documents.

use std::{fs, path::Path, thread::sleep, time::Duration};

use serde_json::json;

use crate::{
    Verdict,
    browser::Window,
    process::Server,
    stage::{Stage, ask},
};

/// The screens: name, address, theme, and whether the drawer is open.
const PICTURES: &[(&str, &str, &str, bool)] = &[
    ("today", "/today", "light", false),
    ("expiring", "/expiring?days=180", "light", false),
    ("inventory", "/inventory", "light", true),
    ("restock", "/restock", "light", false),
    ("plan", "/restock/of/Amoxicillin%20500", "light", false),
    ("patient", "/patients/1", "light", false),
    ("visit", "/patients/2/visit", "light", false),
    ("bill", "/bills/3", "dark", false),
    ("takings", "/takings", "light", false),
    ("journal", "/journal", "dark", false),
];

pub(crate) fn take(stage: &Stage, folder: &Path) -> Verdict {
    fs::create_dir_all(folder)?;
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    for (name, address, theme, is_drawn) in PICTURES {
        page.browser.theme(theme)?;
        page.browser.size(Window { width: if *is_drawn { 1600 } else { 1360 }, height: 820 })?;
        if *name == "takings" {
            let (_, open) = ask(&server, "GET", "/invoice?state=unpaid&limit=3", None)?;
            for (invoice, method) in open["items"].as_array().into_iter().flatten().zip(["cash", "card", "mobile"]) {
                let path = format!("/invoice/{}/payment", invoice["invoiceId"]);
                ask(&server, "POST", &path, Some(json!({ "method": method })))?;
            }
        }
        page.show(address)?;
        if *name == "visit" {
            page.fill("disease", "Hay fever")?;
            page.fill("medicine", "Cetirizine 10")?;
            page.browser.run("document.activeElement.blur()", &[])?;
        }
        let drawn = page.is("document.body.classList.contains('drawn')")? == json!(true);
        if drawn != *is_drawn {
            page.click("Requests")?;
        }
        sleep(Duration::from_millis(600));
        fs::write(folder.join(format!("{name}.png")), page.browser.picture()?)?;
    }
    page.is_clean()
}
