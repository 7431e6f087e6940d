#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| care_conformance::http::hostile::date(data));
