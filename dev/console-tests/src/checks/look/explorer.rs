//! The vendored explorer.

use serde_json::json;

use crate::{
    Verdict,
    browser::Browser,
    page::Page,
    process::Server,
    stage::{Stage, WIDE},
};

/// A script that finds the part of RapiDoc that sends a request.
const REQUEST: &str = "const shadow = document.querySelector('rapi-doc').shadowRoot;
    const part = (path, method) => [...shadow.querySelectorAll('api-request')].find((one) => one.path === path && \
    one.method === method);";

pub(crate) fn tries(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = Page::new(Browser::open(WIDE)?, &server.url);
    page.browser.go(&format!("{}/explorer/", server.url))?;
    page.wait_for("document.querySelector('rapi-doc').shadowRoot?.querySelectorAll('api-request').length > 20")?;
    let key = format!(
        "{REQUEST} const field = shadow.querySelector('.api-key-input'); field.value = arguments[0];
        field.parentElement.querySelector('button').click()"
    );
    page.browser.run(&key, &[json!(Server::KEY)])?;
    for (form, shown) in [("application/json", "\"name\": \"Ada Example\""), ("application/xml", "<name>")] {
        let send = format!(
            "{REQUEST} document.querySelector('#form').value = arguments[0];
            const one = part('/patient/{{patientId}}', 'get').shadowRoot;
            one.querySelector('.request-param').value = '1'; one.querySelector('.m-btn.primary').click()"
        );
        page.browser.run(&send, &[json!(form)])?;
        page.wait_for(&format!(
            "(() => {{ {REQUEST} return part('/patient/{{patientId}}', 'get').responseText.includes({}) }})()",
            json!(shown)
        ))?;
    }
    let put = "const one = part('/patient', 'put').shadowRoot;";
    let choose = "const kind = one.querySelector('select'); kind.value = 'application/xml'; \
        kind.dispatchEvent(new Event('change'))";
    page.browser.run(&format!("{REQUEST} {put} {choose}"), &[])?;
    let area = "one.querySelector(\"textarea[data-ptype='application/xml']\")";
    page.wait_for(&format!("(() => {{ {REQUEST} {put} return {area} !== null }})()"))?;
    let send = "area.value = '<Patient><patientId>1</patientId><age>41</age></Patient>'; \
        one.querySelector('.m-btn.primary').click()";
    page.browser.run(&format!("{REQUEST} {put} const area = {area}; {send}"), &[])?;
    page.wait_for(&format!(
        "(() => {{ {REQUEST} return part('/patient', 'put').responseText.includes('<age>41</age>') }})()"
    ))?;
    if page
        .is("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])")?
        .as_str()
        .unwrap_or_default()
        .contains(Server::KEY)
    {
        return Err("the explorer keeps the key".into());
    }
    page.is_clean()
}
