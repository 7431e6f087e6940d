//! The recipes of `docs/extending.md` name the files that a change touches: each of them exists, and an operation is
//! spoken of in those of its recipe alone.

use std::{
    fs,
    path::{Path, PathBuf},
};

use care_core::operation::Operation;

/// Operations that no other test, document or tool happens to use, each of another kind: a change of a record, one that
/// takes no body, and a read.
const PLAIN: [Operation; 3] = [Operation::UpdateSupply, Operation::ReverseMovement, Operation::GetSupply];

/// Folders of the repository with sources, cases and documents.
const FOLDERS: [&str; 9] =
    [".ci", "care-core", "care-poem", "care-rocket", "care-store-sqlite", "dev", "docs", "examples", "extras"];

/// Returns the root of the repository.
fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the recipe with this beginning.
fn recipe(beginning: &str) -> String {
    let text = fs::read_to_string(top().join("docs/extending.md")).expect("docs/extending.md");
    let (_, recipe) = text.split_once(&format!("**{beginning}.** ")).expect("the recipe");
    recipe.split("\n\n").next().unwrap_or_default().to_owned()
}

/// Returns the paths that a text names.
fn paths(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|name| name.contains('/') && !name.contains(' ')).collect()
}

/// Adds the files below a folder whose text speaks of one of the words.
fn speaking(folder: &Path, words: &[String], found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file or a folder").path();
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("node_modules") {
            speaking(&path, words, found);
        } else if fs::read_to_string(&path).is_ok_and(|text| words.iter().any(|word| text.contains(word))) {
            let path = path.strip_prefix(top()).expect("a path below the root");
            found.push(path.to_str().expect("a path in UTF-8").replace('\\', "/"));
        }
    }
}

#[test]
fn every_file_of_a_recipe_exists() {
    let text = fs::read_to_string(top().join("docs/extending.md")).expect("docs/extending.md");
    let named = paths(&text);
    assert!(named.len() > 15, "{named:?}");
    for path in named {
        let is_there = ["", "care-core/src"].iter().any(|folder| top().join(folder).join(path).exists());
        assert!(is_there, "docs/extending.md names {path}");
    }
}

#[test]
fn an_operation_touches_the_files_of_its_recipe_alone() {
    let recipe = recipe("An operation");
    let recipe = paths(&recipe);
    let known = |path: &str| {
        // `run.rs` stands for its folder, as the recipe says.
        let folder = path.starts_with("care-core/src/rest/operations/");
        // `.ci/public --update` writes the lists of public items.
        let is_made = path.starts_with(".ci/public.d/");
        folder
            || is_made
            || recipe.iter().any(|named| path == *named || named.ends_with('/') && path.starts_with(named))
    };
    let this = "extras/care-conformance/tests/recipes.rs";
    for operation in PLAIN {
        let words = [format!("Operation::{operation:?}"), format!("\"{}\"", operation.id())];
        let mut found = Vec::new();
        for folder in FOLDERS {
            speaking(&top().join(folder), &words, &mut found);
        }
        assert!(found.len() > 3, "{operation:?} is in {found:?} alone");
        let others: Vec<_> = found.into_iter().filter(|path| path != this && !known(path)).collect();
        assert!(others.is_empty(), "{operation:?} is in {others:?} too, which its recipe does not name");
    }
}
