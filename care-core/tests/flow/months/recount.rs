//! All events of a clinic in a plain form, counted anew for every question.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use care_core::{
    model::{Date, PatientId, PrescriptionId},
    service::{Recommendation, RestockReport},
};

#[derive(Default)]
pub(super) struct Recount {
    patients: BTreeMap<PatientId, Patient>,
    consultations: Vec<Consultation>,
    prescriptions: BTreeMap<PrescriptionId, Prescription>,
    stock: BTreeMap<&'static str, bool>,
}

#[derive(Default)]
struct Patient {
    visits: u64,
    /// The day of the latest completed consultation.
    latest: Option<Date>,
    lastvisit: Option<Date>,
}

struct Consultation {
    patient: PatientId,
    date: Date,
    is_open: bool,
    /// Whether it was made for a single prescription.
    is_implicit: bool,
}

struct Prescription {
    consultation: usize,
    medicine: &'static str,
    is_regular: bool,
    is_paid: bool,
    is_active: bool,
    is_withdrawn: bool,
}

/// One line of a report: first the counts, then the values that follow from them.
type Line = (Recommendation, Reverse<u64>, &'static str, bool, [u64; 4], Option<Date>, String);

impl Recount {
    pub(super) fn patients(&self) -> Vec<PatientId> {
        self.patients.keys().copied().collect()
    }

    pub(super) fn prescriptions(&self) -> Vec<PrescriptionId> {
        let held = self.prescriptions.iter().filter(|(_, held)| !held.is_withdrawn);
        held.map(|(id, _)| *id).collect()
    }

    /// Returns the number of a patient's visits and the day of the last one.
    pub(super) fn visits(&self, patient: PatientId) -> (u64, Option<Date>) {
        let patient = &self.patients[&patient];
        (patient.visits, patient.lastvisit)
    }

    pub(super) fn register(&mut self, patient: PatientId) {
        self.patients.insert(patient, Patient::default());
    }

    pub(super) fn consult(
        &mut self,
        patient: PatientId,
        date: Date,
        prescribed: impl Iterator<Item = (PrescriptionId, &'static str, bool)>,
    ) {
        let consultation = self.open(patient, date, false);
        let before = self.prescriptions.len();
        for (id, medicine, is_regular) in prescribed {
            self.prescribe(id, consultation, medicine, is_regular);
        }
        if self.prescriptions.len() == before {
            self.complete(consultation);
        }
    }

    pub(super) fn prescribe_alone(
        &mut self,
        patient: PatientId,
        date: Date,
        (id, medicine, is_regular): (PrescriptionId, &'static str, bool),
    ) {
        let consultation = self.open(patient, date, true);
        self.prescribe(id, consultation, medicine, is_regular);
    }

    pub(super) fn pay(&mut self, id: PrescriptionId) {
        let Some(paid) = self.prescriptions.get_mut(&id) else { return };
        paid.is_paid = true;
        paid.is_active &= paid.is_regular;
        let consultation = paid.consultation;
        self.complete(consultation);
    }

    pub(super) fn recur(&mut self, id: PrescriptionId, is_regular: bool) {
        if let Some(prescription) = self.prescriptions.get_mut(&id) {
            prescription.is_regular = is_regular;
        }
    }

    pub(super) fn say_last_visit(&mut self, patient: PatientId, said: Option<Date>) {
        if let Some(patient) = self.patients.get_mut(&patient) {
            patient.lastvisit = said.max(patient.latest);
        }
    }

    pub(super) fn withdraw(&mut self, id: PrescriptionId) {
        let Some(withdrawn) = self.prescriptions.get_mut(&id) else { return };
        withdrawn.is_withdrawn = true;
        let place = withdrawn.consultation;
        let is_left = self.prescriptions.values().any(|other| other.consultation == place && !other.is_withdrawn);
        if !is_left && !self.consultations[place].is_implicit {
            self.complete(place);
        }
    }

    pub(super) fn leave(&mut self, patient: PatientId) {
        self.patients.remove(&patient);
        for prescription in self.prescriptions.values_mut() {
            prescription.is_withdrawn |= self.consultations[prescription.consultation].patient == patient;
        }
    }

    pub(super) fn stock(&mut self, medicine: &'static str, is_available: bool) {
        self.stock.insert(medicine, is_available);
    }

    pub(super) fn check_report(&self, report: &RestockReport) {
        let reported = report.items.iter().map(|item| {
            let counts = [item.regular, item.dispensed, item.unmet, item.previous_prescribed];
            let average = format!("{:.2}", item.average_monthly);
            let name = item.medicine.as_str();
            let last = item.last_prescribed;
            (item.recommendation, Reverse(item.prescribed), name, item.is_available, counts, last, average)
        });
        let mentioned = self.prescriptions.values().map(|prescription| prescription.medicine);
        let medicines: BTreeSet<_> = self.stock.keys().copied().chain(mentioned).collect();
        let mut counted: Vec<Line> = medicines.into_iter().filter_map(|name| self.count(name, report)).collect();
        counted.sort();
        assert_eq!(reported.collect::<Vec<_>>(), counted, "from {} to {}", report.from, report.to);
    }

    fn count(&self, medicine: &'static str, report: &RestockReport) -> Option<Line> {
        let days = report.to.unix_days() - report.from.unix_days() + 1;
        let before = report.from.plus_days(-days).unwrap_or(Date::MIN);
        let day = |held: &Prescription| self.consultations[held.consultation].date;
        let of_it = || self.prescriptions.values().filter(|held| held.medicine == medicine);
        let demand = || of_it().filter(|held| held.is_paid || !held.is_withdrawn);
        let here = || demand().filter(|held| (report.from..=report.to).contains(&day(held)));
        let count = |held: &dyn Fn(&Prescription) -> bool| here().filter(|one| held(one)).count() as u64;

        let prescribed = count(&|_| true);
        let (regular, dispensed) = (count(&|held| held.is_regular), count(&|held| held.is_paid));
        let previous = demand().filter(|held| (before..report.from).contains(&day(held))).count() as u64;
        let recurs = of_it().any(|held| held.is_regular && held.is_active && !held.is_withdrawn);
        let stocked = self.stock.get(medicine).copied();
        let is_available = stocked == Some(true);
        let recommendation = match (prescribed > 0 || recurs, is_available) {
            (true, false) => Recommendation::Now,
            (true, true) if prescribed >= 5 && prescribed * 2 >= previous * 3 => Recommendation::Soon,
            (true, true) => Recommendation::Watch,
            (false, _) if stocked.is_some() => Recommendation::None,
            (false, _) => return None,
        };
        let unmet = if is_available { 0 } else { prescribed - dispensed };
        let last = demand().map(day).filter(|day| (before..=report.to).contains(day)).max();
        let hundredths = (prescribed * 6_000 / days.unsigned_abs()).div_ceil(2);
        let average = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        let counts = [regular, dispensed, unmet, previous];
        Some((recommendation, Reverse(prescribed), medicine, is_available, counts, last, average))
    }

    fn open(&mut self, patient: PatientId, date: Date, is_implicit: bool) -> usize {
        self.consultations.push(Consultation { patient, date, is_open: true, is_implicit });
        self.consultations.len() - 1
    }

    fn prescribe(&mut self, id: PrescriptionId, consultation: usize, medicine: &'static str, is_regular: bool) {
        let held =
            Prescription { consultation, medicine, is_regular, is_paid: false, is_active: true, is_withdrawn: false };
        self.prescriptions.insert(id, held);
    }

    fn complete(&mut self, place: usize) {
        let consultation = &mut self.consultations[place];
        if let Some(patient) = self.patients.get_mut(&consultation.patient).filter(|_| consultation.is_open) {
            patient.visits += 1;
            patient.latest = patient.latest.max(Some(consultation.date));
            patient.lastvisit = patient.lastvisit.max(patient.latest);
        }
        consultation.is_open = false;
    }
}
