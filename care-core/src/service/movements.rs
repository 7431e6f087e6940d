//! Movements of stock other than by payments.

use serde::{Serialize, Serializer};

use super::{
    CareService, LiveStock, Page,
    base::answer::WriteAnswer,
    effects::booking::{Booking, HandOver, book, moving},
};
use crate::{
    error::{Conflict, Error, Kind},
    model::{
        Amount, Currency, Dispensing, Invoice, InvoiceId, LotId, MedicineKey, Movement, MovementId, MovementKind,
        MovementReason, Note, Price, Units,
    },
    operation::Operation,
    stock::apply,
    store::{Limit, MovementFilter, RecordKey, Versioned},
};

/// A new movement of units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum NewMovement {
    /// Units arrive.
    Receipt {
        /// The lot, which joins an open one of the same identity.
        #[serde(flatten)]
        lot: LotId,
        /// The number of units.
        units: Units,
        /// Their total cost.
        #[serde(flatten, serialize_with = "priced")]
        cost: Option<(Price, Currency)>,
        /// A note.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<Note>,
    },
    /// Units that an invoice took come back.
    Return {
        /// The lot from which they were taken.
        #[serde(flatten)]
        lot: LotId,
        /// The number of units.
        units: Units,
        /// The invoice.
        invoice_id: InvoiceId,
        /// A note.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<Note>,
    },
    /// Units leave.
    Removal {
        /// The lot.
        #[serde(flatten)]
        lot: LotId,
        /// The number of units.
        units: Units,
        /// The reason. [`MovementReason::Other`] needs a note; [`MovementReason::Opening`] and
        /// [`MovementReason::Count`] are reasons of adjustments.
        reason: MovementReason,
        /// A note.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<Note>,
    },
}

/// Writes a cost as the members of its movement.
fn priced<S: Serializer>(cost: &Option<(Price, Currency)>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Cost {
        cost: Price,
        currency: Currency,
    }
    cost.map(|(cost, currency)| Cost { cost, currency }).serialize(serializer)
}

impl CareService {
    /// Returns the movement with this number.
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn movement(&self, id: MovementId) -> Result<Versioned<Movement>, Error> {
        self.ask(|seen| Ok(seen.take::<Movement>(id)?.ok_or(Error::NotFound(Kind::Movement))?)).await
    }

    /// Returns a page of movements by number, after the given one.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn movements(
        &self,
        filter: MovementFilter,
        after: Option<MovementId>,
        limit: impl Into<Limit>,
    ) -> Result<Page<Movement>, Error> {
        self.page(Movement::list(&filter, after), limit).await
    }

    /// Moves units to the shelf or from it.
    ///
    /// # Errors
    /// [`Error::Invalid`] when a receipt is already expired, or a removal has a reason of another kind or lacks its
    /// note; [`Error::NotFound`] for the stock and the invoice; [`Conflict::NotDispensed`],
    /// [`Conflict::InsufficientStock`], [`Conflict::TooManyLots`], [`Conflict::TooMuchStock`]; the store's failures.
    pub async fn move_stock(&self, medicine: MedicineKey, new: NewMovement) -> Result<Versioned<Movement>, Error> {
        let today = self.today()?;
        match &new {
            NewMovement::Receipt { lot, .. } if lot.expires.is_some_and(|expires| expires < today) => {
                return Err(Error::field("expires", "must not be before today"));
            }
            NewMovement::Removal { reason: MovementReason::Opening | MovementReason::Count, .. } => {
                return Err(Error::field("reason", "must be expired, damaged, lost, recalled, supplier or other"));
            }
            NewMovement::Removal { reason: MovementReason::Other, note: None, .. } => {
                return Err(Error::field("note", "is required when the reason is other"));
            }
            NewMovement::Receipt { .. }
            | NewMovement::Return { .. }
            | NewMovement::Removal {
                reason:
                    MovementReason::Expired
                    | MovementReason::Damaged
                    | MovementReason::Lost
                    | MovementReason::Recalled
                    | MovementReason::Supplier
                    | MovementReason::Other,
                ..
            } => {}
        }
        self.write(self.request(Operation::MoveStock, (&medicine, &new))?, move |draft| {
            draft.need(moving(&medicine, today))?;
            let mut tracked = LiveStock::of(draft, &medicine, today)?.ok_or(Error::NotFound(Kind::Stock))?;
            let LiveStock { stock, shelf, .. } = &mut tracked;
            let (step, booking) = match new.clone() {
                NewMovement::Receipt { lot, units, cost, note } => {
                    let step = apply(shelf, lot, units.added())?;
                    let ordered = stock.settings.ordered.value();
                    let taken = ordered.min(units.value());
                    stock.settings.ordered = Amount::clamped(ordered - taken);
                    let from_order = Units::try_from(taken).ok();
                    (step, Booking { cost, from_order, note, ..Booking::of(MovementKind::Receipt) })
                }
                NewMovement::Return { lot, units, invoice_id, note } => {
                    draft.need([RecordKey::Invoice(invoice_id).into(), RecordKey::Dispensing(invoice_id).into()])?;
                    let invoice = draft.get::<Invoice>(invoice_id)?.ok_or(Error::NotFound(Kind::Invoice))?;
                    let dispensing = draft.get::<Dispensing>(invoice_id)?;
                    let dispensing = dispensing.filter(|dispensing| *dispensing.medicine.key() == medicine);
                    let mut dispensing = dispensing.ok_or(Conflict::NotDispensed)?;
                    dispensing.take_back(&lot, units).ok_or(Conflict::NotDispensed)?;
                    let step = apply(shelf, lot, units.added())?;
                    let prescription_id = invoice.prescription_id;
                    let handed = HandOver { invoice_id, prescription_id, is_regular: dispensing.is_regular };
                    draft.put(dispensing);
                    (step, Booking { invoice: Some(handed), note, ..Booking::of(MovementKind::Return) })
                }
                NewMovement::Removal { lot, units, reason, note } => {
                    let step = apply(shelf, lot, units.taken())?;
                    (step, Booking { reason: Some(reason), note, ..Booking::of(MovementKind::Removal) })
                }
            };
            Ok(WriteAnswer::now(book(draft, &mut tracked, step, booking)?))
        })
        .await
    }

    /// Reverses a receipt or a removal. Units that a receipt took from those on order are on order again.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Conflict::NotReversible`] for any other movement, and when the medicine is no longer
    /// tracked; [`Conflict::AlreadyReversed`]; [`Conflict::InsufficientStock`], [`Conflict::TooManyLots`],
    /// [`Conflict::TooMuchStock`]; the store's failures.
    pub async fn reverse_movement(&self, id: MovementId) -> Result<Versioned<Movement>, Error> {
        let today = self.today()?;
        self.write(self.request(Operation::ReverseMovement, id)?, move |draft| {
            draft.need([RecordKey::Movement(id).into(), Movement::reversal_of(id).into()])?;
            let reversed = draft.get::<Movement>(id)?.ok_or(Error::NotFound(Kind::Movement))?;
            if !matches!(reversed.kind, MovementKind::Receipt | MovementKind::Removal) {
                return Err(Conflict::NotReversible.into());
            }
            draft.need(moving(reversed.medicine.key(), today))?;
            let tracked = LiveStock::of(draft, reversed.medicine.key(), today)?;
            let mut tracked = tracked.ok_or(Conflict::NotReversible)?;
            if draft.stored(Movement::reversal_of(id))?.is_some() {
                return Err(Conflict::AlreadyReversed.into());
            }
            let step = apply(&mut tracked.shelf, reversed.lot_id(), reversed.units.reversed())?;
            if let Some(taken) = reversed.from_order {
                let ordered = &mut tracked.stock.settings.ordered;
                *ordered = Amount::clamped(ordered.value() + taken.value());
            }
            let booking = Booking { reverses: Some(reversed), ..Booking::of(MovementKind::Reversal) };
            Ok(WriteAnswer::now(book(draft, &mut tracked, step, booking)?))
        })
        .await
    }
}
