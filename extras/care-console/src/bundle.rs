//! The console's modules as one: a browser that fetches seventy files one after the other waits for each of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Returns one module that does what the module at a path does with all that it imports. Each of them becomes a
/// function that is called once, the imported ones first, and returns what it exports. A module that is not among
/// them is imported as before.
pub(crate) fn bundle(modules: &BTreeMap<&str, String>, root: &str) -> String {
    let mut bundle = Bundle { modules, begun: BTreeSet::new(), imports: String::new(), body: String::new() };
    bundle.add(root);
    bundle.imports + &bundle.body
}

struct Bundle<'a> {
    modules: &'a BTreeMap<&'a str, String>,
    begun: BTreeSet<String>,
    imports: String,
    body: String,
}

impl Bundle<'_> {
    /// Adds a module behind those that it imports.
    fn add(&mut self, path: &str) {
        if !self.begun.insert(path.to_owned()) {
            return;
        }
        let Some(text) = self.modules.get(path) else {
            // Writing to memory cannot fail.
            let _ = writeln!(self.imports, "import * as {} from \"./{path}\";", name(path));
            return;
        };
        let module = Module::read(path, text);
        module.needs.iter().for_each(|needed| self.add(needed));
        let (name, exported) = (name(path), module.exported.join(", "));
        let _ = writeln!(
            self.body,
            "const {name} = await (async () => {{\n{}return {{ {exported} }};\n}})();",
            module.code
        );
    }
}

/// A module, taken apart.
struct Module {
    needs: Vec<String>,
    exported: Vec<String>,
    code: String,
}

impl Module {
    /// Reads a module as they are written here: a statement that imports or exports begins a line, and what is exported
    /// is a declaration.
    fn read(path: &str, text: &str) -> Self {
        let mut module = Self { needs: Vec::new(), exported: Vec::new(), code: String::new() };
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("import ") {
                let mut statement = line.to_owned();
                while !statement.ends_with(';') {
                    let Some(next) = lines.next() else { break };
                    statement.push_str(next);
                }
                module.import(path, &statement);
            } else if let Some(declaration) = line.strip_prefix("export ") {
                let words = declaration.split(|one: char| !(one.is_alphanumeric() || "_$".contains(one)));
                let name = words.filter(|word| !word.is_empty()).find(|word| !DECLARING.contains(word));
                module.exported.extend(name.map(str::to_owned));
                module.code.push_str(declaration);
                module.code.push('\n');
            } else {
                module.code.push_str(line);
                module.code.push('\n');
            }
        }
        module
    }

    /// Takes what a statement imports from what the other module returned.
    fn import(&mut self, path: &str, statement: &str) {
        let Some((what, rest)) = statement.trim_start_matches("import ").split_once(" from \"") else { return };
        let needed = beside(path, rest.trim_end_matches("\";"));
        let (from, taken) = (name(&needed), what.replace(" as ", ": "));
        let taken = what.strip_prefix("* as ").unwrap_or(&taken);
        let _ = writeln!(self.code, "const {taken} = {from};");
        self.needs.push(needed);
    }
}

/// The words before the name of what is declared.
const DECLARING: [&str; 6] = ["async", "function", "class", "const", "let", "var"];

/// Returns what a module is called among the others.
fn name(path: &str) -> String {
    let word = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    format!("${}", path.trim_end_matches(".js").chars().map(word).collect::<String>())
}

/// Returns the path that an address means in the module at another one.
pub(crate) fn beside(path: &str, address: &str) -> String {
    let mut folders: Vec<_> = path.split('/').collect();
    folders.pop();
    for part in address.split('/') {
        match part {
            "." => {}
            ".." => drop(folders.pop()),
            part => folders.push(part),
        }
    }
    folders.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imported_modules_come_first_and_once() {
        let modules = BTreeMap::from([
            ("main.js", "import { a as b } from \"./ui/a.js\";\nimport * as c from \"./c.js\";\nb(c.d);\n".to_owned()),
            ("ui/a.js", "import {\n  d,\n} from \"../c.js\";\nexport function a(x) {\n  return x + d;\n}\n".to_owned()),
            ("c.js", "import { e } from \"./late.js\";\nexport const d = e;\n".to_owned()),
        ]);
        let wanted = "import * as $late from \"./late.js\";\n\
            const $c = await (async () => {\nconst { e } = $late;\nconst d = e;\nreturn { d };\n})();\n\
            const $ui_a = await (async () => {\nconst {  d,} = $c;\nfunction a(x) {\n  return x + d;\n}\n\
            return { a };\n})();\n\
            const $main = await (async () => {\nconst { a: b } = $ui_a;\nconst c = $c;\nb(c.d);\nreturn {  };\n})();\n";
        assert_eq!(bundle(&modules, "main.js"), wanted);
    }
}
