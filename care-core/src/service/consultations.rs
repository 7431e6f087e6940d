//! Consultations, and the prescriptions made in them.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{
    CareService, LivePrescription,
    base::{
        answer::WriteAnswer,
        draft::Draft,
        live::TOGETHER,
        new_values::{refuse, refuse_all, too_high, within},
        page::Page,
    },
    effects::{completion::complete, demand, history},
    prescriptions,
};
use crate::{
    error::{Conflict, Error, FieldError},
    kinds::RecordKind,
    model::{
        Consultation, ConsultationId, ConsultationState, Date, Diagnosis, Disease, EveryDays, Invalid, Item,
        ItemDetails, MedicineName, Patch, Patient, PatientConsultation, PatientId, Prescription, PrescriptionDetails,
        PrescriptionId, PrescriptionState, Price, Quantity, Stock, SupplyDetails,
    },
    operation::Operation,
    store::{ConsultationFilter, Entity, Key, Limit, RecordKey, Series, Stop, Versioned},
};

/// A new consultation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NewConsultation {
    /// The patient.
    pub patient_id: PatientId,
    /// The day of the visit, at most tomorrow; today by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// The diagnosed diseases, in order; at most [`Consultation::MAX_DISEASES`].
    #[serde(default)]
    pub diseases: Vec<Disease>,
    /// The prescriptions; at most [`Consultation::MAX_PRESCRIPTIONS`].
    #[serde(default)]
    pub prescriptions: Vec<NewPrescription>,
}

/// A new prescription. Dosage, price and currency default to the inventory's; with a currency other than the item's,
/// the price has no default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewPrescription {
    /// The medicine.
    pub medicine: MedicineName,
    /// The other fields.
    #[serde(flatten)]
    pub details: PrescriptionDetails,
    /// The units of one supply; by default the setting of the medicine's stock, if it is tracked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Quantity>,
    /// The interval between supplies of a regular prescription, in days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_days: Option<EveryDays>,
}

impl NewConsultation {
    /// Returns a visit of this patient today, without a disease or a prescription.
    pub const fn of(patient_id: PatientId) -> Self {
        Self { patient_id, date: None, diseases: Vec::new(), prescriptions: Vec::new() }
    }

    /// Sets the day of the visit.
    #[must_use]
    pub fn on(self, date: impl Into<Option<Date>>) -> Self {
        Self { date: date.into(), ..self }
    }

    /// Adds diseases.
    #[must_use]
    pub fn diagnosing(mut self, diseases: impl IntoIterator<Item = Disease>) -> Self {
        self.diseases.extend(diseases);
        self
    }

    /// Adds prescriptions.
    #[must_use]
    pub fn prescribing(mut self, prescriptions: impl IntoIterator<Item = NewPrescription>) -> Self {
        self.prescriptions.extend(prescriptions);
        self
    }

    /// Returns what breaks a rule on this day, whatever is stored.
    fn faults(&self, today: Date) -> Vec<FieldError> {
        // Tomorrow is allowed, since the client may be in an earlier time zone.
        let is_later = self.date.is_some_and(|date| date.unix_days() > today.unix_days() + 1);
        let rules = [
            (is_later, "date", "must be at most tomorrow"),
            (self.diseases.len() > Consultation::MAX_DISEASES, "diseases", "must be at most 30"),
            (self.prescriptions.len() > Consultation::MAX_PRESCRIPTIONS, "prescriptions", "must be at most 30"),
        ];
        let broken = rules.into_iter().filter(|(is_broken, ..)| *is_broken);
        broken.map(|(_, field, rule)| FieldError::new(field, rule)).collect()
    }
}

impl NewPrescription {
    /// Returns a prescription of this medicine with the inventory's dosage, price and currency, which does not recur.
    pub fn of(medicine: MedicineName) -> Self {
        Self { medicine, details: PrescriptionDetails::default(), quantity: None, every_days: None }
    }

    /// Returns the fields that break a rule of today, unless their value is the item's, which is their default.
    fn faults(&self, item: Option<&Item>, highest: Price) -> impl Iterator<Item = (&'static str, Invalid)> + use<> {
        let PrescriptionDetails { dosage, is_regular, price, currency } = self.details.clone();
        let priced = ItemDetails { is_available: Patch::Keep, dosage, is_regular, price, currency };
        let supply = SupplyDetails { quantity: self.quantity.into(), every_days: self.every_days.into() };
        let high = too_high(price, item.and_then(|item| item.price), highest);
        priced.faults(item).into_iter().chain(high).chain(supply.faults(None))
    }
}

impl CareService {
    /// Returns the consultation with this number.
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn consultation(&self, id: ConsultationId) -> Result<Versioned<PatientConsultation>, Error> {
        self.ask(|seen| {
            let found = seen.get::<Consultation>(id)?.ok_or(Error::NotFound(RecordKind::Consultation))?;
            let (version, consultation) = (found.version, found.record.clone());
            let diseases = seen.take::<Diagnosis>(id)?.map(|found| found.record.diseases).unwrap_or_default();
            Ok(Versioned { version, record: consultation.with(diseases) })
        })
        .await
    }

    /// Returns a page of consultations by number, after the given one. It ends early where the diseases are longer than
    /// the limit in bytes.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn consultations(
        &self,
        filter: ConsultationFilter,
        after: Option<ConsultationId>,
        limit: impl Into<Limit>,
    ) -> Result<Page<PatientConsultation>, Error> {
        let limit = limit.into();
        let page = self.page(Consultation::list(&filter, after), limit).await?;
        self.with_diagnoses(page, limit.bytes).await
    }

    /// Adds the diseases to a page of consultations, which ends early where they are longer than this number of bytes.
    pub(super) async fn with_diagnoses(
        &self,
        Page { items, mut more }: Page<Consultation>,
        mut room: usize,
    ) -> Result<Page<PatientConsultation>, Error> {
        let mut whole = Vec::with_capacity(items.len());
        let mut items = items.into_iter().peekable();
        while items.peek().is_some() {
            if room == 0 && !whole.is_empty() {
                more = true;
                break;
            }
            let some: Vec<_> = items.by_ref().take(TOGETHER).collect();
            let found = self.ask(|seen| {
                seen.need(some.iter().map(|found| Diagnosis::key(found.consultation_id).into()))?;
                some.iter().map(|found| seen.take::<Diagnosis>(found.consultation_id)).collect::<Result<Vec<_>, Stop>>()
            });
            for (consultation, diagnosis) in some.iter().zip(found.await?) {
                let diseases = diagnosis.map(|found| found.record.diseases).unwrap_or_default();
                room = room.saturating_sub(diseases.iter().map(|disease| disease.as_str().len()).sum());
                whole.push(consultation.clone().map(|consultation| consultation.with(diseases)));
            }
        }
        Ok(Page { items: whole, more })
    }

    /// Records a consultation with its prescriptions, completely or not at all. One without prescriptions completes at
    /// once.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the date is after tomorrow, there are too many diseases or prescriptions, or a price is
    /// above the facility's highest;
    /// [`Error::NotFound`] for the patient; [`Conflict::AlreadyPrescribed`] when the patient has an active prescription
    /// for a medicine, or a medicine is named twice; [`Conflict::TooManyPrescriptions`]; [`Conflict::HistoryFull`]; the
    /// store's failures.
    pub async fn record_consultation(&self, new: NewConsultation) -> Result<Versioned<PatientConsultation>, Error> {
        let today = self.today();
        let highest_price = self.facility.highest_price;
        self.write(self.request(Operation::AddConsultation, &new)?, move |draft| {
            let today = today.clone()?;
            refuse_all(new.faults(today))?;
            let date = new.date.unwrap_or(today);
            need(draft, (new.patient_id, date), &new.diseases, &new.prescriptions)?;
            let mut faults = Vec::new();
            for (new, number) in new.prescriptions.iter().zip(0..) {
                let item = draft.get::<Item>(new.medicine.key().clone())?;
                let place = format!("prescriptions[{number}]");
                faults.extend(within(&place, new.faults(item.as_ref(), highest_price)));
            }
            refuse_all(faults)?;
            let mut consultation = begin(draft, (new.patient_id, date))?;
            history::diagnose(draft, consultation.consultation_id, new.patient_id, &new.diseases)?;
            prescribe(draft, &mut consultation, &new.prescriptions)?;
            draft.put(consultation.clone());
            if new.prescriptions.is_empty() {
                complete(draft, &mut consultation)?;
            }
            Ok(WriteAnswer::Put(consultation.with(new.diseases.clone())))
        })
        .await
    }

    /// Prescribes a medicine to a patient, in a consultation of today that is made for this prescription alone.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a price above the facility's highest; [`Error::NotFound`] for the patient;
    /// [`Conflict::AlreadyPrescribed`]; [`Conflict::TooManyPrescriptions`]; the store's failures.
    pub async fn prescribe(
        &self,
        patient_id: PatientId,
        new: NewPrescription,
    ) -> Result<Versioned<LivePrescription>, Error> {
        let today = self.today();
        let highest_price = self.facility.highest_price;
        self.write(self.request(Operation::AddPrescription, (patient_id, &new))?, move |draft| {
            let today = today.clone()?;
            need(draft, (patient_id, today), &[], std::slice::from_ref(&new))?;
            let item = draft.get::<Item>(new.medicine.key().clone())?;
            refuse(new.faults(item.as_ref(), highest_price))?;
            let mut consultation = begin(draft, (patient_id, today))?;
            consultation.implicit = true;
            let made = prescribe(draft, &mut consultation, std::slice::from_ref(&new))?.pop();
            draft.put(consultation);
            let prescription = made.ok_or(Error::NotFound(RecordKind::Prescription))?;
            let is_available = prescriptions::is_available_to(draft, &prescription, today)?;
            Ok(WriteAnswer::Put(LivePrescription { prescription, is_available }))
        })
        .await
    }
}

/// Asks for all records that a consultation of a patient with these diseases and prescriptions will need.
fn need(
    draft: &Draft<'_>,
    (patient_id, date): (PatientId, Date),
    diseases: &[Disease],
    prescriptions: &[NewPrescription],
) -> Result<(), Stop> {
    // A consultation without prescriptions completes at once.
    let is_counted = prescriptions.is_empty();
    let history = (is_counted || !diseases.is_empty()).then(|| RecordKey::History(patient_id).into());
    let prescribed = [RecordKey::Counter(Series::Prescription).into(), Prescription::count_active(patient_id).into()];
    let prescribed = prescribed.into_iter().filter(|_| !is_counted);
    let records = [RecordKey::Patient(patient_id), RecordKey::Counter(Series::Consultation)];
    let records = records.into_iter().map(Key::Record).chain(history).chain(prescribed);
    let medicines = prescriptions.iter().flat_map(|new| {
        let key = || new.medicine.key().clone();
        let is_regular = new.details.is_regular.value() == Some(true);
        let recurring = is_regular.then(|| demand::of_interval(key(), new.every_days));
        let records = [RecordKey::Item(key()), RecordKey::Stock(key()), RecordKey::Demand((date, key()))];
        records.map(Key::Record).into_iter().chain(recurring).chain([Prescription::active(patient_id, &key()).into()])
    });
    draft.need(records.chain(medicines))
}

/// Opens a consultation of a patient, who must exist.
fn begin(draft: &mut Draft<'_>, (patient_id, date): (PatientId, Date)) -> Result<Consultation, Stop> {
    draft.required::<Patient>(patient_id)?;
    let number = draft.next(Series::Consultation)?;
    let consultation = Consultation {
        consultation_id: ConsultationId::try_from(number).map_err(|_| Conflict::NoNumberLeft)?,
        patient_id,
        date,
        prescription_ids: Vec::new(),
        state: ConsultationState::Open,
        implicit: false,
    };
    // In the journal the consultation stands before its prescriptions.
    draft.put(consultation.clone());
    Ok(consultation)
}

/// Makes these prescriptions and adds them to their consultation, which the caller puts.
fn prescribe(
    draft: &mut Draft<'_>,
    consultation: &mut Consultation,
    prescriptions: &[NewPrescription],
) -> Result<Vec<Prescription>, Stop> {
    let patient_id = consultation.patient_id;
    let mut medicines = HashSet::new();
    let mut made = Vec::with_capacity(prescriptions.len());
    for NewPrescription { medicine, details, quantity, every_days } in prescriptions {
        let key = medicine.key();
        let active = draft.stored(Prescription::active(patient_id, key))?;
        if active.is_some() || !medicines.insert(key) {
            return Err(Conflict::AlreadyPrescribed.into());
        }
        let item = draft.get::<Item>(key.clone())?;
        let item = item.as_ref();
        let stock = draft.get::<Stock>(key.clone())?;
        let id = PrescriptionId::try_from(draft.next(Series::Prescription)?).map_err(|_| Conflict::NoNumberLeft)?;
        let PrescriptionDetails { dosage, is_regular, price, currency } = details.clone();
        let currency = currency.value();
        // An amount is meaningless in another currency.
        let listed = item.filter(|item| currency.is_none() || currency == item.currency);
        let prescription = Prescription {
            prescription_id: id,
            consultation_id: consultation.consultation_id,
            patient_id,
            medicine: medicine.clone(),
            dosage: dosage.value().or_else(|| item.and_then(|item| item.dosage.clone())),
            is_regular: is_regular.value(),
            price: price.value().or_else(|| listed.and_then(|item| item.price)),
            currency: currency.or_else(|| item.and_then(|item| item.currency)),
            prescribed: consultation.date,
            state: PrescriptionState::Active,
            dispensed: false,
            quantity: quantity.or(stock.map(|stock| stock.settings.supply_units)),
            every_days: *every_days,
        };
        demand::account(draft, None, Some((&prescription, false)))?;
        draft.put(prescription.clone());
        consultation.prescription_ids.push(id);
        made.push(prescription);
    }
    let active = |made: usize| Ok::<_, Stop>(draft.seen().count(Prescription::count_active(patient_id))? + made as u64);
    if !made.is_empty() && active(made.len())? > Prescription::MAX_ACTIVE {
        return Err(Conflict::TooManyPrescriptions.into());
    }
    Ok(made)
}
