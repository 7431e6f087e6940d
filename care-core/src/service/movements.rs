//! Movements of stock other than by payments.

use care_derive::Record;

use super::{
    CareService, LiveStock, Page,
    base::{answer::WriteAnswer, new_values::refuse},
    effects::booking::{Booking, HandOver, book, moving, spell},
};
use crate::{
    error::{Conflict, Error},
    model::{
        Amount, Currency, Date, Dispensing, Invalid, Invoice, InvoiceId, LotId, MedicineKey, Movement, MovementId,
        MovementKind, MovementReason, Note, Price, Units,
    },
    operation::Operation,
    stock::apply,
    store::{Limit, MovementFilter, RecordKey, Versioned},
};

/// Units that come or leave. Each kind has members of its own; a cost has a currency, and a currency a cost.
///
/// A note, a cost, and whatever a movement may have beside what its kind needs, is set behind its constructor:
///
/// ```
/// use care_core::{model::{LotId, Note, Units}, service::NewMovement};
///
/// let receipt = NewMovement::receipt(LotId::default(), Units::try_from(20)?);
/// let noted = NewMovement { note: Some(Note::new("shelf 2")?), ..receipt };
/// # Ok::<(), care_core::model::Invalid>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(body, judged, document = "MovementInput", root = "Movement")]
pub struct NewMovement {
    /// The kind of movement.
    #[field(words(receipt, return, removal))]
    pub kind: MovementKind,
    /// The number of units.
    #[field(otherwise = Units::clamped(1))]
    pub units: Units,
    /// The lot. A receipt joins the open lot of the same identity.
    #[field(group)]
    pub lot: LotId,
    /// The reason of a removal; `other` needs a note.
    #[field(aside, words(expired, damaged, lost, recalled, supplier, other))]
    pub reason: Option<MovementReason>,
    /// The invoice whose units come back.
    #[field(aside)]
    pub invoice_id: Option<InvoiceId>,
    /// The total cost of a receipt, in whole units of the currency.
    pub cost: Option<Price>,
    /// Currency code of the cost.
    pub currency: Option<Currency>,
    /// A note.
    #[field(example = "shelf 2")]
    pub note: Option<Note>,
}

impl NewMovement {
    /// Returns units that arrive, without a cost.
    pub fn receipt(lot: LotId, units: Units) -> Self {
        let kind = MovementKind::Receipt;
        Self { kind, units, lot, reason: None, invoice_id: None, cost: None, currency: None, note: None }
    }

    /// Returns units that an invoice took from a lot and that come back to it.
    pub fn returned(lot: LotId, units: Units, invoice_id: InvoiceId) -> Self {
        Self { kind: MovementKind::Return, invoice_id: Some(invoice_id), ..Self::receipt(lot, units) }
    }

    /// Returns units that leave.
    pub fn removal(lot: LotId, units: Units, reason: MovementReason) -> Self {
        Self { kind: MovementKind::Removal, reason: Some(reason), ..Self::receipt(lot, units) }
    }

    /// Returns the fields that break a rule together with others.
    pub(crate) fn faults(&self) -> Vec<(&'static str, Invalid)> {
        let mut faults = Vec::new();
        let mut note = |is_broken: bool, field, rule| faults.extend(is_broken.then_some((field, Invalid(rule))));
        let Self { kind, units: _, lot: _, reason, invoice_id, cost, currency, note: noted } = self;
        let (is_receipt, is_return) = (*kind == MovementKind::Receipt, *kind == MovementKind::Return);
        let is_removal = *kind == MovementKind::Removal;
        const UNUSED: &str = "is not used by this kind";
        note(!is_receipt && cost.is_some(), "cost", UNUSED);
        note(!is_receipt && currency.is_some(), "currency", UNUSED);
        note(!is_removal && reason.is_some(), "reason", UNUSED);
        note(!is_return && invoice_id.is_some(), "invoiceId", UNUSED);
        note(is_receipt && cost.is_some() && currency.is_none(), "currency", "is required beside cost");
        note(is_receipt && cost.is_none() && currency.is_some(), "cost", "is required beside currency");
        note(is_return && invoice_id.is_none(), "invoiceId", "is required for a return");
        note(is_removal && reason.is_none(), "reason", "is required for a removal");
        let adjusts = matches!(reason, Some(MovementReason::Opening | MovementReason::Count));
        note(is_removal && adjusts, "reason", "must be expired, damaged, lost, recalled, supplier or other");
        let is_other = *reason == Some(MovementReason::Other);
        note(is_removal && is_other && noted.is_none(), "note", "is required when the reason is other");
        note(!(is_receipt || is_return || is_removal), "kind", "must be receipt, return or removal");
        faults
    }

    /// Returns the field that breaks a rule on this day.
    fn fault_on(&self, today: Date) -> Option<(&'static str, Invalid)> {
        let is_expired = self.kind == MovementKind::Receipt && self.lot.expires.is_some_and(|day| day < today);
        is_expired.then_some(("expires", Invalid("must not be before today")))
    }
}

impl CareService {
    /// Returns the movement with this number.
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn movement(&self, id: MovementId) -> Result<Versioned<Movement>, Error> {
        self.stored::<Movement>(id).await
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
        let today = self.today();
        self.write(self.request(Operation::MoveStock, (&medicine, &new))?, move |draft| {
            let today = today.clone()?;
            refuse(new.faults().into_iter().chain(new.fault_on(today)))?;
            draft.need(moving(&medicine, today))?;
            let mut tracked = LiveStock::required(draft, &medicine, today)?;
            let LiveStock { stock, shelf, .. } = &mut tracked;
            let NewMovement { kind, units, mut lot, reason, invoice_id, cost, currency, note } = new.clone();
            spell(draft, shelf, &medicine, [&mut lot])?;
            let mut booking = Booking { reason, cost, currency, note, ..Booking::of(kind) };
            if kind == MovementKind::Receipt {
                let ordered = stock.settings.ordered.value();
                let taken = ordered.min(units.value());
                stock.settings.ordered = Amount::clamped(ordered - taken);
                booking.from_order = Units::try_from(taken).ok();
            }
            if let Some(invoice_id) = invoice_id {
                draft.need([RecordKey::Invoice(invoice_id).into(), RecordKey::Dispensing(invoice_id).into()])?;
                let invoice = draft.required::<Invoice>(invoice_id)?;
                let dispensing = draft.get::<Dispensing>(invoice_id)?;
                let is_of = |dispensing: &Dispensing| {
                    *dispensing.medicine.key() == medicine && dispensing.tracked_since == stock.tracked_since
                };
                let dispensing = dispensing.filter(is_of);
                let mut dispensing = dispensing.ok_or(Conflict::NotDispensed)?;
                dispensing.take_back(&lot, units).ok_or(Conflict::NotDispensed)?;
                let prescription_id = invoice.prescription_id;
                booking.invoice = Some(HandOver { invoice_id, prescription_id, is_regular: dispensing.is_regular });
                draft.put(dispensing);
            }
            let step = apply(shelf, lot, if kind == MovementKind::Removal { units.taken() } else { units.added() })?;
            Ok(WriteAnswer::Put(book(draft, &mut tracked, step, booking)?))
        })
        .await
    }

    /// Reverses a receipt or a removal. Units that a receipt took from those on order are on order again.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Conflict::NotReversible`] for any other movement, and when the medicine is no longer
    /// tracked, or tracked anew since; [`Conflict::AlreadyReversed`]; [`Conflict::InsufficientStock`],
    /// [`Conflict::TooManyLots`], [`Conflict::TooMuchStock`]; the store's failures.
    pub async fn reverse_movement(&self, id: MovementId) -> Result<Versioned<Movement>, Error> {
        let today = self.today();
        self.write(self.request(Operation::ReverseMovement, id)?, move |draft| {
            let today = today.clone()?;
            draft.need([RecordKey::Movement(id).into(), Movement::reversal_of(id).into()])?;
            let reversed = draft.required::<Movement>(id)?;
            if !matches!(reversed.kind, MovementKind::Receipt | MovementKind::Removal) {
                return Err(Conflict::NotReversible.into());
            }
            draft.need(moving(reversed.medicine.key(), today))?;
            // Of a medicine that is tracked anew since, units may be others.
            let tracked = LiveStock::of(draft, reversed.medicine.key(), today)?;
            let tracked = tracked.filter(|tracked| Some(id) > tracked.stock.tracked_since);
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
            Ok(WriteAnswer::Put(book(draft, &mut tracked, step, booking)?))
        })
        .await
    }
}
