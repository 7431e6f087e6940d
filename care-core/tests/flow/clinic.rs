//! A clinic for one test: a fresh store, a fixed clock, and short functions for the use cases.

use care_core::{
    audit,
    error::{Conflict, Error},
    model::{
        Currency, Disease, InvoiceId, InvoiceState, Item, ItemDetails, LotId, MedicineKey, MedicineName, Name, Patch,
        PatientDetails, PatientHistory, PatientId, PaymentMethod, Prescription, PrescriptionDetails, PrescriptionId,
        Price, Receipt, ShortText, StockDetails, Timestamp, UnitName,
    },
    service::{CareService, ExpectedVersion, NewConsultation, NewCorrection, NewPrescription, NewRefund, OpeningLot},
    store::{CareStore, Entry, Limit, MemoryStore, ReceiptFilter, RecordKind, Seq},
};
use futures_executor::block_on;

pub(crate) struct Clinic {
    pub(crate) care: CareService,
}

pub(crate) fn medicine(name: &str) -> MedicineName {
    MedicineName::new(name).unwrap()
}

pub(crate) fn named(name: &str) -> PatientDetails {
    PatientDetails { name: Name::new(name).unwrap().into(), ..PatientDetails::default() }
}

pub(crate) fn regular() -> PrescriptionDetails {
    PrescriptionDetails { is_regular: Patch::Set(true), ..PrescriptionDetails::default() }
}

pub(crate) fn text(text: &str) -> ShortText {
    ShortText::new(text).unwrap()
}

pub(crate) fn new(name: &str, details: PrescriptionDetails) -> NewPrescription {
    NewPrescription { details, ..NewPrescription::of(medicine(name)) }
}

impl Clinic {
    /// Opens a clinic on 15 March 2026 at noon, UTC.
    pub(crate) fn new() -> Self {
        Self::on(MemoryStore::new())
    }

    /// Opens a clinic on this store.
    pub(crate) fn on(store: impl CareStore + 'static) -> Self {
        let now: Timestamp = "2026-03-15T12:00:00Z".parse().unwrap();
        Self { care: CareService::new(store).with_clock(move || now) }
    }

    pub(crate) fn patient(&self) -> PatientId {
        block_on(self.care.register_patient(named("Ada Example"))).unwrap().patient_id
    }

    pub(crate) fn stock(&self, name: &str, is_available: bool) -> Item {
        let details = ItemDetails {
            is_available: Patch::Set(is_available),
            dosage: text("1-0-1").into(),
            price: Price::try_from(4).unwrap().into(),
            currency: Currency::new("EUR").unwrap().into(),
            ..ItemDetails::default()
        };
        block_on(self.care.add_item(medicine(name), details)).unwrap().record.item
    }

    pub(crate) fn prescribe(&self, patient: PatientId, name: &str) -> PrescriptionId {
        self.prescribe_as(patient, name, PrescriptionDetails::default())
    }

    pub(crate) fn prescribe_as(&self, patient: PatientId, name: &str, details: PrescriptionDetails) -> PrescriptionId {
        block_on(self.care.prescribe(patient, new(name, details))).unwrap().prescription.prescription_id
    }

    pub(crate) fn consult(
        &self,
        patient_id: PatientId,
        date: Option<&str>,
        diseases: &[&str],
        medicines: &[&str],
    ) -> Result<care_core::model::PatientConsultation, Error> {
        let recorded = self.care.record_consultation(
            NewConsultation::of(patient_id)
                .on(date.map(|date| date.parse().unwrap()))
                .diagnosing(diseases.iter().map(|disease| Disease::new(*disease).unwrap()))
                .prescribing(medicines.iter().map(|name| new(name, PrescriptionDetails::default()))),
        );
        block_on(recorded).map(|recorded| recorded.record)
    }

    pub(crate) fn bill(&self, prescription: PrescriptionId) -> InvoiceId {
        block_on(self.care.issue_invoice(prescription)).unwrap().invoice.invoice_id
    }

    pub(crate) fn pay(&self, invoice: InvoiceId) -> PatientHistory {
        block_on(self.care.pay_invoice(invoice)).unwrap().record
    }

    pub(crate) fn withdraw(&self, prescription: PrescriptionId) -> Result<(), Error> {
        block_on(self.care.withdraw_prescription(prescription, ExpectedVersion::Any))
    }

    pub(crate) fn cancel(&self, invoice: InvoiceId) -> Result<(), Error> {
        block_on(self.care.cancel_invoice(invoice, ExpectedVersion::Any))
    }

    pub(crate) fn void(&self, patient: PatientId) -> Result<(), Error> {
        block_on(self.care.void_patient(patient, ExpectedVersion::Any))
    }

    pub(crate) fn history(&self, patient: PatientId) -> PatientHistory {
        block_on(self.care.history(patient)).unwrap().record
    }

    pub(crate) fn journal(&self) -> Vec<Entry> {
        block_on(self.care.store().journal(Seq::ZERO, Limit::ALL)).unwrap().items
    }

    pub(crate) fn refund(&self, invoice: InvoiceId, new: NewRefund) -> Result<Receipt, Error> {
        block_on(self.care.refund_invoice(invoice, new, ExpectedVersion::Any)).map(|found| found.record)
    }

    pub(crate) fn correct(&self, receipt: i64, method: PaymentMethod) -> Result<Receipt, Error> {
        let id = receipt.try_into().unwrap();
        block_on(self.care.correct_receipt(id, NewCorrection { method, note: None })).map(|found| found.record)
    }

    pub(crate) fn state(&self, invoice: InvoiceId) -> InvoiceState {
        block_on(self.care.invoice(invoice)).unwrap().state
    }

    pub(crate) fn paid(&self, patient: PatientId, name: &str) -> (PrescriptionId, InvoiceId) {
        let prescription = self.prescribe(patient, name);
        let invoice = self.bill(prescription);
        self.pay(invoice);
        (prescription, invoice)
    }

    pub(crate) fn receipts(&self) -> Vec<Receipt> {
        let page = block_on(self.care.receipts(ReceiptFilter::default(), None, Limit::ALL)).unwrap();
        page.items.into_iter().map(|found| found.record).collect()
    }

    pub(crate) fn prescription(&self, id: PrescriptionId) -> Prescription {
        block_on(self.care.prescription(id)).unwrap().record.prescription
    }

    pub(crate) fn verified(&self) {
        block_on(audit::verify(self.care.store())).unwrap();
    }

    pub(crate) fn track(&self, name: &str) -> MedicineKey {
        let key = medicine(name).key().clone();
        self.stock(name, true);
        let opening = [("soon", "01/01/2090", 2), ("late", "01/01/2091", 9)];
        let opening = opening
            .map(|(text, expires, units)| OpeningLot { lot: lot(text, expires), units: units.try_into().unwrap() });
        let supply = 3.try_into().map(Patch::Set).unwrap();
        let details = StockDetails { supply_units: supply, ..StockDetails::default() };
        let unit = UnitName::new("tablets").unwrap();
        block_on(self.care.start_stock(key.clone(), unit, details, opening.into())).unwrap();
        key
    }

    pub(crate) fn on_hand(&self, key: &MedicineKey) -> i64 {
        block_on(self.care.stock(key.clone())).unwrap().stock.on_hand.value()
    }
}

pub(crate) fn lot(text: &str, expires: &str) -> LotId {
    LotId { lot: Some(text.to_owned().try_into().unwrap()), expires: expires.parse().ok() }
}

pub(crate) fn is_missing<T: std::fmt::Debug>(result: Result<T, Error>, kind: RecordKind) -> bool {
    matches!(result, Err(Error::NotFound(missing)) if missing == kind)
}

pub(crate) fn is_conflict<T: std::fmt::Debug>(result: Result<T, Error>, conflict: Conflict) -> bool {
    matches!(result, Err(Error::Conflict(found)) if found == conflict)
}
