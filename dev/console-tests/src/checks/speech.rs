//! The languages of the page.

use std::fs;

use serde_json::json;

use super::look::{fits, looks};
use crate::{
    Verdict,
    browser::{Browser, Window},
    page::Page,
    process::Server,
    stage::{Stage, WIDE, ask, unpaid},
};

/// Words of the page's menu in each language, the last of which is read from right to left.
const MENUS: [(&str, &str); 5] =
    [("en", "Patients"), ("de", "Patienten"), ("fr", "Patients"), ("es", "Pacientes"), ("ar", "المرضى")];

/// A script for the places at which a language differs from English: a text that is missing, one too many, or another
/// number of what it is given.
const DIFFERENCES: &str = "
    const shape = (part, at) => typeof part === 'function' ? [`${at}(${part.length})`]
      : typeof part === 'string' ? [at + (part.match(/\\{\\w+\\}/g) ?? []).sort().join('')]
      : Object.entries(part).flatMap(([name, inner]) => shape(inner, `${at}.${name}`));
    const all = ({ SPEECH, ...texts }) => new Set(shape(texts, ''));
    const strings = (part) => typeof part === 'string' ? [part]
        : typeof part === 'object' ? Object.values(part).flatMap(strings) : [];
    const load = (language) => import(new URL(`words/${language}.js`, document.baseURI));
    return Promise.all(arguments[0].map(load)).then(([english, ...others]) => {
      const [wanted, own] = [all(english), strings({ ...english, SPEECH: {} })];
      return others.flatMap((other, place) => {
        const found = all(other);
        const wrong = [...wanted.symmetricDifference(found)].map((at) => `${arguments[0][place + 1]}: ${at}`);
        const same = strings({ ...other, SPEECH: {} })
            .filter((text) => text.includes(' ') && /\\p{L}/u.test(text) && own.includes(text));
        return [...wrong, ...same.map((text) => `${arguments[0][place + 1]} is English: ${text}`)];
      }).join(' | ');
    })";

/// Checks that every language has the texts of English, each with as much as it is given there, and none in English.
pub(crate) fn texts(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = Page::new(Browser::open(WIDE)?, &server.url);
    page.browser.go(&page.address(""))?;
    page.says("Sign in")?;
    let languages =
        page.is("import(new URL('language.js', document.baseURI)).then((all) => Object.keys(all.LANGUAGES))")?;
    if languages != json!(MENUS.map(|(language, _)| language)) {
        return Err(format!("the languages are {languages}").into());
    }
    let tags: Vec<_> = MENUS.iter().map(|(language, _)| *language).chain(["pseudo"]).collect();
    let wrong = page.browser.run(DIFFERENCES, &[json!(tags)])?;
    if wrong != json!("") {
        return Err(wrong.to_string().into());
    }
    let said =
        page.is("import(new URL('words/en.js', document.baseURI)).then((all) => Object.keys(all.PLAN.rules).sort())")?;
    let mut rules: Vec<_> = ADVICE.iter().flat_map(|source| rules_of(source)).collect();
    rules.sort_unstable();
    rules.dedup();
    match said == json!(rules) {
        true => page.is_clean(),
        false => Err(format!("the service advises by {rules:?}, and the console knows {said}").into()),
    }
}

/// Checks that counts and negative figures read as they are said.
pub(crate) fn counts(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = Page::new(Browser::open(WIDE)?, &server.url);
    page.browser.go(&page.address(""))?;
    page.says("Sign in")?;
    let said = page.is("import(new URL('ui/reasons.js', document.baseURI)).then(({ reasons }) => {
        const figures = Object.entries({ position: '-50', reorderAt: '14', upTo: '26', order: '76', packs: '1',
            packUnits: '80', unit: 'bottles' }).map(([name, value]) => ({ name, value }));
        return reasons([''], [{ rule: 'order', figures }]).textContent;
    })")?;
    if said != json!("-50 is not above 14: 26 - (-50) is 76 bottles in 1 pack of 80") {
        return Err(format!("the advice says {said}").into());
    }
    let said =
        page.is("Promise.all(['en', 'ar'].map((one) => import(new URL(`words/${one}.js`, document.baseURI))))
        .then(([{ STOCK }, { PLAN }]) =>
            [STOCK.units(1, 'bottles'), STOCK.units(2, 'bottles'), STOCK.units(1, 'Glas'), PLAN.packs(2)])")?;
    match said == json!(["1 bottle", "2 bottles", "1 Glas", "عبوتين"]) {
        true => page.is_clean(),
        false => Err(format!("counts are said as {said}").into()),
    }
}

/// The sources of the sentences of advice.
const ADVICE: [&str; 2] = [
    include_str!("../../../../care-core/src/stock/because.rs"),
    include_str!("../../../../care-core/src/service/reports/restock/figures.rs"),
];

/// Returns the names of the rules by which a source makes sentences.
fn rules_of(source: &str) -> impl Iterator<Item = &str> {
    let calls = source.split("sentence!(").skip(1);
    calls.filter_map(|call| call.trim_start().strip_prefix('"')?.split_once('"').map(|(rule, _)| rule))
}

/// Checks that the page speaks as the browser asks, loads that language alone, and goes over to another one by hand
/// without losing what was typed.
pub(crate) fn spoken(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    unpaid(&server)?;
    let page = Page::new(Browser::open(WIDE)?, &server.url);
    let agent = page.is("navigator.userAgent")?;
    let asked = json!({ "userAgent": agent, "acceptLanguage": "pt-BR,de-AT,en" });
    page.browser.cdp("Emulation.setUserAgentOverride", asked)?;
    page.sign_in(Server::KEY)?;
    is_in(&page, 1)?;
    let loaded = page.is("performance.getEntriesByType('resource')\
        .map(({ name }) => /words\\/(.*)/.exec(name)?.[1]).filter(Boolean).join()")?;
    if loaded != json!("de.js") {
        return Err(format!("the page loads {loaded}").into());
    }
    // The service's refusals are told by their type; the words of a fault stay the service's, and say so.
    page.show("/patients/1")?;
    page.click("Zurückziehen: Zinc 10")?;
    page.says("Zinc 10 zurückziehen?")?;
    page.click("Zurückziehen")?;
    page.says("Eine Rechnung ist unbezahlt")?;
    page.show("/patients/new")?;
    page.fill("name", "Ada")?;
    page.fill("age", "151")?;
    page.click("Patienten aufnehmen")?;
    page.says("Einige Felder müssen berichtigt werden.")?;
    page.wait_for("document.querySelector('.fault:not(:empty)').lang === 'en'")?;
    page.show("/restock/of/Amoxicillin%20500")?;
    page.says("So wurde gerechnet")?;
    page.wait_for(
        "document.querySelector('.reasons li') !== null && document.querySelector('.reasons li[lang]') === null",
    )?;
    page.show("/bills")?;
    page.says("4\u{a0}EUR")?;

    page.show("/patients/1/visit")?;
    page.fill("disease", "Heuschnupfen")?;
    for (place, (language, _)) in MENUS.iter().enumerate().rev() {
        speak(&page, language)?;
        is_in(&page, place)?;
        page.wait_for("document.activeElement.id === 'language'")?;
    }
    page.click("Restore it")?;
    page.wait_for("document.querySelector('[name=disease]').value === 'Heuschnupfen'")?;
    speak(&page, "ar")?;
    page.browser.run("location.reload()", &[])?;
    page.wait_for("document.querySelector('.signin') !== null && document.documentElement.dir === 'rtl'")?;
    page.is_clean()
}

/// Checks that the page is in the language in this place of [`MENUS`].
fn is_in(page: &Page, place: usize) -> Verdict {
    let (language, menu) = MENUS[place];
    let direction = if language == "ar" { "rtl" } else { "ltr" };
    page.wait_for(&format!(
        "document.documentElement.lang === '{language}' && document.documentElement.dir === '{direction}'
         && document.querySelector('nav').innerText.includes('{menu}')"
    ))
}

/// Chooses a language by hand.
fn speak(page: &Page, language: &str) -> Verdict {
    let choose = "const list = document.querySelector('#language'); list.value = arguments[0];
        list.focus(); list.dispatchEvent(new Event('change'))";
    page.browser.run(choose, &[json!(language)])?;
    Ok(())
}

/// A script for the texts that no file of words has: pseudo-English stands between brackets, and what a client of the
/// service wrote has an element of its own.
const UNTRANSLATED: &str = "
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode, parent = text.parentElement;
      const said = text.data.replaceAll(/⟦[^⟧]*⟧/g, '')
        .replaceAll(/\\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\\b/g, '')
        .replaceAll(/\\b(Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec)[a-z]*\\b/g, '')
        .replaceAll(/\\b(EUR|UTC|[A-Z]{3,4}T)\\b/g, '');
      if (/\\p{L}/u.test(said) && parent.checkVisibility()
          && !parent.closest('bdi, code, pre, time, .chart, #language, footer')) found.add(text.data.trim());
    }
    for (const node of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
      const label = node.ariaLabel ?? node.placeholder ?? node.title;
      if (/\\p{L}/u.test(label) && !label.includes('⟦') && !node.closest('[data-region]')?.isSameNode(node))
          found.add(label);
    }
    return [...found].slice(0, 5).join(' | ')";

/// Checks every screen in German, in Arabic, and in words that are two fifths longer: nothing is cut off, axe-core
/// finds nothing, and no text is a screen's own.
pub(crate) fn screens(stage: &Stage) -> Verdict {
    let source = fs::read_to_string(&stage.axe)?;
    let server = stage.demo()?;
    ask(&server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4, "currency": "EUR" })))?;
    let page = stage.desk(&server, Server::KEY)?;
    let mut wrong = Vec::new();
    for (language, theme) in [("pseudo", "light"), ("de", "dark"), ("ar", "light")] {
        page.browser.theme(theme)?;
        page.browser.run("localStorage.setItem('care.language', arguments[0])", &[json!(language)])?;
        page.sign_in(Server::KEY)?;
        page.browser.run(&source, &[])?;
        for screen in fits::SCREENS {
            page.show(screen)?;
            for width in [320, 460, 768, 900, 1280, 1700] {
                page.browser.size(Window { width, height: 900 })?;
                let cut = fits::shown(&page)?;
                if cut != json!("") {
                    wrong.push(format!("{screen} in {language} at {width} cuts off {cut}"));
                }
                if language != "pseudo" && [320, 768, 1280].contains(&width) {
                    let judged = looks::judged(&page, &format!("{screen} in {language} at {width}"));
                    wrong.extend(judged.err().map(|error| error.to_string()));
                }
            }
            if language == "pseudo" {
                let said = page.browser.run(UNTRANSLATED, &[])?;
                if said != json!("") {
                    wrong.push(format!("{screen} says {said} in no language"));
                }
            }
        }
    }
    if !wrong.is_empty() {
        return Err(format!("{} views are wrong, such as {:?}", wrong.len(), &wrong[..wrong.len().min(8)]).into());
    }
    page.is_clean()
}
