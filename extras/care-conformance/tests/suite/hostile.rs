//! The properties of the fuzzers, tested on a stable toolchain with the kept corpus and with inputs that are nearly
//! legal.

#![allow(clippy::unwrap_used, reason = "a test's expectations")]

use std::{fs, path::Path};

use care_conformance::{
    http::hostile::{PROPERTIES, round_trip},
    samples,
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
    test_runner::TestRunner,
};

/// Replays the kept inputs, including crashes of the past.
#[test]
fn the_kept_corpus_holds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dev/fuzz/corpus");
    for (name, property, seeds) in PROPERTIES {
        seeds.iter().for_each(|seed| property(seed.as_bytes()));
        let kept: Vec<_> = fs::read_dir(corpus.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(!kept.is_empty(), "{name} has no corpus");
        kept.iter().for_each(|file| property(&fs::read(file).unwrap()));
    }
}

/// Returns a strategy for seeds with some bytes replaced, removed or doubled, or joined to another seed.
fn near(seeds: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let edit = (any::<Index>(), 0..5_u8, prop_oneof![any::<u8>(), select(b"<>&;\"'{}[]/:,%0?=\n\\\xff".as_slice())]);
    let mutated = (select(seeds), select(seeds), vec(edit, 0..6)).prop_map(|(seed, other, edits)| {
        let mut bytes = seed.as_bytes().to_vec();
        for (place, kind, byte) in edits {
            let place = place.index(bytes.len().max(1));
            match kind {
                0 if place < bytes.len() => bytes[place] = byte,
                1 if place < bytes.len() => drop(bytes.remove(place)),
                2 => bytes.truncate(place),
                3 => bytes.extend_from_slice(&other.as_bytes()[place.min(other.len())..]),
                _ => bytes.insert(place.min(bytes.len()), byte),
            }
        }
        bytes
    });
    prop_oneof![4 => mutated, 1 => vec(any::<u8>(), 0..64)]
}

#[test]
fn bytes_near_the_legal_ones_do_no_harm() {
    for (name, property, seeds) in PROPERTIES {
        let mut runner =
            TestRunner::new(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() });
        let verdict = runner.run(&near(seeds), |bytes| {
            property(&bytes);
            Ok(())
        });
        assert!(verdict.is_ok(), "{name}: {verdict:?}");
    }
}

#[test]
fn every_text_survives_both_forms() {
    for text in samples::texts() {
        let record = serde_json::json!({ "patientId": 1, "gender": text });
        assert!(round_trip(&record.to_string()), "{text:?}");
    }
}

proptest! {
    #[test]
    fn every_accepted_record_survives_both_forms(
        name in ".{0,40}", address in "[\\PC\\t\\n\\r]{0,60}", age in -1..152_i64, weight in any::<f64>(),
        phone in any::<i64>(), day in 1..32_u8, month in 1..13_u8, year in 1899..10_001_u16,
    ) {
        let lastvisit = format!("{day:02}/{month:02}/{year}");
        let record = serde_json::json!({
            "patientId": 1, "name": name, "address": address, "age": age, "lastvisit": lastvisit,
            "weight": weight.is_finite().then_some(weight), "phone": phone.checked_abs(),
        });
        round_trip(&record.to_string());
        // Most of these records are legal.
        let plain = serde_json::json!({ "patientId": 1, "address": address, "lastvisit": null });
        round_trip(&plain.to_string());
    }
}
