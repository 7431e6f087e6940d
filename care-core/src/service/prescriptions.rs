//! Prescriptions, and their quantities and intervals.

use super::{
    CareService, ExpectedVersion, LivePrescription, Page,
    base::{
        answer::WriteAnswer,
        draft::Draft,
        live::{self, need_usable, usable},
        new_values::{refuse, too_high},
    },
    effects::{completion, demand},
};
use crate::{
    error::{Conflict, Error},
    kinds::RecordKind,
    model::{
        Date, Invoice, Item, MedicineKey, PatientId, Prescription, PrescriptionDetails, PrescriptionId, Stock, Supply,
        SupplyDetails,
    },
    operation::Operation,
    store::{Ask, Limit, PrescriptionFilter, RecordKey, Seen, Stop, Versioned},
};

impl CareService {
    /// Returns the prescription with this number (operation 5).
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn prescription(&self, id: PrescriptionId) -> Result<Versioned<LivePrescription>, Error> {
        let today = self.today();
        self.ask(|seen| {
            let found = seen.get::<Prescription>(id)?.ok_or(Error::NotFound(RecordKind::Prescription))?;
            let is_available = is_available(seen, found.record, &today)?;
            let found = seen.take::<Prescription>(id)?.ok_or(Error::NotFound(RecordKind::Prescription))?;
            Ok(found.map(|prescription| LivePrescription { prescription, is_available }))
        })
        .await
    }

    /// Returns a page of prescriptions by number, after the given one.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn prescriptions(
        &self,
        filter: PrescriptionFilter,
        after: Option<PrescriptionId>,
        limit: impl Into<Limit>,
    ) -> Result<Page<LivePrescription>, Error> {
        let page = self.page(Prescription::list(&filter, after), limit).await?;
        self.with_availability(page).await
    }

    /// Adds to each prescription of a page whether it is available now.
    pub(super) async fn with_availability(
        &self,
        Page { items, more }: Page<Prescription>,
    ) -> Result<Page<LivePrescription>, Error> {
        let today = self.today();
        let availability = self.ask_in_parts(&items, |seen, some| {
            let stocks = some.iter().map(|found| stock_or_item(&found.record));
            if let Ok(today) = today {
                need_usable(seen, stocks, today)?;
            }
            let mut short = Vec::new();
            for Versioned { record, .. } in some {
                let Some(stock) = seen.one(stock_or_item(record))? else { continue };
                let usable = usable(seen, &stock, today.clone()?)?;
                if live::is_available_without_invoice(record, &stock, usable).is_none() {
                    short.push(Invoice::unpaid(record.prescription_id).into());
                }
            }
            seen.need(short)?;
            some.iter().map(|found| is_available(seen, &found.record, &today)).collect()
        });
        let availability = availability.await?;
        let live = items
            .into_iter()
            .zip(availability)
            .map(|(found, is_available)| found.map(|prescription| LivePrescription { prescription, is_available }));
        Ok(Page { items: live.collect(), more })
    }

    /// Changes the fields that the details name of the patient's prescription for a medicine (operation 6): the active
    /// one, or without one the newest.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a new price above the facility's highest; [`Error::NotFound`], [`Error::Stale`], and the
    /// store's failures.
    pub async fn update_prescription(
        &self,
        patient_id: PatientId,
        medicine: MedicineKey,
        details: PrescriptionDetails,
        expected: ExpectedVersion,
    ) -> Result<Versioned<LivePrescription>, Error> {
        let today = self.today();
        let highest_price = self.facility.highest_price;
        self.write(
            self.request(Operation::UpdatePrescription, (patient_id, &medicine, &details, &expected))?,
            move |draft| {
                let today = today.clone()?;
                let active = draft.stored(Prescription::active(patient_id, &medicine))?;
                let found = match active {
                    Some(active) => Some(active),
                    None => draft.stored(Prescription::newest(patient_id, &medicine))?,
                };
                let stored = found.as_ref().map(|found| &found.record);
                let high = too_high(details.price, stored.and_then(|stored| stored.price), highest_price);
                refuse(details.faults(stored).into_iter().chain(high))?;
                let found = expected.found(found)?;
                let updated = found.record.clone().with(details.clone());
                let is_invoiced = updated.is_regular() != found.record.is_regular()
                    && draft.stored(Invoice::unpaid(updated.prescription_id))?.is_some();
                replace(draft, &found, (updated, is_invoiced), today)
            },
        )
        .await
    }

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
        let today = self.today();
        self.write(self.request(Operation::UpdateSupply, (id, &details, &expected))?, move |draft| {
            let today = today.clone()?;
            draft.need([RecordKey::Prescription(id).into(), Invoice::unpaid(id).into()])?;
            let found = expected.stored::<Prescription>(draft, id)?;
            if !found.record.is_active() {
                return Err(Conflict::PrescriptionCompleted.into());
            }
            let stored = found.record.supply();
            refuse(details.faults(Some(&stored)))?;
            let Supply { prescription_id: _, quantity, every_days } = stored.with(details.clone());
            let is_invoiced = draft.stored(Invoice::unpaid(id))?.is_some();
            if quantity != found.record.quantity && is_invoiced {
                return Err(Conflict::UnpaidInvoice.into());
            }
            let updated = Prescription { quantity, every_days, ..found.record.clone() };
            replace(draft, &found, (updated, is_invoiced), today)
        })
        .await
    }

    /// Withdraws a prescription (operation 7): it stays in the journal, and appears in no answer.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`], [`Conflict::UnpaidInvoice`], and the store's failures.
    pub async fn withdraw_prescription(&self, id: PrescriptionId, expected: ExpectedVersion) -> Result<(), Error> {
        self.remove_record(self.request(Operation::DeletePrescription, (id, &expected))?, move |draft| {
            let found = expected.stored::<Prescription>(draft, id)?;
            if draft.stored(Invoice::unpaid(id))?.is_some() {
                return Err(Conflict::UnpaidInvoice.into());
            }
            demand::account(draft, Some((&found.record, false)), None)?;
            draft.remove(RecordKey::Prescription(id));
            completion::without(draft, &found.record)
        })
        .await
    }
}

/// Puts a prescription, and whether it has an unpaid invoice, in the place of the stored one.
fn replace(
    draft: &mut Draft<'_>,
    stored: &Versioned<Prescription>,
    (updated, is_invoiced): (Prescription, bool),
    today: Date,
) -> Result<WriteAnswer<LivePrescription>, Stop> {
    demand::account(draft, Some((&stored.record, is_invoiced)), Some((&updated, is_invoiced)))?;
    draft.put(updated.clone());
    let is_available = is_available_to(draft, &updated, today)?;
    let answer = WriteAnswer::over(stored, updated);
    Ok(answer.map(|prescription| LivePrescription { prescription, is_available }))
}

/// Returns whether the medicine is available for a prescription, with the unpaid invoice that is stored.
pub(super) fn is_available_to(draft: &Draft<'_>, prescription: &Prescription, today: Date) -> Result<bool, Stop> {
    let medicine = prescription.medicine.key();
    draft.need([RecordKey::Item(medicine.clone()).into(), RecordKey::Stock(medicine.clone()).into()])?;
    match draft.get::<Stock>(medicine.clone())? {
        Some(stock) => is_available_of(draft.seen(), prescription, &stock, today),
        None => Ok(draft.get::<Item>(medicine.clone())?.is_some_and(|item| item.is_available)),
    }
}

/// [`is_available_to`] for a question, which loads no more than one of stock and item.
fn is_available(seen: &Seen, prescription: &Prescription, today: &Result<Date, Error>) -> Result<bool, Stop> {
    match seen.one(stock_or_item(prescription))? {
        Some(stock) => is_available_of(seen, prescription, stock.record, today.clone()?),
        None => Ok(seen
            .one(Item::without_stock(prescription.medicine.key().clone()))?
            .is_some_and(|item| item.record.is_available)),
    }
}

/// Returns whether this stock is available for a prescription.
fn is_available_of(seen: &Seen, prescription: &Prescription, stock: &Stock, today: Date) -> Result<bool, Stop> {
    let usable = usable(seen, stock, today)?;
    if let Some(is_available) = live::is_available_without_invoice(prescription, stock, usable) {
        return Ok(is_available);
    }
    let unpaid = seen.one(Invoice::unpaid(prescription.prescription_id))?;
    Ok(live::is_available_for_payment(unpaid.map(|unpaid| unpaid.record), usable))
}

fn stock_or_item(prescription: &Prescription) -> Ask<Option<Versioned<Stock>>> {
    Stock::or_item(prescription.medicine.key().clone())
}
