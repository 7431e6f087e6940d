//! The servers as processes: started, used, stopped and killed as an operator would.

#![cfg(all(feature = "poem", feature = "rocket"))]
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

/// Makes a test of both servers from each check.
macro_rules! on_both {
    ($($(#[$doc:meta])* fn $name:ident($bin:ident: Bin) $body:block)*) => {
        $($(#[$doc])* fn $name($bin: Bin) $body)*

        mod poem {
            $(#[test]
            fn $name() {
                super::$name(crate::process::Bin::POEM);
            })*
        }

        mod rocket {
            $(#[test]
            fn $name() {
                super::$name(crate::process::Bin::ROCKET);
            })*
        }
    };
}

mod console;
mod database;
mod demo;
#[cfg(feature = "fhir")]
mod fhir;
mod figures;
mod keys;
mod logging;
mod options;
mod polls;
mod privacy;
mod process;
mod refusals;
mod side_by_side;
mod stopping;
