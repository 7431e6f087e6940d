//! How much of a medicine a prescription is for.

use serde::{Deserialize, Serialize};

use super::{CareService, ExpectedVersion, usage, written::Written};
use crate::{
    error::{Conflict, Error, Kind},
    model::{EveryDays, Invoice, Patch, Prescription, PrescriptionId, Quantity, Supply},
    store::{Key, RecordKey, Versioned},
};

/// What an update says about the supply of a prescription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SupplyDetails {
    /// The units of one supply.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub quantity: Patch<Quantity>,
    /// How often it is supplied while it is regular, in days.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub every_days: Patch<EveryDays>,
}

impl CareService {
    /// The supply of a prescription, in the prescription's version.
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn supply(&self, id: PrescriptionId) -> Result<Versioned<Supply>, Error> {
        self.ask(|seen| {
            let found = seen.get::<Prescription>(id)?.ok_or(Error::NotFound(Kind::Prescription))?;
            Ok(Versioned { version: found.version, record: found.record.supply() })
        })
        .await
    }

    /// Changes what the details name of the supply of an active prescription, and nothing else.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`]; [`Conflict::PrescriptionCompleted`]; [`Conflict::UnpaidInvoice`] when the
    /// quantity would change while an invoice waits for payment; the store's failures.
    pub async fn update_supply(
        &self,
        id: PrescriptionId,
        details: SupplyDetails,
        expected: ExpectedVersion,
    ) -> Result<Versioned<Supply>, Error> {
        self.write(self.request("updateSupply", (id, &details, &expected))?, move |draft| {
            draft.need([RecordKey::Prescription(id).into(), Key::UnpaidInvoice(id)])?;
            let found = draft.stored::<Prescription>(RecordKey::Prescription(id))?;
            let found = found.ok_or(Error::NotFound(Kind::Prescription))?;
            expected.check(Kind::Prescription, &found)?;
            if !found.record.is_active() {
                return Err(Conflict::PrescriptionCompleted.into());
            }
            let quantity = details.quantity.over(found.record.quantity);
            let is_invoiced = draft.stored::<Invoice>(Key::UnpaidInvoice(id))?.is_some();
            if quantity != found.record.quantity && is_invoiced {
                return Err(Conflict::UnpaidInvoice.into());
            }
            let every_days = details.every_days.over(found.record.every_days);
            let updated = Prescription { quantity, every_days, ..found.record.clone() };
            usage::account(draft, (&found.record, is_invoiced), (&updated, is_invoiced))?;
            draft.put(updated.clone());
            Ok(Written::over(&found, updated).map(|updated| updated.supply()))
        })
        .await
    }
}
