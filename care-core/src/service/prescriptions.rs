//! Prescriptions.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::{CareService, Expected, Page, consultations, draft::Draft, usage, written::Written};
use crate::{
    error::{Conflict, Error, Kind},
    model::{Invoice, Item, MedicineKey, PatientId, Prescription, PrescriptionDetails, PrescriptionId},
    store::{Key, Limit, PrescriptionFilter, Query, RecordKey, Seen, Stop, Versioned},
};

/// A prescription together with the inventory's answer at this moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LivePrescription {
    /// The prescription.
    #[serde(flatten)]
    pub prescription: Prescription,
    /// Whether the inventory has the medicine now; it does not have what it does not know.
    pub is_available: bool,
}

/// A live prescription is read as the prescription itself: `live.medicine` for `live.prescription.medicine`.
impl Deref for LivePrescription {
    type Target = Prescription;

    fn deref(&self) -> &Prescription {
        &self.prescription
    }
}

impl CareService {
    /// The prescription with this number (operation 5).
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn prescription(&self, id: PrescriptionId) -> Result<Versioned<LivePrescription>, Error> {
        self.ask(|seen| {
            let found = seen.get::<Prescription>(id)?.ok_or(Error::NotFound(Kind::Prescription))?;
            let is_available = is_available(seen, found.record.medicine.key())?;
            let found = seen.take::<Prescription>(id)?.ok_or(Error::NotFound(Kind::Prescription))?;
            let record = LivePrescription { prescription: found.record, is_available };
            Ok(Versioned { version: found.version, record })
        })
        .await
    }

    /// A page of prescriptions by number, after the given one.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn prescriptions(
        &self,
        filter: PrescriptionFilter,
        after: Option<PrescriptionId>,
        limit: impl Into<Limit>,
    ) -> Result<Page<LivePrescription>, Error> {
        let Page { items, more } =
            self.page::<Prescription>(Query::Prescriptions { filter, after }, limit.into()).await?;
        let medicines: Vec<_> = items.iter().map(|found| found.record.medicine.key().clone()).collect();
        let availability = self.ask(|seen| {
            seen.need(medicines.iter().cloned().map(|medicine| RecordKey::Item(medicine).into()))?;
            medicines.iter().map(|medicine| is_available(seen, medicine)).collect::<Result<Vec<_>, _>>()
        });
        let live = items.into_iter().zip(availability.await?).map(|(found, is_available)| Versioned {
            version: found.version,
            record: LivePrescription { prescription: found.record, is_available },
        });
        let items = live.collect();
        Ok(Page { items, more })
    }

    /// Changes what the details name of the patient's prescription for a medicine, and nothing else (operation 6):
    /// of the active one, or with none active of the newest.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`], and the store's failures.
    pub async fn update_prescription(
        &self,
        patient_id: PatientId,
        medicine: MedicineKey,
        details: PrescriptionDetails,
        expected: Expected,
    ) -> Result<Versioned<LivePrescription>, Error> {
        self.write(self.request("updatePrescription", (patient_id, &medicine, &details, &expected))?, move |draft| {
            let active = draft.stored::<Prescription>(Key::ActivePrescription(patient_id, medicine.clone()))?;
            let found = match active {
                Some(active) => Some(active),
                None => draft.stored(Key::NewestPrescription(patient_id, medicine.clone()))?,
            };
            let found = found.ok_or(Error::NotFound(Kind::Prescription))?;
            expected.check(Kind::Prescription, &found)?;
            let updated = found.record.clone().with(details.clone());
            usage::account(draft, Some(&found.record), Some(&updated))?;
            draft.put(updated.clone());
            let is_available = is_available_to(draft, &updated)?;
            let prescription = Written::over(&found, updated);
            Ok(prescription.map(|prescription| LivePrescription { prescription, is_available }))
        })
        .await
    }

    /// Withdraws a prescription (operation 7): kept in the journal, gone from every answer.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`], [`Conflict::UnpaidInvoice`], and the store's failures.
    pub async fn withdraw_prescription(&self, id: PrescriptionId, expected: Expected) -> Result<(), Error> {
        self.take_away(self.request("deletePrescription", (id, &expected))?, move |draft| {
            let found = draft.stored::<Prescription>(RecordKey::Prescription(id))?;
            let found = found.ok_or(Error::NotFound(Kind::Prescription))?;
            expected.check(Kind::Prescription, &found)?;
            if draft.stored::<Invoice>(Key::UnpaidInvoice(id))?.is_some() {
                return Err(Conflict::UnpaidInvoice.into());
            }
            usage::account(draft, Some(&found.record), None)?;
            draft.remove(RecordKey::Prescription(id));
            consultations::without(draft, &found.record)
        })
        .await
    }
}

/// Whether the inventory has what is prescribed.
pub(super) fn is_available_to(draft: &Draft<'_>, prescription: &Prescription) -> Result<bool, Stop> {
    let item = draft.get::<Item>(prescription.medicine.key().clone())?;
    Ok(item.is_some_and(|item| item.is_available))
}

fn is_available(seen: &Seen, medicine: &MedicineKey) -> Result<bool, Stop> {
    Ok(seen.get::<Item>(medicine.clone())?.is_some_and(|item| item.record.is_available))
}
