//! Patients and their histories.

use care_core::{
    model::{Address, Age, Date, Email, FindText, History, Name, Patient, Phone, Scalar, ShortText, Weight},
    patient_fields,
};

use super::{
    texts::every_plane,
    values::{date, first_day, last_day, legal, medicine, patient_id},
};

/// Returns the words of a text to find patients by.
pub fn find_text(text: &str) -> FindText {
    FindText::new(text).expect("a legal text")
}

/// Makes a patient of each declared `example`, or of the values of a function of [`Extreme`].
macro_rules! patient {
    (
        $number:expr, $what:ident;
        $($(#[$doc:meta])+ $field:ident $wire:literal: $ty:ty = $example:literal;)*
        key $(#[$key_doc:meta])+ $key:ident $key_wire:literal: $key_ty:ty = $key_example:literal;
        $($(#[$more_doc:meta])+ $more:ident $more_wire:literal: $more_ty:ty = $more_example:literal;)*
    ) => {
        Patient {
            $key: patient_id($number),
            $($field: Some(patient!(@ $what $example)),)*
            $($more: Some(patient!(@ $what $more_example)),)*
        }
    };
    (@ example $example:literal) => { legal(Scalar::of($example.into())) };
    (@ $extreme:ident $example:literal) => { Extreme::$extreme() };
}

/// Returns an ordinary patient with every field.
pub fn patient(number: i64) -> Patient {
    patient_fields!(patient number, example;)
}

/// Returns a patient without optional fields, an ordinary one, and two with every field at its upper or lower limit.
pub fn patient_forms(number: i64) -> Vec<Patient> {
    let (most, least) = (patient_fields!(patient number, most;), patient_fields!(patient number, least;));
    vec![Patient::new(patient_id(number)), patient(number), most, least]
}

/// Returns patients with one field each: every field of an ordinary one.
pub fn patients_with_one_field(number: i64) -> Vec<Patient> {
    macro_rules! alone {
        (
            $($(#[$doc:meta])+ $field:ident $wire:literal: $ty:ty = $example:literal;)*
            key $(#[$key_doc:meta])+ $key:ident $key_wire:literal: $key_ty:ty = $key_example:literal;
            $($(#[$more_doc:meta])+ $more:ident $more_wire:literal: $more_ty:ty = $more_example:literal;)*
        ) => {
            vec![
                $(Patient { $field: patient(number).$field, ..Patient::new(patient_id(number)) },)*
                $(Patient { $more: patient(number).$more, ..Patient::new(patient_id(number)) },)*
            ]
        };
    }
    patient_fields!(alone)
}

/// A type of which there is a largest and a smallest value.
trait Extreme {
    fn most() -> Self;
    fn least() -> Self;
}

macro_rules! extremes {
    ($($ty:ty: $least:expr, $most:expr;)*) => {
        $(impl Extreme for $ty {
            fn most() -> Self {
                $most
            }

            fn least() -> Self {
                $least
            }
        })*
    };
}

extremes! {
    Name: legal(Self::new("a")), legal(Self::new(every_plane(Self::MAX)));
    Phone: legal(Self::try_from(Self::MIN)), legal(Self::try_from(Self::MAX));
    bool: false, true;
    Age: legal(Self::try_from(Self::MIN)), legal(Self::try_from(Self::MAX));
    Address: legal(Self::new("")), legal(Self::new(every_plane(Self::MAX)));
    ShortText: legal(Self::new("")), legal(Self::new("\n".repeat(Self::MAX)));
    Weight: legal(Self::try_from(f64::from_bits(1))), legal(Self::try_from(Self::MAX));
    Email: legal(Self::new("a@b")), legal(Self::new(format!("{}@{}", every_plane(200), every_plane(53))));
    Date: first_day(), last_day();
}

/// Returns a history without a visit, an ordinary one, and one with the largest counts.
pub fn history_forms(patient: i64) -> Vec<History> {
    let nothing = History::new(patient_id(patient));
    let mut usual = History {
        medicine: Some(medicine("Ibuprofen 400")),
        dosage: Some(legal(ShortText::new("1-0-1"))),
        diseases: 6,
        ..nothing.clone()
    };
    usual.count_visit(date("30/01/2026"));
    usual.count_visit(date("31/01/2026"));
    let most = History {
        medicine: Some(medicine(&every_plane(128))),
        dosage: Some(legal(ShortText::new(every_plane(ShortText::MAX)))),
        diseases: i64::MAX as u64,
        // Not every store has integers above the signed 64-bit range.
        visits: i64::MAX as u64,
        lastvisit: Some(last_day()),
        ..nothing.clone()
    };
    vec![nothing, usual, most]
}
