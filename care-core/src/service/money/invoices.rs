//! Invoices, and the payment that completes the flow.

use serde::{Deserialize, Serialize};

use super::receipts;
use crate::{
    error::{Conflict, Error, StoreErrorKind},
    model::{
        Date, Invoice, InvoiceId, InvoiceState, OpenLot, Patient, PatientHistory, PaymentMethod, Prescription,
        PrescriptionId, PrescriptionState, Receipt, ReceiptKind,
    },
    operation::Operation,
    service::{
        CareService, ExpectedVersion, Page,
        base::{
            answer::{UseCaseAnswer, WriteAnswer},
            draft::Draft,
        },
        effects::{
            booking, completion, demand,
            history::{self, Head},
        },
    },
    store::{InvoiceFilter, Key, Limit, RecordKey, Series, Stop, Versioned},
};

/// The answer to issuing an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IssuedInvoice {
    /// The invoice.
    pub invoice: Versioned<Invoice>,
    /// Whether it was issued now; otherwise it was unpaid already.
    pub is_new: bool,
}

/// An [`IssuedInvoice`] as a reply keeps it.
#[derive(Debug, Serialize, Deserialize)]
struct Answer {
    invoice: Invoice,
    is_new: bool,
}

impl UseCaseAnswer for Answer {
    fn read(&self) -> Option<RecordKey> {
        self.invoice.read()
    }
}

impl CareService {
    /// Returns the invoice with this number (operation 1).
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn invoice(&self, id: InvoiceId) -> Result<Versioned<Invoice>, Error> {
        self.stored::<Invoice>(id).await
    }

    /// Returns a page of invoices by number, after the given one in the order of the filter.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn invoices(
        &self,
        filter: InvoiceFilter,
        after: Option<InvoiceId>,
        limit: impl Into<Limit>,
    ) -> Result<Page<Invoice>, Error> {
        self.page(Invoice::list(&filter, after), limit).await
    }

    /// Issues the invoice of an active prescription, or returns the one that is unpaid.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the prescription; [`Conflict::PrescriptionCompleted`]; [`Conflict::InsufficientStock`]
    /// when a tracked medicine is held or has fewer units to reserve; the store's failures.
    pub async fn issue_invoice(&self, id: PrescriptionId) -> Result<IssuedInvoice, Error> {
        let today = self.today();
        let companyaddress = self.facility.address.clone();
        let issued = self.write(self.request(Operation::IssueInvoice, id)?, move |draft| {
            let today = today.clone()?;
            let counter = RecordKey::Counter(Series::Invoice).into();
            draft.need([RecordKey::Prescription(id).into(), Invoice::unpaid(id).into(), counter])?;
            let prescription = draft.required::<Prescription>(id)?;
            if let Some(unpaid) = draft.stored(Invoice::unpaid(id))? {
                return Ok(WriteAnswer::Kept(unpaid.version, Answer { invoice: unpaid.record, is_new: false }));
            }
            if !prescription.is_active() {
                return Err(Conflict::PrescriptionCompleted.into());
            }
            let stock = RecordKey::Stock(prescription.medicine.key().clone());
            let counter = RecordKey::Counter(Series::Invoice);
            let records = [RecordKey::Patient(prescription.patient_id), stock, counter].map(Key::Record);
            // Recurring prescriptions do not wait.
            let waiting = (!prescription.is_regular()).then(|| demand::of_day(&prescription));
            let lots = OpenLot::of_medicine(prescription.medicine.key()).into();
            draft.need(records.into_iter().chain([lots]).chain(waiting))?;
            let patient = draft.required::<Patient>(prescription.patient_id)?;
            let patient = patient.on(today);
            let quantity = booking::reserve(draft, &prescription, today)?;
            demand::account(draft, Some((&prescription, false)), Some((&prescription, true)))?;
            let number = draft.next(Series::Invoice)?;
            let invoice = Invoice {
                invoice_id: InvoiceId::try_from(number).map_err(|_| Conflict::NoNumberLeft)?,
                prescription_id: id,
                patient_id: patient.patient_id,
                medicine: prescription.medicine,
                name: patient.name,
                age: patient.age,
                invoice_date: today,
                gender: patient.gender,
                phone: patient.phone,
                email: patient.email,
                companyaddress: companyaddress.clone(),
                dosage: prescription.dosage,
                price: prescription.price,
                currency: prescription.currency,
                state: InvoiceState::Unpaid,
                quantity,
                receipt_id: None,
                credit_note_id: None,
            };
            draft.put(invoice.clone());
            Ok(WriteAnswer::Put(Answer { invoice, is_new: true }))
        });
        let issued = issued.await?;
        Ok(IssuedInvoice { is_new: issued.is_new, invoice: issued.map(|answer| answer.invoice) })
    }

    /// Pays an invoice in cash, which completes the flow: the prescription is completed unless it recurs, and the first
    /// payment of a consultation counts the visit in the patient's history. The reserved units are handed out, first
    /// expired first out, and the receipt says who took the money and how. Paying again counts nothing, takes no units
    /// and gives no receipt, whatever the method.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Conflict::InvoiceRefunded`]; [`Conflict::InsufficientStock`] when the medicine is held or
    /// has too few usable units by now; [`Conflict::TakingsFull`]; the store's failures.
    pub async fn pay_invoice(&self, id: InvoiceId) -> Result<Versioned<PatientHistory>, Error> {
        self.pay_invoice_by(id, PaymentMethod::default()).await
    }

    /// Pays an invoice by a method; [`pay_invoice`](Self::pay_invoice) says the rest.
    ///
    /// # Errors
    /// Those of [`pay_invoice`](Self::pay_invoice).
    pub async fn pay_invoice_by(
        &self,
        id: InvoiceId,
        method: PaymentMethod,
    ) -> Result<Versioned<PatientHistory>, Error> {
        let today = self.today();
        let holder = self.holder();
        let paid = self.write(self.request(Operation::PayInvoice, (id, method))?, move |draft| {
            let today = today.clone()?;
            let invoice = ExpectedVersion::Any.stored::<Invoice>(draft, id)?.record;
            if invoice.state == InvoiceState::Refunded {
                return Err(Conflict::InvoiceRefunded.into());
            }
            let patient_id = invoice.patient_id;
            let records = [RecordKey::Patient(patient_id), RecordKey::History(patient_id)].map(Key::Record);
            let receipt = receipts::of_invoice(&invoice, ReceiptKind::Payment, today, holder.clone());
            let receipt = (invoice.state == InvoiceState::Unpaid).then_some(Receipt { method, ..receipt });
            let settled = receipt.as_ref().map(|receipt| settled(&invoice, receipt, today));
            draft.need(records.into_iter().chain(settled.into_iter().flatten()))?;
            let before = history::stored(draft.seen(), patient_id)?;
            if let Some(receipt) = receipt {
                settle(draft, invoice, receipt, today)?;
            }
            let patient = draft.required::<Patient>(patient_id)?;
            Ok(WriteAnswer::over(&before, Head::of(history::of(draft, patient_id)?, &patient)))
        });
        let Versioned { version, record } = paid.await?;
        // The payment is committed, so a failure here must not look like a refusal: a client that repeats the request
        // is answered, and does not pay twice.
        let record = self.with_diseases(record).await.map_err(|_| Error::Store(StoreErrorKind::Unknown.into()))?;
        Ok(Versioned { version, record })
    }

    /// Cancels an unpaid invoice. Its number stays used.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`], [`Conflict::InvoicePaid`], [`Conflict::InvoiceRefunded`], and the store's
    /// failures.
    pub async fn cancel_invoice(&self, id: InvoiceId, expected: ExpectedVersion) -> Result<(), Error> {
        self.remove_record(self.request(Operation::CancelInvoice, (id, &expected))?, move |draft| {
            let invoice = expected.stored::<Invoice>(draft, id)?.record;
            match invoice.state {
                InvoiceState::Unpaid => cancel(draft, &invoice),
                InvoiceState::Paid => Err(Conflict::InvoicePaid.into()),
                InvoiceState::Refunded => Err(Conflict::InvoiceRefunded.into()),
            }
        })
        .await
    }
}

/// Removes an unpaid invoice, and releases its reserved units.
pub(in crate::service) fn cancel(draft: &mut Draft<'_>, invoice: &Invoice) -> Result<(), Stop> {
    booking::give_back(draft, invoice)?;
    if let Some(prescription) = draft.get::<Prescription>(invoice.prescription_id)? {
        demand::account(draft, Some((&prescription, true)), Some((&prescription, false)))?;
    }
    draft.remove(RecordKey::Invoice(invoice.invoice_id));
    Ok(())
}

/// Returns the keys that [`settle`] needs for an invoice, beside those that the prescription leads to.
fn settled(invoice: &Invoice, receipt: &Receipt, today: Date) -> Vec<Key> {
    let prescription = RecordKey::Prescription(invoice.prescription_id).into();
    let moved = invoice.quantity.map(|_| booking::moving(invoice.medicine.key(), today));
    let receipt = receipts::entering(receipt);
    std::iter::once(prescription).chain(receipt).chain(moved.into_iter().flatten()).collect()
}

/// Carries out the effects of paying an unpaid invoice.
fn settle(draft: &mut Draft<'_>, invoice: Invoice, receipt: Receipt, today: Date) -> Result<(), Stop> {
    let before = draft.required::<Prescription>(invoice.prescription_id)?;
    let consultation = before.consultation_id;
    let records = [RecordKey::Consultation(consultation), RecordKey::Diagnosis(consultation)].map(Key::Record);
    draft.need(records.into_iter().chain([demand::of_day(&before)]))?;
    let mut after = Prescription { dispensed: true, ..before.clone() };
    if !after.is_regular() {
        after.state = PrescriptionState::Completed;
    }
    booking::hand_out(draft, &invoice, before.is_regular(), today)?;
    demand::account(draft, Some((&before, true)), Some((&after, false)))?;
    completion::paid(draft, after.consultation_id)?;
    draft.put(after);

    let patient_id = invoice.patient_id;
    let mut history = history::of(draft, patient_id)?;
    history.medicine = Some(invoice.medicine.clone());
    history.dosage = invoice.dosage.clone();
    draft.put(history);
    let receipt_id = Some(receipts::enter(draft, receipt, None)?.receipt_id);
    draft.put(Invoice { state: InvoiceState::Paid, receipt_id, ..invoice });
    Ok(())
}
