//! Refunds: the money back in full, and what goes with it (money.md, 4).

use care_derive::Record;

use super::receipts::{enter, entering, method_of, of_invoice};
use crate::{
    error::{Conflict, Error},
    model::{
        Amount, CreditNoteId, Date, Dispensing, History, Invalid, Invoice, InvoiceId, InvoiceState, MovementKind, Note,
        PaymentMethod, Prescription, PrescriptionState, Receipt, ReceiptKind, RefundReason, Units,
    },
    operation::Operation,
    service::{
        CareService, ExpectedVersion, LiveStock,
        base::{answer::WriteAnswer, draft::Draft, new_values::refuse},
        effects::{
            booking::{Booking, HandOver, book, moving},
            demand,
        },
    },
    stock::apply,
    store::{Key, RecordKey, Series, Stop, Versioned},
};

/// A refund in full.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(body, judged, document = "RefundInput", root = "Refund")]
pub struct NewRefund {
    /// The reason; `other` needs a note.
    pub reason: RefundReason,
    /// A note.
    #[field(example = "paid twice")]
    pub note: Option<Note>,
    /// The method, that of the payment as corrected unless given.
    pub method: Option<PaymentMethod>,
    /// Whether the units that are still out come back, into their lots.
    #[field(example = false, default = false)]
    #[serde(default)]
    pub restock: bool,
    /// Whether the prescription can be invoiced again; not for a regular one.
    #[field(default = false)]
    #[serde(default)]
    pub reopen: bool,
}

impl NewRefund {
    /// Returns a refund for this reason, and nothing else.
    pub const fn of(reason: RefundReason) -> Self {
        Self { reason, note: None, method: None, restock: false, reopen: false }
    }

    /// Returns the field that breaks a rule together with others.
    pub(crate) fn fault(&self) -> Option<(&'static str, Invalid)> {
        let is_mute = self.reason == RefundReason::Other && self.note.is_none();
        is_mute.then_some(("note", Invalid("is required when the reason is other")))
    }
}

impl CareService {
    /// Refunds a paid invoice in full, once and for good, with a credit note. Visits stay, and so do the units that
    /// were handed out and the prescription, unless the refund says otherwise.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the reason needs a note; [`Error::NotFound`], [`Error::Stale`];
    /// [`Conflict::InvoiceUnpaid`], [`Conflict::AlreadyRefunded`]; [`Conflict::NotReopenable`];
    /// [`Conflict::NotDispensed`], [`Conflict::TooManyLots`], [`Conflict::TooMuchStock`]; [`Conflict::TakingsFull`];
    /// the store's failures.
    pub async fn refund_invoice(
        &self,
        id: InvoiceId,
        new: NewRefund,
        expected: ExpectedVersion,
    ) -> Result<Versioned<Receipt>, Error> {
        let today = self.today();
        let holder = self.holder();
        // A repetition is answered before `If-Match` is looked at, so the version is no part of the request.
        self.write(self.request(Operation::RefundInvoice, (id, &new))?, move |draft| {
            refuse(new.fault())?;
            let today = today.clone()?;
            let invoice = expected.stored::<Invoice>(draft, id)?.record;
            match invoice.state {
                InvoiceState::Unpaid => return Err(Conflict::InvoiceUnpaid.into()),
                InvoiceState::Refunded => return Err(Conflict::AlreadyRefunded.into()),
                InvoiceState::Paid => {}
            }
            let mut receipt = of_invoice(&invoice, ReceiptKind::Refund, today, holder.clone());
            draft.need(touched(&invoice, &receipt, &new, today))?;
            if new.reopen {
                reopen(draft, &invoice)?;
            }
            if new.restock {
                restock(draft, &invoice, today)?;
            }
            forget(draft, &invoice)?;
            let note = CreditNoteId::try_from(draft.next(Series::CreditNote)?).map_err(|_| Conflict::NoNumberLeft)?;
            receipt.credit_note_id = Some(note);
            receipt.method = match new.method {
                Some(method) => method,
                None => paid_by(draft, &invoice)?,
            };
            (receipt.reason, receipt.note) = (Some(new.reason), new.note.clone());
            let receipt = enter(draft, receipt, None)?;
            draft.put(Invoice { state: InvoiceState::Refunded, credit_note_id: Some(note), ..invoice });
            Ok(WriteAnswer::Put(receipt))
        })
        .await
    }
}

/// Returns the keys of what a refund touches.
fn touched(invoice: &Invoice, receipt: &Receipt, new: &NewRefund, today: Date) -> impl Iterator<Item = Key> + use<> {
    let Invoice { patient_id, prescription_id, .. } = *invoice;
    let mut keys = vec![
        RecordKey::History(patient_id).into(),
        Invoice::last_paid(patient_id).into(),
        RecordKey::Counter(Series::CreditNote).into(),
    ];
    keys.extend(entering(receipt));
    if new.method.is_none() {
        keys.extend(invoice.receipt_id.map(|payment| RecordKey::Receipt(payment).into()));
        keys.extend(invoice.receipt_id.map(|payment| Receipt::last_correction(payment).into()));
    }
    if new.reopen {
        keys.push(RecordKey::Prescription(prescription_id).into());
    }
    if new.restock && invoice.quantity.is_some() {
        keys.push(RecordKey::Dispensing(invoice.invoice_id).into());
        keys.extend(moving(invoice.medicine.key(), today));
    }
    keys.into_iter()
}

/// Makes a prescription active again, so that it can be invoiced anew.
fn reopen(draft: &mut Draft<'_>, invoice: &Invoice) -> Result<(), Stop> {
    let id = invoice.prescription_id;
    let before = draft.get::<Prescription>(id)?.ok_or(Conflict::NotReopenable)?;
    // A payment does not complete a regular one; it may have become regular since.
    if before.is_regular() && before.is_active() {
        return Ok(());
    }
    let patient = before.patient_id;
    let (active, all) = (Prescription::active(patient, before.medicine.key()), Prescription::count_active(patient));
    let (paid, unpaid) = (Invoice::paid(id), Invoice::unpaid(id));
    let counted = demand::of_day(&before);
    draft.need([active.clone().into(), all.clone().into(), paid.clone().into(), unpaid.clone().into(), counted])?;
    let stands = draft.all(paid)?.iter().any(|other| other.invoice_id != invoice.invoice_id);
    let is_in_the_way = !before.is_active()
        && (draft.stored(active)?.is_some() || draft.seen().count(all)? >= Prescription::MAX_ACTIVE);
    if stands || is_in_the_way {
        return Err(Conflict::NotReopenable.into());
    }
    let is_invoiced = draft.stored(unpaid)?.is_some();
    let after = Prescription { state: PrescriptionState::Active, dispensed: false, ..before.clone() };
    demand::account(draft, Some((&before, is_invoiced)), Some((&after, is_invoiced)))?;
    draft.put(after);
    Ok(())
}

/// Brings the units of an invoice that are still out back into their lots.
fn restock(draft: &mut Draft<'_>, invoice: &Invoice, today: Date) -> Result<(), Stop> {
    let Invoice { invoice_id, prescription_id, .. } = *invoice;
    invoice.quantity.ok_or(Conflict::NotDispensed)?;
    let mut dispensing = draft.get::<Dispensing>(invoice_id)?.ok_or(Conflict::NotDispensed)?;
    let tracked = LiveStock::of(draft, dispensing.medicine.key(), today)?;
    // Of a medicine that is tracked anew since, nothing is out.
    let tracked = tracked.filter(|tracked| tracked.stock.tracked_since == dispensing.tracked_since);
    let mut tracked = tracked.ok_or(Conflict::NotDispensed)?;
    let mut steps = Vec::new();
    for lot in &mut dispensing.lots {
        if let Ok(out) = Units::try_from(lot.units.value() - lot.returned.value()) {
            steps.push(apply(&mut tracked.shelf, lot.id.clone(), out.added())?);
            lot.returned = Amount::clamped(lot.units.value());
        }
    }
    if steps.is_empty() {
        return Err(Conflict::NotDispensed.into());
    }
    let handed = HandOver { invoice_id, prescription_id, is_regular: dispensing.is_regular };
    draft.put(dispensing);
    for step in steps {
        let booking = Booking { invoice: Some(handed), ..Booking::of(MovementKind::Return) };
        book(draft, &mut tracked, step, booking)?;
    }
    Ok(())
}

/// Writes into the history what the last payment that still stands was for. A patient who was voided has none.
fn forget(draft: &mut Draft<'_>, refunded: &Invoice) -> Result<(), Stop> {
    let patient = refunded.patient_id;
    let Some(history) = draft.get::<History>(patient)? else {
        return Ok(());
    };
    let paid = draft.all(Invoice::last_paid(patient))?;
    let last = paid.into_iter().find(|paid| paid.invoice_id != refunded.invoice_id);
    let (medicine, dosage) = last.map_or((None, None), |last| (Some(last.medicine), last.dosage));
    draft.put(History { medicine, dosage, ..history });
    Ok(())
}

/// Returns the method by which an invoice was paid, as corrected.
fn paid_by(draft: &Draft<'_>, invoice: &Invoice) -> Result<PaymentMethod, Stop> {
    match invoice.receipt_id.map(|payment| draft.get::<Receipt>(payment)).transpose()?.flatten() {
        Some(payment) => method_of(draft, &payment),
        None => Ok(PaymentMethod::default()),
    }
}
