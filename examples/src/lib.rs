//! What the example servers share.

pub mod demo;

// The code in the README is compiled with the tests.
#[cfg(all(doctest, feature = "poem", feature = "rocket"))]
#[doc = include_str!("../../README.md")]
struct Readme;
