//! Pages of lists.

use crate::{
    error::Error,
    model::{
        ConsultationId, Invoice, InvoiceId, MedicineKey, Movement, MovementId, Patient, PatientConsultation, PatientId,
        PrescriptionId, Receipt, ReceiptId,
    },
    service::{CareService, LiveItem, LivePrescription, LiveStock},
    store::{Entity, Limit, Query, Versioned},
};

/// One page of a list.
///
/// ```
/// use care_core::{CareService, MemoryStore, model::PatientDetails, store::PatientFilter};
///
/// # futures_executor::block_on(async {
/// # let care = CareService::new(MemoryStore::new());
/// # for _ in 0..3 {
/// #     care.register_patient(PatientDetails::default()).await?;
/// # }
/// let (mut all, mut after) = (Vec::new(), None);
/// loop {
///     let page = care.patients(PatientFilter::default(), after, 2).await?;
///     after = page.cursor();
///     all.extend(page.items);
///     if after.is_none() {
///         break;
///     }
/// }
/// assert_eq!(all.len(), 3);
/// # Ok::<(), care_core::Error>(())
/// # })?;
/// # Ok::<(), care_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The records, in the list's order.
    pub items: Vec<Versioned<T>>,
    /// Whether more records follow.
    pub more: bool,
}

/// A record that lists hold.
pub trait PageElement {
    /// The cursor of a page.
    type Cursor;

    /// Returns what a page that goes on behind this record begins after.
    fn cursor(&self) -> Self::Cursor;
}

impl<T: PageElement> Page<T> {
    /// Returns what the next page begins after, or `None` when this one is the last.
    pub fn cursor(&self) -> Option<T::Cursor> {
        self.items.last().filter(|_| self.more).map(|last| last.record.cursor())
    }
}

/// Says of each record in a list which of its fields the list is ordered by.
macro_rules! listed {
    ($($name:ident: $record:ident => $cursor:ty = $of:expr;)*) => {
        $(impl PageElement for $name {
            type Cursor = $cursor;

            fn cursor(&self) -> $cursor {
                let $record = self;
                $of
            }
        })*
    };
}

listed! {
    Patient: patient => PatientId = patient.patient_id;
    LivePrescription: live => PrescriptionId = live.prescription.prescription_id;
    PatientConsultation: consultation => ConsultationId = consultation.consultation_id;
    Invoice: invoice => InvoiceId = invoice.invoice_id;
    LiveItem: live => MedicineKey = live.item.medicine.key().clone();
    LiveStock: live => MedicineKey = live.stock.medicine.key().clone();
    Movement: movement => MovementId = movement.movement_id;
    Receipt: receipt => ReceiptId = receipt.receipt_id;
}

impl CareService {
    /// Returns the first records of a query, as many as the limit allows.
    pub(crate) async fn page<E: Entity>(&self, query: Query, limit: Limit) -> Result<Page<E>, Error> {
        let found = self.store.list(&query, limit).await?;
        let typed = |found: Versioned<_>| {
            E::try_from_record(found.record).map(|record| Versioned { version: found.version, record })
        };
        Ok(Page { items: found.items.into_iter().filter_map(typed).collect(), more: found.more })
    }
}
