//! The quantity and the interval of prescriptions.

use super::{
    CareService, ExpectedVersion, LivePrescription,
    base::{answer::WriteAnswer, new_values::NewValues},
    effects::demand,
    prescriptions::is_available_to,
};
use crate::{
    error::{Conflict, Error, Kind},
    model::{Invoice, Prescription, PrescriptionId, Supply, SupplyDetails},
    operation::Operation,
    store::{RecordKey, Versioned},
};

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
            draft.need([RecordKey::Prescription(id).into(), Invoice::unpaid(id).into()])?;
            let found = expected.stored::<Prescription>(draft, Kind::Prescription, id)?;
            if !found.record.is_active() {
                return Err(Conflict::PrescriptionCompleted.into());
            }
            let stored = found.record.supply();
            NewValues::default().of_supply(&details, &stored)?;
            let Supply { prescription_id: _, quantity, every_days } = stored.with(details.clone());
            let is_invoiced = draft.stored(Invoice::unpaid(id))?.is_some();
            if quantity != found.record.quantity && is_invoiced {
                return Err(Conflict::UnpaidInvoice.into());
            }
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
