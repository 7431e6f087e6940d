//! Preloading: links in a page to the modules that its scripts import, so that a browser need not find them one after
//! the other.

use std::collections::{BTreeMap, BTreeSet};

/// Returns a page at this path with a link to each module that its module scripts import at once, directly or through
/// others. `module` returns the text of the file at a path.
pub(super) fn with_preloads<'a>(path: &str, page: &str, module: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    let (head, _) = page.split_once("</head>")?;
    let scripts = head.split("<script ").skip(1).filter_map(|tag| {
        let tag = tag.split_once('>')?.0;
        tag.contains("type=\"module\"").then(|| quoted(tag.split_once("src=\"")?.1))?
    });
    let roots: BTreeSet<_> = scripts.filter_map(|script| resolved(path, script)).collect();
    let mut found: BTreeMap<String, bool> = roots.iter().cloned().map(|root| (root, true)).collect();
    while let Some((next, _)) = found.iter().find(|(_, is_new)| **is_new) {
        let next = next.clone();
        found.insert(next.clone(), false);
        for import in imports(module(&next).unwrap_or_default()) {
            if let Some(import) = resolved(&next, import).filter(|import| module(import).is_some()) {
                found.entry(import).or_insert(true);
            }
        }
    }
    let imported = found.keys().filter(|path| !roots.contains(*path));
    let links = imported.map(|module| format!("<link rel=\"modulepreload\" href=\"{}\">\n", relative(path, module)));
    let links: String = links.collect();
    (!links.is_empty()).then(|| page.replacen("</head>", &format!("{links}</head>"), 1))
}

/// Returns the addresses that a module imports at once: a statement stands at the beginning of a line, or ends there.
fn imports(module: &str) -> impl Iterator<Item = &str> {
    module.lines().filter_map(|line| {
        let statement = line.starts_with("import ") || line.starts_with("export ") || line.starts_with("} from ");
        let address = line.split_once(" from \"").or(line.split_once("import \"")).filter(|_| statement);
        quoted(address?.1)
    })
}

/// Returns the text up to the closing quotation mark.
fn quoted(rest: &str) -> Option<&str> {
    rest.split_once('"').map(|(text, _)| text)
}

/// Returns the path that an address means in the file at another path; `None` for one of another site.
fn resolved(from: &str, address: &str) -> Option<String> {
    if address.contains(':') || address.starts_with('/') {
        return None;
    }
    let mut path: Vec<_> = from.split('/').collect();
    path.pop();
    for segment in address.split('/') {
        match segment {
            "." => {}
            ".." => drop(path.pop()?),
            segment => path.push(segment),
        }
    }
    Some(path.join("/"))
}

/// Returns the address of a path in the page at another path.
fn relative(page: &str, path: &str) -> String {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    match path.strip_prefix(folder).and_then(|path| path.strip_prefix('/')) {
        Some(below) => below.to_owned(),
        None => "../".repeat(page.matches('/').count()) + path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<head>\n<script type=\"module\" src=\"main.js\"></script>\n</head>";

    fn preloaded(path: &str, page: &str, modules: &[(&str, &'static str)]) -> Option<String> {
        let modules: BTreeMap<_, _> = modules.iter().copied().collect();
        with_preloads(path, page, |path| modules.get(path).copied())
    }

    #[test]
    fn what_is_imported_at_once_is_preloaded_once() {
        let modules = [
            ("desk/main.js", "// import \"./not.js\"\nimport { a } from \"./ui/a.js\";\nimport \"./b.js\";"),
            ("desk/ui/a.js", "import {\n  one,\n  two,\n} from \"../b.js\";\nexport * from \"../../other/c.js\";"),
            (
                "desk/b.js",
                "import * as main from \"./main.js\";\nawait import(\"./late.js\");\nimport \"https://x/y.js\";",
            ),
            ("desk/late.js", ""),
            ("desk/not.js", ""),
            ("other/c.js", "import \"./gone.js\";"),
        ];
        let links = ["b.js", "ui/a.js", "../other/c.js"];
        let links = links.map(|link| format!("<link rel=\"modulepreload\" href=\"{link}\">\n")).concat();
        assert_eq!(preloaded("desk/", PAGE, &modules), Some(PAGE.replace("</head>", &format!("{links}</head>"))));
    }

    #[test]
    fn other_pages_stay_as_they_are() {
        assert_eq!(preloaded("desk/", PAGE, &[("desk/main.js", "export const x = 1;")]), None);
        assert_eq!(preloaded("desk/", "<p>", &[]), None);
        let classic = PAGE.replace(" type=\"module\"", "");
        assert_eq!(preloaded("desk/", &classic, &[("desk/main.js", "import \"./b.js\";"), ("desk/b.js", "")]), None);
    }
}
