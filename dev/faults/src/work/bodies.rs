//! Bodies as large as the limits allow.

use std::{
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    ops::Range,
};

/// Returns a text of this many four-byte code points that does not compress. The last of them make each number's
/// text unique.
pub(crate) fn wide(length: usize, number: u64) -> String {
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    let digits = number.to_string();
    let ideograph = |at: usize| char::from_u32(0x2_0000 + (hasher.hash_one((number, at)) % 0xA000) as u32);
    (0..length - digits.len()).filter_map(ideograph).chain(digits.chars()).collect()
}

/// Returns a medicine's name that is expensive to compare: each of its characters is folded and composed.
pub(crate) fn medicine(number: u64) -> String {
    let number = number.to_string();
    "\u{1e9b}\u{323}".repeat((128 - number.len()) / 2) + &number
}

/// Returns a patient with every field at its longest.
pub(crate) fn patient(id: u64) -> String {
    let email = format!("{id}@{}", "x".repeat(200));
    format!(
        r#"{{"patientId":{id},"name":"{}","phone":{},"insurance":true,"age":150,"address":"{}","gender":"{}","weight":999.9,"email":"{email}","location":"{}"}}"#,
        wide(256, id),
        100_000_000_000_000 + id,
        wide(1024, id),
        wide(256, id),
        wide(256, id),
    )
}

/// Returns a consultation with this many prescriptions and diseases. The medicines are numbered starting at `from`.
pub(crate) fn consultation(patient: u64, from: u64, prescriptions: u64, diseases: u64) -> String {
    // Longer ones would not all fit into 64 KiB.
    let dosage = |_| wide(128, 0);
    visit(patient, from..from + prescriptions, dosage, diseases)
}

/// Returns the escaped path of a medicine.
pub(crate) fn item(number: u64) -> String {
    let escaped: String = medicine(number).bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("/inventory/{escaped}")
}

/// Returns a consultation whose dosages have the maximum length. Each visit prescribes the same medicines again.
pub(crate) fn full_consultation(patient: u64, visited: u64, prescriptions: u64, diseases: u64) -> String {
    visit(patient, 0..prescriptions, |number| wide(256, visited * 100 + number), diseases)
}

/// Returns a consultation that prescribes the medicines with these numbers, each with its dosage.
fn visit(patient: u64, medicines: Range<u64>, dosage: impl Fn(u64) -> String, diseases: u64) -> String {
    let prescriptions = list(medicines, |number| {
        let (medicine, dosage) = (medicine(number), dosage(number));
        format!(r#"{{"medicine":"{medicine}","dosage":"{dosage}","price":9,"currency":"EUR"}}"#)
    });
    let diseases = list(0..diseases, |number| format!(r#""{}""#, wide(256, number)));
    format!(r#"{{"patientId":{patient},"diseases":[{diseases}],"prescriptions":[{prescriptions}]}}"#)
}

/// Returns a consultation with a prescription for each of these numbers.
pub(crate) fn prescribing(patient: u64, numbers: Range<u64>, prescription: impl Fn(u64) -> String) -> String {
    format!(r#"{{"patientId":{patient},"prescriptions":[{}]}}"#, list(numbers, prescription))
}

/// Returns the members of an array, one for each of these numbers.
pub(crate) fn list(numbers: Range<u64>, member: impl Fn(u64) -> String) -> String {
    numbers.map(member).collect::<Vec<_>>().join(",")
}
