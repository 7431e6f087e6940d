//! The files of the console and the explorer, compiled in.

use std::io::Read as _;

use care_core::rest::File;
use flate2::read::DeflateDecoder;

use crate::bundle::bundle;

/// A file of `web/` or `explorer/`.
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    compressed: &'static [u8],
}

impl Asset {
    /// Returns the file with its content type, ready to be served.
    pub(crate) fn file(&self) -> File {
        File::new(media_type(self.path), self.body())
    }

    fn body(&self) -> Vec<u8> {
        let mut body = Vec::new();
        // It was compressed when the crate was compiled, so it ends well.
        let _ = DeflateDecoder::new(self.compressed).read_to_end(&mut body);
        body
    }
}

/// The module that begins with all others.
const MAIN: &str = "main.js";
/// The style that has all others in it, which come in this order.
const STYLE: &str = "style.css";
const STYLES: [&str; 4] = ["css/base.css", "css/parts.css", "css/screens.css", "css/print.css"];

/// Returns the files of the console as they are served, by their paths: the module that the page begins with has all
/// others in it, apart from the languages, and one style has all others; they are there by themselves too.
pub(crate) fn console() -> impl Iterator<Item = (&'static str, File)> {
    let others = CONSOLE.iter().filter(|asset| asset.path != MAIN).map(|asset| (asset.path, asset.file()));
    others.chain([(MAIN, whole()), (STYLE, styles())].map(|(path, text)| (path, File::new(media_type(path), text))))
}

/// Returns the files of the explorer, by their paths.
#[cfg(feature = "explorer")]
pub(crate) fn explorer() -> impl Iterator<Item = (&'static str, File)> {
    EXPLORER.iter().map(|asset| (asset.path, asset.file()))
}

/// Returns the module that the page begins with, joined with all that it imports.
fn whole() -> String {
    let scripts = CONSOLE.iter().filter(|asset| asset.path.ends_with(".js"));
    let modules = scripts.map(|asset| (asset.path, String::from_utf8_lossy(&asset.body()).into_owned()));
    bundle(&modules.collect(), MAIN)
}

/// Returns the styles as one.
fn styles() -> String {
    let styles = STYLES.iter().flat_map(|style| CONSOLE.iter().find(|asset| asset.path == *style));
    styles.map(|asset| String::from_utf8_lossy(&asset.body()).into_owned()).collect()
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

macro_rules! assets {
    ($folder:literal: $($path:literal)*) => {
        &[$(Asset { path: $path, compressed: include_bytes!(concat!(env!("OUT_DIR"), "/", $folder, "/", $path)) }),*]
    };
}

/// The files of the console.
pub(crate) static CONSOLE: &[Asset] = assets! { "web":
    "api.js"
    "css/base.css"
    "css/parts.css"
    "css/print.css"
    "css/screens.css"
    "draft.js"
    "drafts.js"
    "finder.js"
    "formats.js"
    "gs1.js"
    "icon.svg"
    "index.html"
    "language.js"
    "live.js"
    "lock.js"
    "main.js"
    "medicines.js"
    "memory.js"
    "names.js"
    "places.js"
    "router.js"
    "routes.js"
    "scopes.js"
    "screens/bill.js"
    "screens/bills.js"
    "screens/bincard.js"
    "screens/consultation.js"
    "screens/count_sheet.js"
    "screens/delivery.js"
    "screens/expiring.js"
    "screens/inventory.js"
    "screens/item.js"
    "screens/journal.js"
    "screens/patient.js"
    "screens/patients.js"
    "screens/people.js"
    "screens/plan.js"
    "screens/prescription.js"
    "screens/prescriptions.js"
    "screens/prices.js"
    "screens/profile.js"
    "screens/recall.js"
    "screens/receipts.js"
    "screens/restock.js"
    "screens/sheets.js"
    "screens/shelf.js"
    "screens/shelf_forms.js"
    "screens/signin.js"
    "screens/takings.js"
    "screens/till.js"
    "screens/today.js"
    "screens/visit.js"
    "screens/visit_bill.js"
    "screens/visit_of.js"
    "screens/who.js"
    "session.js"
    "speech.js"
    "steady.js"
    "tab.js"
    "typed.js"
    "ui/chart.js"
    "ui/combobox.js"
    "ui/csv.js"
    "ui/dialog.js"
    "ui/dom.js"
    "ui/drawer.js"
    "ui/edit.js"
    "ui/form.js"
    "ui/keys.js"
    "ui/labels.js"
    "ui/lacks.js"
    "ui/languages.js"
    "ui/naming.js"
    "ui/paper.js"
    "ui/pill.js"
    "ui/problem.js"
    "ui/reasons.js"
    "ui/rows.js"
    "ui/stale.js"
    "ui/table.js"
    "wire.js"
    "words.js"
    "words/ar.js"
    "words/de.js"
    "words/en.js"
    "words/es.js"
    "words/fr.js"
    "words/pseudo.js"
};

/// The files of the explorer.
#[cfg(feature = "explorer")]
pub(crate) static EXPLORER: &[Asset] = assets! { "explorer":
    "explorer.css"
    "explorer.js"
    "index.html"
    "rapidoc-min.js"
    "rapidoc-min.js.LICENSE.txt"
    "rapidoc.LICENSE.txt"
};

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeSet,
        fs,
        path::{Path, PathBuf},
    };

    use care_core::{rest::Api, service::CareService, store::MemoryStore};
    use http::{Request, StatusCode, header};

    use super::*;
    use crate::{Console, bundle::beside};

    /// The most that a browser loads for one language, in bytes as they are served.
    const MOST: usize = 170_000;

    /// Returns what a browser is served that accepts this coding.
    async fn served(api: &Api, path: &str, coding: &str) -> Vec<u8> {
        let request = Request::get(format!("/1.0.0/console/{path}")).header(header::ACCEPT_ENCODING, coding);
        let answer = api.handle(request.body(Default::default()).unwrap()).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        answer.into_body().to_vec()
    }

    /// Returns the addresses that stand in a text behind one of these beginnings.
    fn addresses(text: &str, beginnings: &[&str]) -> Vec<String> {
        let behind = beginnings.iter().flat_map(|beginning| text.split(beginning).skip(1));
        behind.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
    }

    #[tokio::test]
    async fn what_one_language_loads_is_small() {
        let api = Api::new(CareService::new(MemoryStore::new())).with_console(Console::new().served_by("Axum 0.8"));
        let page = String::from_utf8(served(&api, "", "identity").await).unwrap();
        let shared = addresses(&page, &[" href=\"", " src=\""]);
        assert!(
            ["main.js", "style.css", "speech.js"].iter().all(|path| shared.iter().any(|one| one == path)),
            "{page}"
        );
        for own in CONSOLE.iter().filter(|asset| asset.path.starts_with("words/")) {
            let imported = addresses(&String::from_utf8_lossy(&own.body()), &[" from \""]);
            let imported = imported.iter().map(|address| beside(own.path, address));
            let mut loaded: BTreeSet<_> = shared.iter().cloned().chain(imported).collect();
            loaded.extend(["", "about.json", own.path].map(str::to_owned));
            let mut size = 0;
            for path in &loaded {
                size += served(&api, path, "gzip, deflate, br, zstd").await.len();
            }
            assert!(size <= MOST, "{}: {size} bytes", own.path);
        }
    }

    #[test]
    fn comments_are_not_served() {
        for asset in CONSOLE.iter().filter(|asset| asset.path.ends_with(".js") || asset.path.ends_with(".css")) {
            let text = String::from_utf8(asset.body()).unwrap();
            let is_comment = |line: &str| line.contains("/*") || line.trim_start().starts_with("//");
            assert_eq!(text.lines().find(|line| is_comment(line)), None, "{}", asset.path);
        }
        let script = CONSOLE.iter().find(|asset| asset.path == "ui/dom.js").map(Asset::body).unwrap();
        assert!(String::from_utf8(script).unwrap().contains("export function h("));
    }

    #[test]
    fn every_style_is_in_the_one_that_is_served() {
        let all: BTreeSet<_> = CONSOLE.iter().map(|asset| asset.path).filter(|path| path.ends_with(".css")).collect();
        assert_eq!(all, STYLES.into_iter().collect());
    }

    #[test]
    fn the_page_begins_with_one_module() {
        let whole = whole();
        assert!(!whole.lines().any(|line| line.starts_with("import ") || line.starts_with("export ")));
        for part in ["$screens_visit = ", "$ui_labels = ", "$gs1 = "] {
            assert!(whole.contains(part), "{part}");
        }
    }

    #[test]
    fn each_module_is_written_so_that_it_can_be_joined() {
        // The joined module takes each export once, as it is then.
        for asset in CONSOLE.iter().filter(|asset| asset.path.ends_with(".js")) {
            for line in String::from_utf8(asset.body()).unwrap().lines() {
                let (path, words) = (asset.path, line.split([' ', '(']).collect::<Vec<_>>());
                match &words[..] {
                    ["import", what, ..] => assert!(!what.starts_with(['"', '\'']), "{path}: {line}"),
                    ["export", kind, ..] => {
                        assert!(["async", "function", "class", "const"].contains(kind), "{path}: {line}");
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_served() {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        let mut folders = vec![web.clone()];
        let mut found = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path: PathBuf = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if !path.to_string_lossy().ends_with(".d.ts") {
                    found.insert(path.strip_prefix(&web).unwrap().to_string_lossy().into_owned());
                }
            }
        }
        assert_eq!(CONSOLE.iter().map(|asset| asset.path.to_owned()).collect::<BTreeSet<_>>(), found);
    }
}
