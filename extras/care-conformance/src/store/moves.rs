//! Random decisions within what the service could write.

use care_core::{
    model::{
        Consultation, Diagnosis, Invoice, InvoiceState, Movement, Patient, Prescription, PrescriptionState, Receipt,
    },
    store::{Change, Entity, Outcome, Record, RecordKey, RecordKind, Seq, Voided},
};

use super::{
    clinic,
    model::Model,
    universe::{NUMBERS, PATIENTS, days, forms, medicine, medicines, patient},
};
use crate::{dice::Dice, samples};

/// Returns a random decision, and the model after the entry with this number has made its changes.
pub(super) fn decision(dice: &mut Dice, model: &Model, version: Seq) -> (Outcome, Model) {
    let (mut outcome, mut after) = (Outcome::default(), model.clone());
    for _ in 0..dice.roll(4) {
        if dice.roll(15) == 0 {
            outcome.reads.extend(dice.pick(PATIENTS).map(|number| Patient::key(samples::patient_id(number))));
        }
        for change in a_move(dice, &after) {
            after.apply(version, &change);
            outcome.changes.push(change);
        }
    }
    (outcome, after)
}

fn a_move(dice: &mut Dice, model: &Model) -> Vec<Change> {
    match dice.roll(18) {
        0 | 1 => register(dice, model),
        2 => void(dice, model),
        3..=6 => prescribe(dice, model),
        7 => dice.pick(model.every::<Prescription>()).map(|found| withdraw(model, found.record)).unwrap_or_default(),
        8..=13 => bill(dice, model),
        14 => visit(dice, model),
        _ => count(dice),
    }
}

/// Registers a patient, changes one, or adds a history. A voided number may be forgotten.
fn register(dice: &mut Dice, model: &Model) -> Vec<Change> {
    let number = dice.pick(PATIENTS).unwrap_or(1);
    let id = samples::patient_id(number);
    if model.holds(&Voided::key(id)) {
        return vec![Change::Remove(Voided::key(id))];
    }
    let mut changes = vec![Change::put(patient(dice, number))];
    if dice.one_in(2) {
        changes.extend(dice.pick(samples::history_forms(number)).map(Change::put));
    }
    changes
}

/// Voids a patient, and removes all their records but the paid invoices.
fn void(dice: &mut Dice, model: &Model) -> Vec<Change> {
    let Some(patient) = dice.pick(model.every::<Patient>()) else {
        return Vec::new();
    };
    let id = patient.record.patient_id;
    let mut changes: Vec<_> = model
        .every::<Prescription>()
        .filter(|found| found.record.patient_id == id)
        .flat_map(|found| withdraw(model, found.record))
        .collect();
    let visits = model.every::<Consultation>().filter(|found| found.record.patient_id == id);
    let visits: Vec<_> = visits.map(|found| found.record.consultation_id).collect();
    changes.extend(visits.iter().map(|id| Change::Remove(Diagnosis::key(*id))));
    changes.extend(visits.iter().map(|id| Change::Remove(Consultation::key(*id))));
    changes.push(Change::Remove(RecordKey::History(id)));
    changes.push(Change::Remove(Patient::key(id)));
    changes.push(Change::put(Voided { patient_id: id }));
    changes
}

/// Makes a prescription, or changes one.
fn prescribe(dice: &mut Dice, model: &Model) -> Vec<Change> {
    let number = dice.pick(NUMBERS).unwrap_or(1);
    let of = dice.pick(model.every::<Patient>()).map(|found| found.record.patient_id);
    let id = samples::prescription_id(number);
    let is_billed = model.every::<Invoice>().any(|found| found.record.prescription_id == id);
    // Without an invoice it may still become another patient's, and of another medicine.
    let known = model.every::<Prescription>().find(|found| found.record.prescription_id == id);
    let known = known.filter(|_| is_billed || dice.roll(4) > 0);
    let made = match (known, of) {
        (Some(known), _) => {
            let (patient, medicine) = (known.record.patient_id.value(), &known.record.medicine);
            dice.pick(samples::prescription_forms(number, patient, medicine))
        }
        (None, Some(of)) => {
            let medicine = medicine(dice);
            dice.pick(samples::prescription_forms(number, of.value(), &medicine))
        }
        (None, None) => None,
    };
    let Some(made) = made else { return Vec::new() };
    if model.holds(&Diagnosis::key(made.consultation_id)) {
        return vec![Change::Remove(Diagnosis::key(made.consultation_id))];
    }
    let rivals = model.active(made.patient_id, made.medicine.key());
    let is_other = rivals.iter().any(|found| found.record.key() != Prescription::key(id));
    if made.state == PrescriptionState::Active && is_other {
        return clinic::prescribe(&clinic::completed(&made)).into();
    }
    clinic::prescribe(&made).into()
}

fn withdraw(model: &Model, prescription: &Prescription) -> Vec<Change> {
    let mut changes: Vec<_> = model
        .unpaid(prescription.prescription_id)
        .into_iter()
        .map(|found| Change::Remove(found.record.key()))
        .collect();
    changes.push(Change::Remove(Diagnosis::key(prescription.consultation_id)));
    changes.extend(clinic::withdraw(prescription));
    changes
}

/// Issues, pays or cancels an invoice.
fn bill(dice: &mut Dice, model: &Model) -> Vec<Change> {
    let id = samples::invoice_id(dice.pick(NUMBERS).unwrap_or(1));
    let known = model.every::<Invoice>().find(|found| found.record.invoice_id == id);
    match known.map(|found| found.record) {
        Some(paid) if paid.state == InvoiceState::Paid && dice.one_in(2) => {
            let credit_note_id = Some(samples::credit_note_id(id.value()));
            vec![Change::put(Invoice { state: InvoiceState::Refunded, credit_note_id, ..paid.clone() })]
        }
        Some(paid) if paid.state != InvoiceState::Unpaid => vec![Change::put(paid.clone())],
        Some(unpaid) if dice.one_in(3) => {
            let receipt_id = Some(samples::receipt_id(id.value()));
            vec![Change::put(Invoice { state: InvoiceState::Paid, receipt_id, ..unpaid.clone() })]
        }
        Some(unpaid) if dice.one_in(2) => vec![Change::put(unpaid.clone())],
        Some(_) => vec![Change::Remove(Invoice::key(id))],
        None => dice
            .pick(model.every::<Prescription>())
            .filter(|of| model.unpaid(of.record.prescription_id).is_empty())
            .and_then(|of| dice.pick(samples::invoice_forms(id.value(), of.record)))
            .zip(dice.pick(days()))
            .map(|(issued, invoice_date)| Change::put(Invoice { invoice_date, ..issued }))
            .into_iter()
            .collect(),
    }
}

/// Makes a consultation without a prescription, and sometimes its diagnosis.
fn visit(dice: &mut Dice, model: &Model) -> Vec<Change> {
    let number = dice.pick(NUMBERS).unwrap_or(1);
    let Some(of) = dice.pick(model.every::<Patient>()) else {
        return Vec::new();
    };
    if model.holds(&Prescription::key(samples::prescription_id(number))) {
        return Vec::new();
    }
    let id = samples::consultation_id(number);
    if model.holds(&Diagnosis::key(id)) {
        return vec![Change::Remove(Diagnosis::key(id))];
    }
    let patient = of.record.patient_id.value();
    let mut changes: Vec<_> =
        dice.pick(samples::consultation_forms(number, patient)).map(Change::put).into_iter().collect();
    if dice.one_in(2) {
        changes.extend(dice.pick(samples::diagnosis_forms(number, patient)).map(Change::put));
    }
    changes
}

/// Puts or removes some records of a kind that refers to no other.
fn count(dice: &mut Dice) -> Vec<Change> {
    let has_forms = |kind: &&RecordKind| !forms(**kind, &medicines()[0], samples::first_day(), 1).is_empty();
    let kind = dice.pick(RecordKind::ALL.iter().filter(has_forms)).expect("there are some");
    let change = |_| {
        let name = medicine(dice);
        let day = dice.pick(days()).unwrap_or(samples::first_day());
        let number = dice.pick(NUMBERS).unwrap_or(1);
        // A filter tells them apart by their days.
        let form = match dice.pick(forms(*kind, &name, day, number))? {
            Record::Movement(movement) => Movement { day, ..movement }.into(),
            Record::Receipt(receipt) => Receipt { day, ..receipt }.into(),
            form => form,
        };
        Some(if dice.roll(3) == 0 { Change::Remove(form.key()) } else { Change::Put(form) })
    };
    (0..8).filter_map(change).collect()
}
