//! The records of a person, of whatever kind, as their declarations say whose they are.

use crate::{
    kinds::RecordKind,
    model::{Invoice, PatientId},
    service::base::draft::Draft,
    store::{Entity, Key, OnVoid, Owner, Record, RecordKey, Stop},
};

/// Returns the stored records of a patient that the voiding removes.
pub(crate) fn removed_on_void(draft: &Draft<'_>, patient: PatientId) -> Result<Vec<Record>, Stop> {
    of_patient(draft, patient, |_, owner| owner.on_void == OnVoid::Remove)
}

/// Returns the stored records of a patient that the voiding removes, or of which an erasure takes something.
pub(crate) fn erased(draft: &Draft<'_>, patient: PatientId) -> Result<Vec<Record>, Stop> {
    of_patient(draft, patient, |kind, owner| owner.on_void == OnVoid::Remove || kind.is_emptied())
}

/// Returns the stored records of a patient, those of the last kind first: what refers to others comes before them. All
/// kinds that a patient owns are asked for together, with the patient, and then those that the invoices own.
fn of_patient(
    draft: &Draft<'_>,
    patient: PatientId,
    is_wanted: impl Fn(RecordKind, Owner) -> bool,
) -> Result<Vec<Record>, Stop> {
    let wanted = || {
        let owned = RecordKind::ALL.iter().rev().filter_map(|kind| Some((*kind, kind.owner()?)));
        owned.filter(|(kind, owner)| is_wanted(*kind, *owner)).map(|(kind, _)| kind)
    };
    let is_of_invoice = |kind: RecordKind| kind.owner().is_some_and(|owner| owner.kind == RecordKind::Invoice);
    let bills = RecordKind::Invoice.of_patient(patient).filter(|_| wanted().any(is_of_invoice));
    let person = [RecordKey::Patient(patient), RecordKey::Voided(patient)].map(Key::Record);
    draft.need(wanted().filter_map(|kind| kind.of_patient(patient)).chain(bills.clone()).chain(person))?;
    let bills = bills.map_or_else(|| Ok(Vec::new()), |bills| draft.records(&bills))?;
    let bills = || bills.iter().filter_map(Invoice::from_record);
    let keys = |kind: RecordKind| -> Vec<Key> {
        let of_bills = bills().filter_map(move |bill| kind.of_invoice(bill.invoice_id));
        kind.of_patient(patient).into_iter().chain(of_bills).collect()
    };
    draft.need(wanted().flat_map(keys))?;
    let mut found = Vec::new();
    for key in wanted().flat_map(keys) {
        found.append(&mut draft.records(&key)?);
    }
    Ok(found)
}
