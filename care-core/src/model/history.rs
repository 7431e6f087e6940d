//! Patient histories.

use serde::{Deserialize, Serialize};

use super::{Date, Disease, MedicineName, Name, Patient, PatientId, ShortText};

/// What the service keeps of a patient's completed visits. [`PatientHistory`] is the answer made from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// Whose history it is.
    pub patient_id: PatientId,
    /// The medicine billed on the invoice that was paid last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub medicine: Option<MedicineName>,
    /// The dosage billed on that invoice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dosage: Option<ShortText>,
    /// Diagnosed diseases, one element or more for each completed consultation that had any.
    pub history: Vec<HistoryEntry>,
    /// How many consultations were completed.
    pub visits: u64,
    /// The day of the latest completed consultation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lastvisit: Option<Date>,
}

/// Up to three diseases of one completed consultation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The first disease.
    pub disease1: Disease,
    /// The second disease.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disease2: Option<Disease>,
    /// The third disease.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disease3: Option<Disease>,
}

/// A patient's history as it is answered (interface document, 2.5).
///
/// ```json
/// {"patientId":7,"name":"Ada Example","medicine":"Ibuprofen 400","dosage":"1-0-1",
///  "history":[{"disease1":"migraine"}],"visits":1,"lastvisit":"31/01/2026"}
/// ```
/// ```xml
/// <History><patientId>7</patientId><history><disease1>migraine</disease1></history><visits>1</visits></History>
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PatientHistory {
    /// Whose history it is.
    pub patient_id: PatientId,
    /// The patient's registered name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// The medicine billed on the invoice that was paid last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub medicine: Option<MedicineName>,
    /// The dosage billed on that invoice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dosage: Option<ShortText>,
    /// Previously diagnosed diseases.
    pub history: Vec<HistoryEntry>,
    /// Total number of visits.
    pub visits: u64,
    /// Day of the most recent visit: the later of the patient's own and the latest completed consultation's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lastvisit: Option<Date>,
}

impl History {
    /// The history of a patient who has not visited yet.
    pub const fn new(patient_id: PatientId) -> Self {
        Self { patient_id, medicine: None, dosage: None, history: Vec::new(), visits: 0, lastvisit: None }
    }

    /// Counts a completed consultation: one visit more, its diseases added, `lastvisit` moved forward, never back.
    pub fn count_visit(&mut self, date: Date, diseases: &[Disease]) {
        self.visits += 1;
        self.lastvisit = self.lastvisit.max(Some(date));
        self.history.extend(diseases.chunks(3).filter_map(HistoryEntry::of));
    }

    /// The answer about this patient.
    pub fn of(self, patient: &Patient) -> PatientHistory {
        PatientHistory {
            patient_id: patient.patient_id,
            name: patient.name.clone(),
            medicine: self.medicine,
            dosage: self.dosage,
            history: self.history,
            visits: self.visits,
            lastvisit: self.lastvisit.max(patient.lastvisit),
        }
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

    #[test]
    fn more_than_three_diseases_spill_into_further_elements() -> Result<(), crate::model::Invalid> {
        let diseases: Vec<_> = ["a", "b", "c", "d"].into_iter().map(Disease::new).collect::<Result<_, _>>()?;
        let mut history = History::new(PatientId::FIRST);
        history.count_visit("02/01/2026".parse()?, &diseases);
        history.count_visit("01/01/2026".parse()?, &[]);
        assert_eq!((history.visits, history.history.len()), (2, 2));
        assert_eq!(history.lastvisit, Some("02/01/2026".parse()?));
        let last = serde_json::to_string(&history.history[1]).ok();
        assert_eq!(last.as_deref(), Some(r#"{"disease1":"d"}"#));
        Ok(())
    }
}
