//! The quantity and the interval of prescriptions.

use serde::{Deserialize, Serialize};

use super::{
    CareService, ExpectedVersion, LivePrescription, base::answer::WriteAnswer, effects::demand,
    prescriptions::is_available_to,
};
use crate::{
    error::{Conflict, Error, Kind},
    model::{EveryDays, Invoice, Patch, Prescription, PrescriptionId, Quantity},
    operation::Operation,
    store::{Key, RecordKey, Versioned},
};

/// The fields of a supply that an update names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SupplyDetails {
    /// The units of one supply.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub quantity: Patch<Quantity>,
    /// The interval between supplies of a regular prescription, in days.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub every_days: Patch<EveryDays>,
}

impl CareService {
    /// Changes what the details name of the supply of an active prescription, and nothing else. The answer is
    /// the prescription, of which [`Prescription::supply`] tells the supply.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`]; [`Conflict::PrescriptionCompleted`]; [`Conflict::UnpaidInvoice`] when the
    /// quantity would change while an invoice is unpaid; the store's failures.
    pub async fn update_supply(
        &self,
        id: PrescriptionId,
        details: SupplyDetails,
        expected: ExpectedVersion,
    ) -> Result<Versioned<LivePrescription>, Error> {
        let today = self.today()?;
        self.write(self.request(Operation::UpdateSupply, (id, &details, &expected))?, move |draft| {
            draft.need([RecordKey::Prescription(id).into(), Key::UnpaidInvoice(id)])?;
            let found = expected.stored::<Prescription>(draft, Kind::Prescription, id)?;
            if !found.record.is_active() {
                return Err(Conflict::PrescriptionCompleted.into());
            }
            let SupplyDetails { quantity, every_days } = details;
            let quantity = quantity.over(found.record.quantity);
            let is_invoiced = draft.stored::<Invoice>(Key::UnpaidInvoice(id))?.is_some();
            if quantity != found.record.quantity && is_invoiced {
                return Err(Conflict::UnpaidInvoice.into());
            }
            let every_days = every_days.over(found.record.every_days);
            let updated = Prescription { quantity, every_days, ..found.record.clone() };
            demand::account(draft, (&found.record, is_invoiced), (&updated, is_invoiced))?;
            draft.put(updated.clone());
            let is_available = is_available_to(draft, &updated, today)?;
            let prescription = WriteAnswer::over(&found, updated);
            Ok(prescription.map(|prescription| LivePrescription { prescription, is_available }))
        })
        .await
    }
}
