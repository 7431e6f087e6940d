//! Receipts, and the correction of a method.

use care_derive::Record;

use crate::{
    error::{Conflict, Error},
    model::{Date, Invoice, Note, PaymentMethod, Receipt, ReceiptId, ReceiptKind, Takings, TakingsKey},
    operation::Operation,
    service::{
        CareService, Page,
        base::{answer::WriteAnswer, draft::Draft},
    },
    store::{Key, Limit, ReceiptFilter, RecordKey, Series, Stop, Versioned},
};

/// The correction of a method.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(body, document = "CorrectionInput", root = "Correction")]
pub struct NewCorrection {
    /// The method that should have been keyed.
    #[field(example = "card")]
    pub method: PaymentMethod,
    /// A note.
    #[field(example = "paid twice")]
    pub note: Option<Note>,
}

impl CareService {
    /// Returns the receipt with this number (money.md, 3).
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn receipt(&self, id: ReceiptId) -> Result<Versioned<Receipt>, Error> {
        self.stored::<Receipt>(id).await
    }

    /// Returns a page of receipts by number, after the given one.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn receipts(
        &self,
        filter: ReceiptFilter,
        after: Option<ReceiptId>,
        limit: impl Into<Limit>,
    ) -> Result<Page<Receipt>, Error> {
        self.page(Receipt::list(&filter, after), limit).await
    }

    /// Corrects the method of a payment or a refund, as often as it takes. The correction counts for its own day and
    /// holder.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Conflict::NotCorrectable`] for a correction; [`Error::Invalid`] when the method holds
    /// already; [`Conflict::TakingsFull`]; the store's failures.
    pub async fn correct_receipt(&self, id: ReceiptId, new: NewCorrection) -> Result<Versioned<Receipt>, Error> {
        let today = self.today();
        let holder = self.holder();
        self.write(self.request(Operation::CorrectReceipt, (id, &new))?, move |draft| {
            let today = today.clone()?;
            draft.need([RecordKey::Receipt(id).into(), Receipt::last_correction(id).into()])?;
            let corrected = draft.required::<Receipt>(id)?;
            if corrected.kind == ReceiptKind::Correction {
                return Err(Conflict::NotCorrectable.into());
            }
            let held = method_of(draft, &corrected)?;
            if held == new.method {
                return Err(Error::field("method", "must be another one than holds already").into());
            }
            let receipt = Receipt {
                kind: ReceiptKind::Correction,
                credit_note_id: None,
                corrects: Some(id),
                method: new.method,
                from_method: Some(held),
                day: today,
                holder: holder.clone(),
                reason: None,
                note: new.note.clone(),
                ..corrected.clone()
            };
            draft.need(entering(&receipt))?;
            Ok(WriteAnswer::Put(enter(draft, receipt, Some(corrected.kind))?))
        })
        .await
    }

    /// Returns the name that receipts have as their holder: the actor's.
    pub(super) fn holder(&self) -> Box<str> {
        Box::from(&*self.actor)
    }
}

/// Returns the receipt of an invoice's payment or refund, whose number it gets when it is [entered](enter).
pub(super) fn of_invoice(invoice: &Invoice, kind: ReceiptKind, day: Date, holder: Box<str>) -> Receipt {
    Receipt {
        receipt_id: ReceiptId::FIRST,
        kind,
        invoice_id: invoice.invoice_id,
        credit_note_id: None,
        corrects: None,
        method: PaymentMethod::default(),
        from_method: None,
        amount: invoice.price,
        currency: invoice.currency,
        day,
        holder,
        reason: None,
        note: None,
    }
}

/// Returns the keys that [`enter`] needs for a receipt.
pub(super) fn entering(receipt: &Receipt) -> [Key; 2] {
    [RecordKey::Counter(Series::Receipt), RecordKey::Takings(TakingsKey::of(receipt))].map(Key::Record)
}

/// Enters a receipt into the ledger, under the next number, and into the takings of its day and holder. `corrected` is
/// the kind of the receipt that a correction corrects.
pub(super) fn enter(draft: &mut Draft<'_>, receipt: Receipt, corrected: Option<ReceiptKind>) -> Result<Receipt, Stop> {
    let key = TakingsKey::of(&receipt);
    let mut takings = draft.get::<Takings>(key.clone())?.unwrap_or_else(|| Takings::new(key));
    takings.count(&receipt, corrected).map_err(|_| Conflict::TakingsFull)?;
    let number = draft.next(Series::Receipt)?;
    let receipt_id = ReceiptId::try_from(number).map_err(|_| Conflict::NoNumberLeft)?;
    let receipt = Receipt { receipt_id, ..receipt };
    draft.put(receipt.clone());
    draft.put(takings);
    Ok(receipt)
}

/// Returns the method that holds for a payment or a refund: that of its last correction, if there is one.
pub(super) fn method_of(draft: &Draft<'_>, receipt: &Receipt) -> Result<PaymentMethod, Stop> {
    let corrected = draft.stored(Receipt::last_correction(receipt.receipt_id))?;
    Ok(corrected.map_or(receipt.method, |correction| correction.method))
}
