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

/// Returns the files of the console as they are served, by their paths: the module that the page begins with has all
/// others in it, apart from the languages; they are there by themselves too.
pub(crate) fn console() -> impl Iterator<Item = (&'static str, File)> {
    let others = CONSOLE.iter().filter(|asset| asset.path != MAIN).map(|asset| (asset.path, asset.file()));
    others.chain([(MAIN, File::new(media_type(MAIN), whole()))])
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
        io::Write as _,
        path::{Path, PathBuf},
    };

    use flate2::{Compression, write::DeflateEncoder};

    use super::*;

    /// The most that a browser loads for one language, in compressed bytes.
    const MOST: usize = 100_000;

    #[test]
    fn what_one_language_loads_is_small() {
        let words = CONSOLE.iter().filter(|asset| asset.path.starts_with("words/"));
        for own in words {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
            for asset in CONSOLE.iter().filter(|one| one.path == own.path || !one.path.starts_with("words/")) {
                encoder.write_all(&asset.body()).unwrap();
            }
            let size = encoder.finish().unwrap().len();
            assert!(size <= MOST, "{}: {size} bytes", own.path);
        }
    }

    #[test]
    fn comments_are_not_served() {
        let script = CONSOLE.iter().find(|asset| asset.path == "ui/dom.js").map(Asset::body).unwrap();
        let script = String::from_utf8(script).unwrap();
        assert!(script.contains("export function h(") && !script.contains("Makes an element"), "{script}");
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
