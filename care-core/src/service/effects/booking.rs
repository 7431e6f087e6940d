//! Writing movements into the ledger and into the daily counts.

use crate::{
    error::{Conflict, Error},
    model::{
        Amount, Currency, Date, DispensedLot, Dispensing, Invoice, InvoiceId, LotId, LotKey, LotText, MedicineKey,
        Movement, MovementId, MovementKind, MovementReason, Note, OpenLot, Prescription, PrescriptionId, Price,
        Quantity, Shelf, ShelfError, Stock, StockDay, Units,
    },
    service::base::{
        draft::Draft,
        live::{LiveStock, has_units, quantity, usable},
    },
    stock::{self, Step},
    store::{Key, RecordKey, Series, Stop},
};

/// The parts of a movement beside its lot and its units.
#[derive(Debug)]
pub(crate) struct Booking {
    pub(crate) kind: MovementKind,
    pub(crate) reason: Option<MovementReason>,
    /// The invoice whose payment takes the units, or whose units come back.
    pub(crate) invoice: Option<HandOver>,
    /// The movement that this one reverses.
    pub(crate) reverses: Option<Movement>,
    pub(crate) cost: Option<Price>,
    pub(crate) currency: Option<Currency>,
    /// The units that a receipt takes from what is on order.
    pub(crate) from_order: Option<Units>,
    pub(crate) note: Option<Note>,
}

/// The invoice and the prescription of units that are handed out or come back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HandOver {
    pub(crate) invoice_id: InvoiceId,
    pub(crate) prescription_id: PrescriptionId,
    pub(crate) is_regular: bool,
}

impl Booking {
    pub(crate) const fn of(kind: MovementKind) -> Self {
        Self {
            kind,
            reason: None,
            invoice: None,
            reverses: None,
            cost: None,
            currency: None,
            from_order: None,
            note: None,
        }
    }
}

/// Writes a step of the shelf into the ledger, into its lot and into the daily counts, and puts the stock with the
/// number of the movement.
pub(crate) fn book(
    draft: &mut Draft<'_>,
    tracked: &mut LiveStock,
    step: Step,
    booking: Booking,
) -> Result<Movement, Stop> {
    let Booking { kind, reason, invoice, reverses, cost, currency, from_order, note } = booking;
    let number = draft.next(Series::Movement)?;
    let movement_id = MovementId::try_from(number).map_err(|_| Conflict::NoNumberLeft)?;
    tracked.stock.moved = Some(movement_id);
    tracked.stock.note(&tracked.shelf);
    draft.put(tracked.stock.clone());
    tracked.put_lot(draft, step.lot.clone());
    let LiveStock { stock, shelf, today } = tracked;
    let movement = Movement {
        movement_id,
        medicine: stock.medicine.clone(),
        kind,
        reason,
        units: step.units,
        balance: step.balance,
        lot: step.lot.lot,
        expires: step.lot.expires,
        day: *today,
        invoice_id: invoice.map(|handed| handed.invoice_id),
        prescription_id: invoice.map(|handed| handed.prescription_id),
        reverses: reverses.as_ref().map(|reversed| reversed.movement_id),
        cost,
        currency,
        from_order,
        note,
    };
    let day = draft.get::<StockDay>((stock.medicine.key().clone(), *today))?;
    let mut day = day.unwrap_or_else(|| StockDay::new(stock.medicine.clone(), *today));
    let is_regular = invoice.is_some_and(|handed| handed.is_regular);
    let undone = reverses.map(|reversed| reversed.kind);
    stock::note(&mut day, &movement, is_regular, undone, shelf, stock.settings.keep_days);
    draft.put(day);
    draft.put(movement.clone());
    Ok(movement)
}

/// Spells lots as their medicine spelled them first: on its shelf, or else in its first movement of such a lot.
pub(crate) fn spell<'l>(
    draft: &Draft<'_>,
    shelf: &Shelf,
    medicine: &MedicineKey,
    lots: impl IntoIterator<Item = &'l mut LotId>,
) -> Result<(), Stop> {
    let on_shelf = |key: &LotKey| {
        let mut texts = shelf.lots().iter().filter_map(|lot| lot.id.lot.as_ref());
        texts.find(|text| text.key() == key)
    };
    let first_of = |text: &LotText| Movement::first_of_lot(medicine, text.key());
    let texts: Vec<&mut LotText> = lots.into_iter().filter_map(|id| id.lot.as_mut()).collect();
    let new = texts.iter().filter(|text| on_shelf(text.key()).is_none());
    draft.need(new.map(|text| first_of(text).into()))?;
    let mut opened: Vec<LotText> = Vec::new();
    for text in texts {
        let known = on_shelf(text.key()).or_else(|| opened.iter().find(|opened| opened.key() == text.key()));
        let first = match known {
            Some(known) => known.clone(),
            None => {
                let first = draft.stored(first_of(text))?.and_then(|first| first.record.lot);
                opened.push(first.unwrap_or_else(|| text.clone()));
                opened[opened.len() - 1].clone()
            }
        };
        *text = first;
    }
    Ok(())
}

/// Reserves the units of an invoice that is issued. Returns `None` when the medicine is not tracked.
pub(crate) fn reserve(
    draft: &mut Draft<'_>,
    prescription: &Prescription,
    today: Date,
) -> Result<Option<Quantity>, Stop> {
    let Some(mut stock) = draft.get::<Stock>(prescription.medicine.key().clone())? else {
        return Ok(None);
    };
    let quantity = quantity(prescription, &stock);
    if !has_units(&stock, usable(draft.seen(), &stock, today)?, quantity.value()) {
        return Err(Conflict::InsufficientStock.into());
    }
    stock.reserved = Amount::clamped(stock.reserved.value() + quantity.value());
    draft.put(stock);
    Ok(Some(quantity))
}

/// Releases the units that an unpaid invoice reserved.
pub(crate) fn give_back(draft: &mut Draft<'_>, invoice: &Invoice) -> Result<(), Stop> {
    let Some(quantity) = invoice.quantity else {
        return Ok(());
    };
    if let Some(mut stock) = draft.get::<Stock>(invoice.medicine.key().clone())? {
        stock.reserved = Amount::clamped(stock.reserved.value() - quantity.value());
        draft.put(stock);
    }
    Ok(())
}

/// Returns the keys that [`book`] needs for the movements of a tracked medicine.
pub(crate) fn moving(medicine: &MedicineKey, today: Date) -> [Key; 4] {
    let (stock, day) = (RecordKey::Stock(medicine.clone()), RecordKey::StockDay((medicine.clone(), today)));
    let [stock, day, counter] = [stock, day, RecordKey::Counter(Series::Movement)].map(Key::Record);
    [stock, OpenLot::of_medicine(medicine).into(), day, counter]
}

/// Hands out the reserved units of an invoice at its payment, first expired first out.
pub(crate) fn hand_out(draft: &mut Draft<'_>, invoice: &Invoice, is_regular: bool, today: Date) -> Result<(), Stop> {
    let Some(quantity) = invoice.quantity else {
        return Ok(());
    };
    // Tracking cannot end while units are reserved, so there is stock.
    let tracked = LiveStock::of(draft, invoice.medicine.key(), today)?.filter(|tracked| !tracked.stock.settings.held);
    let mut tracked = tracked.ok_or(Conflict::InsufficientStock)?;
    let LiveStock { stock, shelf, .. } = &mut tracked;
    let steps = stock::take(shelf, quantity.units(), stock.settings.keep_days, today)?;
    stock.reserved = Amount::clamped(stock.reserved.value() - quantity.value());
    let medicine = stock.medicine.clone();
    let Invoice { invoice_id, prescription_id, .. } = *invoice;
    let lot = |step: &Step| DispensedLot { id: step.lot.clone(), units: step.units.units(), returned: Amount::ZERO };
    let lots = steps.iter().map(lot).collect();
    let tracked_since = stock.tracked_since;
    draft.put(Dispensing { invoice_id, medicine, is_regular, tracked_since, lots });
    for step in steps {
        let handed = HandOver { invoice_id, prescription_id, is_regular };
        let booking = Booking { invoice: Some(handed), ..Booking::of(MovementKind::Dispense) };
        book(draft, &mut tracked, step, booking)?;
    }
    Ok(())
}

impl From<ShelfError> for Error {
    fn from(error: ShelfError) -> Self {
        Self::Conflict(match error {
            ShelfError::TooFew => Conflict::InsufficientStock,
            ShelfError::TooManyLots => Conflict::TooManyLots,
            ShelfError::TooMuch => Conflict::TooMuchStock,
        })
    }
}
