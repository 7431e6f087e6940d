//! A clinic over a thousand random months: its reports agree with a recount of all events.

mod recount;

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use care_core::{
    audit,
    model::{Date, ItemDetails, Patch, PatientDetails, PatientId, PrescriptionDetails, PrescriptionId, Timestamp},
    service::{CareService, ExpectedVersion, NewConsultation, RestockPeriod},
    store::MemoryStore,
};
use futures_executor::block_on;

use crate::clinic::{medicine, named, new};
use recount::Recount;

const MONTHS: u64 = 1_000;
const MEDICINES: [&str; 5] = ["Aspirin", "Codeine", "Ibuprofen", "Metformin", "Zinc"];
const DAY: i64 = 86_400_000;
/// Noon of the first day of the model's range, in milliseconds since 1970.
const BEGINNING: i64 = -2_208_988_800_000 + DAY / 2;

/// Random numbers that are the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// Returns a number below `sides`.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        let choice = self.roll(choices.len().max(1) as u64);
        choices.get(usize::try_from(choice).unwrap()).copied()
    }
}

fn recurring(is_regular: bool) -> PrescriptionDetails {
    PrescriptionDetails { is_regular: is_regular.into(), ..PrescriptionDetails::default() }
}

struct Months {
    care: CareService,
    clock: Arc<AtomicI64>,
    recount: Recount,
    dice: Dice,
}

impl Months {
    fn new() -> Self {
        let clock = Arc::new(AtomicI64::new(BEGINNING));
        let read = Arc::clone(&clock);
        let now = move || Timestamp::from_unix_millis(read.load(Ordering::SeqCst)).unwrap();
        let care = CareService::new(MemoryStore::new()).with_clock(now);
        Self { care, clock, recount: Recount::default(), dice: Dice(2_026) }
    }

    fn today(&self) -> Date {
        self.care.today().unwrap()
    }

    fn patient(&mut self) -> Option<PatientId> {
        self.dice.one_of(&self.recount.patients())
    }

    fn prescription(&mut self) -> Option<PrescriptionId> {
        self.dice.one_of(&self.recount.prescriptions())
    }

    /// Runs one day at the clinic.
    fn day(&mut self) {
        match self.dice.roll(16) {
            0 | 1 => {
                let patient = block_on(self.care.register_patient(named("N"))).unwrap();
                self.recount.register(patient.patient_id);
            }
            2..=5 => self.consult(),
            6 | 7 => self.prescribe(),
            8..=11 => self.pay(),
            12 => self.update(),
            13 => self.withdraw(),
            14 if self.dice.roll(3) == 0 => self.leave(),
            _ => self.restock(),
        }
    }

    fn medicine(&mut self) -> &'static str {
        self.dice.one_of(&MEDICINES).unwrap()
    }

    fn consult(&mut self) {
        let Some(patient_id) = self.patient() else { return };
        let back = i64::try_from(self.dice.roll(200)).unwrap();
        let date = self.today().plus_days(-back).ok();
        let many = self.dice.roll(3);
        let wanted: Vec<_> = (0..many).map(|_| (self.medicine(), self.dice.roll(3) == 0)).collect();
        let recorded = block_on(self.care.record_consultation(NewConsultation {
            patient_id,
            date,
            diseases: Vec::new(),
            prescriptions: wanted.iter().map(|(name, is_regular)| new(name, recurring(*is_regular))).collect(),
        }));
        // A medicine that is already active, or named twice, is refused without an effect.
        if let Ok(consultation) = recorded {
            let prescribed = consultation.prescription_ids.iter().zip(wanted);
            let prescribed = prescribed.map(|(id, (name, is_regular))| (*id, name, is_regular));
            self.recount.consult(patient_id, consultation.date, prescribed);
        }
    }

    fn prescribe(&mut self) {
        let Some(patient) = self.patient() else { return };
        let (name, is_regular) = (self.medicine(), self.dice.roll(3) == 0);
        if let Ok(live) = block_on(self.care.prescribe(patient, new(name, recurring(is_regular)))) {
            self.recount.prescribe_alone(
                patient,
                live.prescription.prescribed,
                (live.prescription.prescription_id, name, is_regular),
            );
        }
    }

    /// Issues an invoice, and usually pays it, sometimes twice.
    fn pay(&mut self) {
        let Some(id) = self.prescription() else { return };
        let Ok(issued) = block_on(self.care.issue_invoice(id)) else { return };
        let invoice = issued.invoice.invoice_id;
        if self.dice.roll(4) == 0 {
            return block_on(self.care.cancel_invoice(invoice, ExpectedVersion::Any)).unwrap();
        }
        self.recount.pay(id);
        for _ in 0..=self.dice.roll(2) {
            block_on(self.care.pay_invoice(invoice)).unwrap();
        }
    }

    /// Updates a patient's last visit, or whether a prescription recurs.
    fn update(&mut self) {
        if let Some(patient) = self.patient() {
            let back = i64::try_from(self.dice.roll(400)).unwrap();
            let lastvisit = self.today().plus_days(-back).ok().filter(|_| self.dice.roll(3) > 0);
            let details = PatientDetails { lastvisit: lastvisit.map_or(Patch::Clear, Patch::Set), ..named("M") };
            block_on(self.care.update_patient(patient, details, ExpectedVersion::Any)).unwrap();
            self.recount.say_last_visit(patient, lastvisit);
        }
        if let Some(id) = self.prescription() {
            let live = block_on(self.care.prescription(id)).unwrap();
            let (key, is_regular) = (live.prescription.medicine.key().clone(), self.dice.roll(3) == 0);
            let updated = self.care.update_prescription(
                live.prescription.patient_id,
                key,
                recurring(is_regular),
                ExpectedVersion::Any,
            );
            self.recount.recur(block_on(updated).unwrap().prescription.prescription_id, is_regular);
        }
    }

    fn withdraw(&mut self) {
        let Some(id) = self.prescription() else { return };
        block_on(self.care.withdraw_prescription(id, ExpectedVersion::Any)).unwrap();
        self.recount.withdraw(id);
    }

    /// Voids or erases a patient.
    fn leave(&mut self) {
        let Some(patient) = self.patient() else { return };
        match self.dice.roll(2) {
            0 => block_on(self.care.void_patient(patient, ExpectedVersion::Any)).unwrap(),
            _ => self.erase(patient),
        }
        self.recount.leave(patient);
    }

    /// Erases a patient from the records. The rewriting of the journal is left out, since no figure depends on it.
    fn erase(&self, patient: PatientId) {
        block_on(self.care.erase_patient(patient)).unwrap();
    }

    /// Changes the availability of a medicine.
    fn restock(&mut self) {
        let (name, is_available) = (self.medicine(), self.dice.roll(2) == 0);
        let details = || ItemDetails { is_available: is_available.into(), ..ItemDetails::default() };
        let key = medicine(name).key().clone();
        if block_on(self.care.update_item(key, details(), ExpectedVersion::Any)).is_err() {
            block_on(self.care.add_item(medicine(name), details())).unwrap();
        }
        self.recount.stock(name, is_available);
    }

    /// Compares every report with the recount.
    fn check(&mut self) {
        let today = self.today();
        let from = today.plus_days(-i64::try_from(self.dice.roll(400)).unwrap()).unwrap_or(Date::MIN);
        for from in [None, Some(from)] {
            let period = RestockPeriod::new(from, None, today).unwrap();
            let report = block_on(self.care.restock(period, 1_000)).unwrap();
            self.recount.check_report(&report);
        }
        if let Some(patient) = self.patient() {
            self.check_patient(patient);
        }
    }

    fn check_patient(&self, id: PatientId) {
        let (patient, history) = (block_on(self.care.patient(id)).unwrap(), block_on(self.care.history(id)).unwrap());
        assert_eq!((history.visits, history.lastvisit), self.recount.visits(id));
        assert_eq!(patient.lastvisit, history.lastvisit);
    }
}

#[test]
fn a_thousand_months_agree_with_a_recount() {
    let mut clinic = Months::new();
    for _ in 0..MONTHS {
        for _ in 0..6 {
            clinic.clock.fetch_add(5 * DAY, Ordering::SeqCst);
            clinic.day();
        }
        clinic.check();
    }
    for patient in clinic.recount.patients() {
        clinic.check_patient(patient);
    }
    block_on(audit::verify(clinic.care.store())).unwrap();
}
