//! Patient histories.

use care_derive::Record;

use crate::model::{Date, Diagnosis, Disease, MedicineName, Name, Patient, PatientId, ShortText};

/// A patient's completed visits as they are stored.
///
/// The diseases stand in a [`Diagnosis`] for each consultation, so that a visit writes only what it adds.
/// [`PatientHistory`] is the answer made from both.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "history", key(patient_id), owner(patient = patient_id, on_void = remove))]
#[record(document = "StoredHistory")]
pub struct History {
    /// The patient.
    pub patient_id: PatientId,
    /// The medicine billed by the last payment that stands.
    #[field(kept)]
    pub medicine: Option<MedicineName>,
    /// The dosage billed by it.
    #[field(personal, example = "1-0-1")]
    pub dosage: Option<ShortText>,
    /// The number of recorded diseases, including those of open consultations.
    ///
    /// There are at most [`History::MAX_DISEASES`].
    #[field(personal)]
    pub diseases: u64,
    /// The number of completed consultations.
    #[field(kept)]
    pub visits: u64,
    /// The day of the latest completed consultation.
    #[field(kept)]
    pub lastvisit: Option<Date>,
}

/// Up to three diseases of one completed consultation; more than three spill into a further element.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "HistoryEntry")]
pub struct HistoryEntry {
    /// The first disease.
    pub disease1: Disease,
    /// The second disease.
    pub disease2: Option<Disease>,
    /// The third disease.
    pub disease3: Option<Disease>,
}

/// A patient's completed visits.
///
/// The interface document describes this answer in 2.5.
///
/// ```json
/// {"patientId":7,"name":"Ada Example","medicine":"Ibuprofen 400","dosage":"1-0-1",
///  "history":[{"disease1":"migraine"}],"visits":1,"lastvisit":"31/01/2026"}
/// ```
/// ```xml
/// <History><patientId>7</patientId><history><disease1>migraine</disease1></history><visits>1</visits></History>
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "History", root = "History", answered(history, patient_id))]
pub struct PatientHistory {
    /// The patient.
    pub patient_id: PatientId,
    /// The patient's registered name.
    pub name: Option<Name>,
    /// The medicine billed by the last payment that stands.
    pub medicine: Option<MedicineName>,
    /// The dosage billed by it.
    #[field(example = "1-0-1")]
    pub dosage: Option<ShortText>,
    /// Previously diagnosed diseases.
    pub history: Vec<HistoryEntry>,
    /// The number of visits.
    pub visits: u64,
    /// Day of the most recent visit: the later of the patient's own and the latest completed consultation's.
    pub lastvisit: Option<Date>,
}

impl History {
    /// The highest number of recorded diseases of one patient.
    pub const MAX_DISEASES: u64 = 10_000;

    /// Returns the history of a patient who has not visited yet.
    pub const fn new(patient_id: PatientId) -> Self {
        Self { patient_id, medicine: None, dosage: None, diseases: 0, visits: 0, lastvisit: None }
    }

    /// Counts a completed consultation: adds one visit, and moves `lastvisit` forward, never back.
    pub fn count_visit(&mut self, date: Date) {
        self.visits += 1;
        self.lastvisit = self.lastvisit.max(Some(date));
    }

    /// Returns the answer about this patient, without diseases.
    pub fn of(self, patient: &Patient) -> PatientHistory {
        PatientHistory {
            patient_id: patient.patient_id,
            name: patient.name.clone(),
            medicine: self.medicine,
            dosage: self.dosage,
            history: Vec::new(),
            visits: self.visits,
            lastvisit: self.lastvisit.max(patient.lastvisit),
        }
    }
}

impl PatientHistory {
    /// Returns the history with the diseases of its visits, in the order of the visits. Diagnoses of later visits and
    /// of visits that are not counted yet are left out. A diagnosis never changes once it is counted, so an earlier
    /// history is the beginning of a later one.
    #[must_use]
    pub fn with<'a>(mut self, diagnoses: impl IntoIterator<Item = &'a Diagnosis>) -> Self {
        let numbered = |of: &'a Diagnosis| of.visit.filter(|visit| *visit <= self.visits).map(|visit| (visit, of));
        let mut counted: Vec<_> = diagnoses.into_iter().filter_map(numbered).collect();
        counted.sort_unstable_by_key(|(visit, _)| *visit);
        let diseases = counted.into_iter().flat_map(|(_, of)| of.diseases.chunks(3));
        self.history = diseases.filter_map(HistoryEntry::of).collect();
        self
    }
}

impl HistoryEntry {
    fn of(diseases: &[Disease]) -> Option<Self> {
        let mut diseases = diseases.iter().cloned();
        let disease1 = diseases.next()?;
        Some(Self { disease1, disease2: diseases.next(), disease3: diseases.next() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ConsultationId, Invalid};

    const ID: PatientId = PatientId::FIRST;

    fn diagnosis(consultation: i64, visit: Option<u64>, diseases: &[&str]) -> Result<Diagnosis, Invalid> {
        Ok(Diagnosis {
            consultation_id: ConsultationId::try_from(consultation)?,
            patient_id: ID,
            visit,
            diseases: diseases.iter().map(|disease| Disease::new(*disease)).collect::<Result<_, _>>()?,
        })
    }

    fn diseases(history: &PatientHistory) -> String {
        serde_json::to_string(&history.history).unwrap_or_default()
    }

    #[test]
    fn the_last_visit_moves_forward_never_back() -> Result<(), Invalid> {
        let mut history = History::new(ID);
        history.count_visit("02/01/2026".parse()?);
        history.count_visit("01/01/2026".parse()?);
        assert_eq!((history.visits, history.lastvisit), (2, Some("02/01/2026".parse()?)));
        Ok(())
    }

    #[test]
    fn diseases_come_by_visit_and_spill_into_further_elements() -> Result<(), Invalid> {
        let all = [
            diagnosis(1, Some(3), &["e"])?,
            diagnosis(2, None, &["open"])?,
            diagnosis(3, Some(1), &["a", "b", "c", "d"])?,
        ];
        let of = |visits| History { visits, ..History::new(ID) }.of(&Patient::new(ID)).with(&all);
        let first = r#"[{"disease1":"a","disease2":"b","disease3":"c"},{"disease1":"d"}]"#;
        assert_eq!(diseases(&of(0)), "[]");
        assert_eq!((diseases(&of(1)), diseases(&of(2))), (first.to_owned(), first.to_owned()));
        assert!(diseases(&of(3)).ends_with(r#"{"disease1":"d"},{"disease1":"e"}]"#));
        Ok(())
    }
}
