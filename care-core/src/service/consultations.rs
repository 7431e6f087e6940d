//! Consultations, and the prescriptions made in them.

use super::{CareService, LivePrescription, draft::Draft, prescriptions, usage, written::Written};
use crate::{
    error::{Conflict, Error, Kind},
    model::{
        Consultation, ConsultationId, ConsultationState, Date, Disease, History, Item, MedicineName, Patient,
        PatientId, Prescription, PrescriptionDetails, PrescriptionId, PrescriptionState,
    },
    store::{Key, Series, Stop, Versioned},
};

/// A consultation to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct NewConsultation {
    /// Who was seen.
    pub patient_id: PatientId,
    /// The day of the visit, at most tomorrow; today when absent.
    pub date: Option<Date>,
    /// What was diagnosed, in order; at most [`Consultation::MAX_DISEASES`].
    pub diseases: Vec<Disease>,
    /// What was prescribed.
    pub prescriptions: Vec<NewPrescription>,
}

/// A medicine to be prescribed. Dosage, price and currency default to the inventory's.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPrescription {
    /// The medicine.
    pub medicine: MedicineName,
    /// What else is said about it.
    pub details: PrescriptionDetails,
}

impl NewPrescription {
    /// A prescription of this medicine as the inventory has it: not regular, with its dosage, price and currency.
    pub fn of(medicine: MedicineName) -> Self {
        Self { medicine, details: PrescriptionDetails::default() }
    }
}

impl CareService {
    /// The consultation with this number.
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn consultation(&self, id: ConsultationId) -> Result<Versioned<Consultation>, Error> {
        self.ask(|seen| Ok(seen.take::<Consultation>(id)?.ok_or(Error::NotFound(Kind::Consultation))?)).await
    }

    /// Records a consultation with its prescriptions, all or nothing. One without prescriptions completes at once.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the date is after tomorrow or there are too many diseases; [`Error::NotFound`] for
    /// the patient; [`Conflict::AlreadyPrescribed`] when a medicine is active for the patient already or named
    /// twice; the store's failures.
    pub async fn record_consultation(&self, new: NewConsultation) -> Result<Versioned<Consultation>, Error> {
        let today = self.today()?;
        let mut faults = Vec::new();
        // Tomorrow is allowed: the facility's day may have begun where the client is.
        if new.date.is_some_and(|date| date.unix_days() > today.unix_days() + 1) {
            faults.push(crate::error::FieldError::new("date", "must be at most tomorrow"));
        }
        if new.diseases.len() > Consultation::MAX_DISEASES {
            faults.push(crate::error::FieldError::new("diseases", "must be at most 30"));
        }
        if !faults.is_empty() {
            return Err(Error::Invalid(faults));
        }
        self.write("addConsultation", move |draft| {
            let consultation = begin(draft, new.patient_id, new.date.unwrap_or(today), new.diseases.clone(), false)?;
            for prescription in &new.prescriptions {
                prescribe(draft, consultation.consultation_id, prescription)?;
            }
            if new.prescriptions.is_empty() {
                complete(draft, consultation.consultation_id)?;
            }
            Ok(Written::now(current(draft, consultation.consultation_id)?))
        })
        .await
    }

    /// Prescribes a medicine to a patient, in a consultation of today that the prescription makes for itself.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the patient; [`Conflict::AlreadyPrescribed`]; the store's failures.
    pub async fn prescribe(
        &self,
        patient_id: PatientId,
        new: NewPrescription,
    ) -> Result<Versioned<LivePrescription>, Error> {
        let today = self.today()?;
        self.write("addPrescription", move |draft| {
            let consultation = begin(draft, patient_id, today, Vec::new(), true)?;
            let id = prescribe(draft, consultation.consultation_id, &new)?;
            let prescription = draft.get::<Prescription>(id)?.ok_or(Error::NotFound(Kind::Prescription))?;
            let is_available = prescriptions::is_available_to(draft, &prescription)?;
            Ok(Written::now(LivePrescription { prescription, is_available }))
        })
        .await
    }
}

/// Opens a consultation of a patient, who must exist.
fn begin(
    draft: &mut Draft<'_>,
    patient_id: PatientId,
    date: Date,
    diseases: Vec<Disease>,
    implicit: bool,
) -> Result<Consultation, Stop> {
    draft.get::<Patient>(patient_id)?.ok_or(Error::NotFound(Kind::Patient))?;
    let number = draft.next(Series::Consultation)?;
    let consultation = Consultation {
        consultation_id: ConsultationId::try_from(number).map_err(|_| Conflict::NoNumberLeft)?,
        patient_id,
        date,
        diseases,
        prescription_ids: Vec::new(),
        state: ConsultationState::Open,
        implicit,
    };
    draft.put(consultation.clone());
    Ok(consultation)
}

/// Adds a prescription to a consultation.
fn prescribe(
    draft: &mut Draft<'_>,
    consultation_id: ConsultationId,
    new: &NewPrescription,
) -> Result<PrescriptionId, Stop> {
    let mut consultation = current(draft, consultation_id)?;
    let patient_id = consultation.patient_id;
    let key = new.medicine.key();
    let active = draft.stored::<Prescription>(Key::ActivePrescription(patient_id, key.clone()))?.is_some();
    let twice = consultation.prescription_ids.iter().try_fold(false, |twice, id| {
        let earlier = draft.get::<Prescription>(*id)?;
        Ok::<_, Stop>(twice || earlier.is_some_and(|earlier| earlier.medicine.key() == key))
    })?;
    if active || twice {
        return Err(Conflict::AlreadyPrescribed.into());
    }
    let item = draft.get::<Item>(key.clone())?;
    let item = item.as_ref();
    let id = PrescriptionId::try_from(draft.next(Series::Prescription)?).map_err(|_| Conflict::NoNumberLeft)?;
    let details = &new.details;
    let prescription = Prescription {
        prescription_id: id,
        consultation_id,
        patient_id,
        medicine: new.medicine.clone(),
        dosage: details.dosage.clone().value().or_else(|| item.and_then(|item| item.dosage.clone())),
        is_regular: details.is_regular.value(),
        price: details.price.value().or_else(|| item.and_then(|item| item.price)),
        currency: details.currency.value().or_else(|| item.and_then(|item| item.currency)),
        prescribed: consultation.date,
        state: PrescriptionState::Active,
        dispensed: false,
    };
    usage::account(draft, None, Some(&prescription))?;
    draft.put(prescription);
    consultation.prescription_ids.push(id);
    draft.put(consultation);
    Ok(id)
}

/// Takes a withdrawn prescription out of its consultation: an open one completes with its last prescription, and one
/// that the prescription made for itself goes with it.
pub(super) fn without(draft: &mut Draft<'_>, prescription: &Prescription) -> Result<(), Stop> {
    let id = prescription.consultation_id;
    let mut consultation = current(draft, id)?;
    consultation.prescription_ids.retain(|id| *id != prescription.prescription_id);
    let last_open = consultation.prescription_ids.is_empty() && consultation.state == ConsultationState::Open;
    let implicit = consultation.implicit;
    draft.put(consultation);
    match (last_open, implicit) {
        (true, true) => draft.remove(crate::store::RecordKey::Consultation(id)),
        (true, false) => complete(draft, id)?,
        (false, _) => {}
    }
    Ok(())
}

/// Completes a consultation, unless it is completed: one visit more, `lastvisit` moved forward, its diseases added.
pub(super) fn complete(draft: &mut Draft<'_>, id: ConsultationId) -> Result<(), Stop> {
    let mut consultation = current(draft, id)?;
    if consultation.state == ConsultationState::Completed {
        return Ok(());
    }
    let patient_id = consultation.patient_id;
    let mut patient = draft.get::<Patient>(patient_id)?.ok_or(Error::NotFound(Kind::Patient))?;
    let mut history = draft.get::<History>(patient_id)?.unwrap_or_else(|| History::new(patient_id));
    history.count_visit(consultation.date, &consultation.diseases);
    patient.lastvisit = patient.lastvisit.max(Some(consultation.date));
    consultation.state = ConsultationState::Completed;
    draft.put(consultation);
    draft.put(patient);
    draft.put(history);
    Ok(())
}

fn current(draft: &Draft<'_>, id: ConsultationId) -> Result<Consultation, Stop> {
    Ok(draft.get::<Consultation>(id)?.ok_or(Error::NotFound(Kind::Consultation))?)
}
