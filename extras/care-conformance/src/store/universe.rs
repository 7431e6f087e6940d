//! The small world of the random walks, whose few numbers and names make collisions frequent.

use std::ops::RangeInclusive;

use care_core::{
    model::{
        ConsultationState, Date, Email, InvoiceState, MedicineName, MovementKind, Name, NamePrefix, Patient, Phone,
        PrescriptionState, ReceiptKind,
    },
    store::{
        ConsultationFilter, InvoiceFilter, Key, MovementFilter, PatientFilter, PrescriptionFilter, Query,
        ReceiptFilter, Record, RecordKey, Series, StockFilter,
    },
};

use crate::{dice::Dice, samples};

pub(super) const PATIENTS: RangeInclusive<i64> = 1..=5;
/// The numbers of consultations, prescriptions and invoices.
pub(super) const NUMBERS: RangeInclusive<i64> = 1..=12;

/// Returns four names of three medicines.
pub(super) fn medicines() -> [MedicineName; 4] {
    ["Ibuprofen", " IBUPROFEN", "Stra\u{df}e", "%"].map(samples::medicine)
}

pub(super) fn days() -> [Date; 3] {
    ["31/12/2025", "01/01/2026", "02/01/2026"].map(samples::date)
}

pub(super) fn medicine(dice: &mut Dice) -> MedicineName {
    dice.pick(medicines()).expect("there are some")
}

/// Returns a patient with a random form.
pub(super) fn patient(dice: &mut Dice, number: i64) -> Patient {
    let forms = dice.pick(samples::patient_forms(number)).expect("there are some");
    if dice.one_in(2) {
        return forms;
    }
    Patient { name: name(dice), phone: phone(dice), email: email(dice), ..forms }
}

fn name(dice: &mut Dice) -> Option<Name> {
    let text = dice.pick(["Ada", "ADAM", "Bob", "Stra\u{df}e"])?;
    Name::new(text).ok().filter(|_| dice.roll(4) > 0)
}

fn phone(dice: &mut Dice) -> Option<Phone> {
    Phone::try_from(dice.roll(3).cast_signed()).ok()
}

fn email(dice: &mut Dice) -> Option<Email> {
    Email::new(dice.pick(["a@x", "A@x", ""])?).ok()
}

/// Returns a random query, sometimes with filters and a cursor.
pub(super) fn query(dice: &mut Dice) -> Query {
    let after = dice.pick(0..=12).filter(|number| *number > 0);
    let patient_id = dice.pick(PATIENTS).filter(|_| dice.one_in(2)).map(samples::patient_id);
    match dice.roll(17) {
        0 => Query::Patients {
            filter: PatientFilter {
                name_prefix: dice
                    .pick(["", "a", "ada", "adam", "strass", "x"])
                    .filter(|_| dice.one_in(2))
                    .map(NamePrefix::new),
                phone: phone(dice).filter(|_| dice.one_in(2)),
                email: email(dice).filter(|_| dice.one_in(2)),
            },
            after: after.map(samples::patient_id),
        },
        15 => {
            let texts = ["ad", "ADA", "strass", "adam x", "bo", "a@x", "#3", "ada a@", "nobody"];
            Query::FindPatients { text: samples::find_text(dice.pick(texts).unwrap_or("#1")) }
        }
        1 => Query::Prescriptions {
            filter: PrescriptionFilter {
                patient_id,
                medicine: Some(medicine(dice).key().clone()).filter(|_| dice.one_in(2)),
                state: dice.pick([PrescriptionState::Active, PrescriptionState::Completed]).filter(|_| dice.one_in(2)),
            },
            after: after.map(samples::prescription_id),
        },
        2 => Query::Invoices {
            filter: InvoiceFilter {
                patient_id,
                state: dice.pick(InvoiceState::ALL.iter().copied()).filter(|_| dice.one_in(2)),
                from: dice.pick(days()).filter(|_| dice.roll(4) == 0),
                to: dice.pick(days()).filter(|_| dice.roll(4) == 0),
                newest: dice.one_in(2),
            },
            after: after.map(samples::invoice_id),
        },
        3 => Query::Items { after: Some(medicine(dice).key().clone()).filter(|_| dice.one_in(2)) },
        4 => Query::Demand {
            from: dice.pick(days()).unwrap_or(samples::first_day()),
            to: dice.pick(days()).unwrap_or(samples::last_day()),
            after: dice.pick(days()).filter(|_| dice.one_in(2)).map(|day| (day, medicine(dice).key().clone())),
        },
        5 => {
            let forms = samples::regular_demand_intervals(&medicine(dice));
            let cursor = dice.pick(forms).map(|form| (form.medicine.key().clone(), form.every_days));
            Query::RegularDemands { after: cursor.filter(|_| dice.one_in(2)) }
        }
        6 => {
            let lots = samples::open_lots(&medicine(dice));
            let cursor = dice.pick(lots).map(|lot| (lot.medicine.key().clone(), lot.lot_id()));
            Query::OpenLots { after: cursor.filter(|_| dice.one_in(2)) }
        }
        7 => Query::Stocks {
            filter: StockFilter { expires_to: dice.pick(days()).filter(|_| dice.one_in(2)) },
            after: Some(medicine(dice).key().clone()).filter(|_| dice.one_in(2)),
        },
        8 => Query::Movements {
            filter: MovementFilter {
                medicine: Some(medicine(dice).key().clone()).filter(|_| dice.one_in(2)),
                lot: Some(samples::lot("A1", None).lot.filter(|_| dice.one_in(2))).filter(|_| dice.one_in(2)),
                kind: dice.pick(MovementKind::ALL.iter().copied()).filter(|_| dice.one_in(2)),
                invoice_id: dice.pick(NUMBERS).filter(|_| dice.roll(4) == 0).map(samples::invoice_id),
                ..MovementFilter::default()
            },
            after: after.map(samples::movement_id),
        },
        12 => Query::Receipts {
            filter: ReceiptFilter {
                invoice_id: dice.pick(NUMBERS).filter(|_| dice.roll(4) == 0).map(samples::invoice_id),
                holder: Some("Front desk".into()).filter(|_| dice.roll(4) == 0),
                kind: dice.pick(ReceiptKind::ALL.iter().copied()).filter(|_| dice.one_in(2)),
                from: Some(samples::date("31/01/2026")).filter(|_| dice.roll(4) == 0),
                to: Some(samples::date("31/01/2026")).filter(|_| dice.roll(4) == 0),
            },
            after: after.map(samples::receipt_id),
        },
        13 => {
            let day = dice.pick(days()).unwrap_or(samples::first_day());
            Query::Takings {
                holder: Some("Front desk".into()).filter(|_| dice.one_in(2)),
                from: dice.pick(days()).unwrap_or(samples::first_day()),
                to: dice.pick(days()).unwrap_or(samples::last_day()),
                after: dice.pick(samples::takings_keys(day)).filter(|_| dice.one_in(2)),
            }
        }
        11 => Query::Consultations {
            filter: ConsultationFilter {
                patient_id,
                state: dice.pick([ConsultationState::Open, ConsultationState::Completed]).filter(|_| dice.one_in(2)),
            },
            after: after.map(samples::consultation_id),
        },
        10 => Query::DemandOf {
            medicine: medicine(dice).key().clone(),
            from: dice.pick(days()).unwrap_or(samples::first_day()),
            to: dice.pick(days()).unwrap_or(samples::last_day()),
        },
        9 => Query::StockDays {
            medicine: Some(medicine(dice).key().clone()).filter(|_| dice.one_in(2)),
            from: dice.pick(days()).unwrap_or(samples::first_day()),
            to: dice.pick(days()).unwrap_or(samples::last_day()),
            after: Some((medicine(dice).key().clone(), samples::first_day())).filter(|_| dice.one_in(2)),
        },
        14 => Query::SinglePrescriptions { after: after.map(samples::prescription_id) },
        _ => Query::All {
            after: dice.pick(every_key()).filter(|_| dice.roll(4) > 0).and_then(|key| match key {
                Key::Record(key) => Some(key),
                _ => None,
            }),
        },
    }
}

/// Returns every key that a walk can touch.
pub(super) fn every_key() -> Vec<Key> {
    let mut keys = Vec::new();
    for id in PATIENTS.map(samples::patient_id) {
        keys.extend([RecordKey::Patient(id), RecordKey::Voided(id), RecordKey::History(id)].map(Key::from));
        keys.extend([
            Key::ActivePrescriptions(id),
            Key::PrescriptionsOf(id),
            Key::ConsultationsOf(id),
            Key::DiagnosesOf(id),
            Key::UnpaidInvoiceOf(id),
            Key::LastPaidInvoices(id),
        ]);
        keys.push(Key::FreePatientNumber(id.value() - 1));
        for name in medicines() {
            keys.push(Key::ActivePrescription(id, name.key().clone()));
            keys.push(Key::NewestPrescription(id, name.key().clone()));
        }
    }
    for number in NUMBERS {
        keys.push(RecordKey::Consultation(samples::consultation_id(number)).into());
        keys.push(RecordKey::Diagnosis(samples::consultation_id(number)).into());
        keys.push(RecordKey::Prescription(samples::prescription_id(number)).into());
        keys.push(RecordKey::Invoice(samples::invoice_id(number)).into());
        keys.push(RecordKey::Movement(samples::movement_id(number)).into());
        keys.push(RecordKey::Dispensing(samples::invoice_id(number)).into());
        keys.push(Key::ReversalOf(samples::movement_id(number)));
        keys.push(Key::UnpaidInvoice(samples::prescription_id(number)));
        keys.push(Key::PaidInvoices(samples::prescription_id(number)));
        keys.push(RecordKey::Receipt(samples::receipt_id(number)).into());
        keys.push(Key::LastCorrection(samples::receipt_id(number)));
    }
    for name in medicines() {
        keys.push(RecordKey::Item(name.key().clone()).into());
        keys.extend(samples::regular_demand_intervals(&name).into_iter().map(|form| Record::from(form).key().into()));
        keys.push(RecordKey::Stock(name.key().clone()).into());
        keys.push(Key::StockOrItem(name.key().clone()));
        keys.push(Key::OpenLots(name.key().clone()));
        keys.push(Key::ActivePrescriptionFor(name.key().clone()));
        keys.extend(samples::open_lots(&name).into_iter().map(|lot| Record::from(lot).key().into()));
        keys.extend(days().map(|day| RecordKey::Demand((day, name.key().clone())).into()));
        keys.extend(days().map(|day| RecordKey::StockDay((name.key().clone(), day)).into()));
    }
    keys.extend(days().into_iter().flat_map(samples::takings_keys).map(|key| RecordKey::Takings(key).into()));
    keys.extend(Series::ALL.map(|series| RecordKey::Counter(series).into()));
    for reply in samples::replies() {
        keys.push(RecordKey::Reply(reply.id).into());
        keys.extend(reply.request.map(Key::ReplyTo));
        keys.push(Key::RepliesBefore(reply.at));
    }
    keys
}
