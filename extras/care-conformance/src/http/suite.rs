//! The list of case files, and the functions that run them.

use super::{
    run::run,
    target::Target,
    text::{case::Case, format},
};

/// Defines the list of files, and `http_suite!`, which makes a `#[test]` of each file.
macro_rules! files {
    ($dollar:tt $($file:ident)*) => {
        const FILES: &[(&str, &str)] = &[$((
            stringify!($file),
            include_str!(concat!("../../cases/", stringify!($file), ".http")),
        )),*];

        /// Makes a `#[test]` of every file of cases and of every [race](crate::http::races), against a
        /// [`Target`](crate::http::Target).
        ///
        /// ```
        /// care_conformance::http_suite!(care_conformance::http::InProcess);
        /// ```
        #[macro_export]
        macro_rules! http_suite {
            ($dollar target:expr) => {
                $(
                    #[test]
                    fn $file() {
                        $crate::http::prove(&$dollar target, stringify!($file));
                    }
                )*

                #[test]
                fn two_hundred_want_the_last_box() {
                    $crate::http::races::two_hundred_want_the_last_box(&$dollar target);
                }

                #[test]
                fn a_delivery_repeated_under_one_key_arrives_once() {
                    $crate::http::races::a_delivery_repeated_under_one_key_arrives_once(&$dollar target);
                }

                #[test]
                fn a_count_while_others_are_served_is_refused() {
                    $crate::http::races::a_count_while_others_are_served_is_refused(&$dollar target);
                }
            };
        }
    };
}

files! { $
    keys order methods paths media json xml values patients prescriptions
    inventory stock movements supply plans history invoices money consultations lists find restock journal
    events news today reads etags versions repeating problems sizes failures
    openapi files day
}

/// Returns all cases, in the order of their files.
///
/// # Panics
/// When a file cannot be read, which a test of this crate rules out.
pub fn cases() -> Vec<Case> {
    FILES.iter().flat_map(|(file, text)| parsed(file, text)).collect()
}

/// Returns the names of all files of cases, in their order.
pub fn files() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(file, _)| *file)
}

/// Runs the cases of one file against a target.
///
/// # Panics
/// When there is no such file or one of its cases fails. The message shows each failure: the request, the expectation
/// and the answer.
pub fn prove(target: &dyn Target, file: &str) {
    let (file, text) = FILES
        .iter()
        .find(|(name, _)| *name == file)
        .unwrap_or_else(|| panic!("there is no file of cases named {file}"));
    let cases = parsed(file, text);
    let count = cases.len();
    let failures: Vec<_> = cases
        .iter()
        .filter_map(|case| {
            let failure = run(case, target).err()?;
            Some(format!("=== {file}: {}\n{failure}\n", case.name()))
        })
        .collect();
    assert!(failures.is_empty(), "{} of {count} cases of {file} failed\n\n{}", failures.len(), failures.join("\n"));
}

fn parsed(file: &'static str, text: &str) -> Vec<Case> {
    format::parse(file, text).unwrap_or_else(|bad| panic!("{}.http, line {}: {}", bad.file, bad.line, bad.reason))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    #[test]
    fn every_file_is_in_the_list() {
        let folder = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")).unwrap();
        let names = folder.map(|file| file.unwrap().file_name().into_string().unwrap());
        let listed = files().map(|name| format!("{name}.http"));
        assert_eq!(names.collect::<BTreeSet<_>>(), listed.collect());
    }

    #[test]
    fn every_file_can_be_read_and_every_name_is_unique() {
        let cases = cases();
        let mut names = BTreeSet::new();
        for case in &cases {
            assert!(names.insert(case.name()), "{}", case.name());
        }
    }
}
