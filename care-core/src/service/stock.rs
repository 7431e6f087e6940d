//! Tracking the stock of a medicine.

use care_derive::Record;
use serde::{Deserialize, Serialize};

use super::{
    CareService, ExpectedVersion, LiveStock, Page,
    base::{
        answer::WriteAnswer,
        draft::Draft,
        new_values::{refuse, refuse_all},
    },
    effects::booking::{Booking, book, moving, spell},
};
use crate::{
    error::{Conflict, Error, FieldError},
    kinds::RecordKind,
    model::{
        Amount, Date, Item, ItemDetails, LotId, MedicineKey, MedicineName, MovementId, MovementKind, MovementReason,
        Note, OpenLot, Patch, Shelf, Stock, StockDetails, StockSettings, UnitName, Units, new_value,
    },
    operation::Operation,
    stock::{LotCount, Step, apply, count},
    store::{Ask, Counter, Decision, Key, Limit, RecordKey, Seen, Series, StockFilter, Stop, Versioned},
};

/// A lot in stock when tracking starts.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(body, document = "OpeningLotInput")]
pub struct OpeningLot {
    /// The lot.
    #[field(group)]
    pub lot: LotId,
    /// The number of its units.
    pub units: Units,
}

/// A medicine to add to the inventory together with its stock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewMedicine {
    /// The name.
    #[serde(deserialize_with = "new_value")]
    pub medicine: MedicineName,
    /// The fields of the item.
    #[serde(flatten)]
    pub details: ItemDetails,
    /// The stock; `None` for a medicine that is not tracked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stock: Option<OpeningStock>,
}

/// A stock whose tracking begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpeningStock {
    /// The name of one unit.
    #[serde(deserialize_with = "new_value")]
    pub unit: UnitName,
    /// The settings.
    #[serde(flatten)]
    pub details: StockDetails,
    /// The lots in stock.
    #[serde(default)]
    pub opening: Vec<OpeningLot>,
}

impl CareService {
    /// Returns the stock of a medicine.
    ///
    /// # Errors
    /// [`Error::NotFound`], also when the medicine is not tracked; the store's failures.
    pub async fn stock(&self, medicine: MedicineKey) -> Result<Versioned<LiveStock>, Error> {
        let today = self.today()?;
        self.ask(|seen| {
            seen.need([RecordKey::Stock(medicine.clone()).into(), OpenLot::of_medicine(&medicine).into()])?;
            Ok(LiveStock::found(seen, &medicine, today)?.ok_or(Error::NotFound(RecordKind::Stock))?)
        })
        .await
    }

    /// Returns a page of tracked medicines by folded name, after the given one.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn stocks(
        &self,
        filter: StockFilter,
        after: Option<MedicineKey>,
        limit: impl Into<Limit>,
    ) -> Result<Page<LiveStock>, Error> {
        let page = self.page(Stock::list(&filter, after), limit).await?;
        self.with_lots(page).await
    }

    /// Adds the open lots to each stock of a page.
    pub(super) async fn with_lots(&self, Page { items, more }: Page<Stock>) -> Result<Page<LiveStock>, Error> {
        let today = self.today()?;
        let live = self.ask_in_parts(&items, |seen, some| {
            let keys = || some.iter().map(|found| found.medicine.key());
            let stocks = keys().map(|key| RecordKey::Stock(key.clone()).into());
            seen.need(stocks.chain(keys().map(|key| OpenLot::of_medicine(key).into())))?;
            keys().map(|key| LiveStock::found(seen, key, today)).collect()
        });
        // Of a medicine whose tracking has ended since, nothing was left.
        let ended = |found: Versioned<Stock>| found.map(|stock| LiveStock { stock, shelf: Shelf::default(), today });
        let live = live.await?;
        let pairs = items.into_iter().zip(live);
        Ok(Page { items: pairs.map(|(listed, found)| found.unwrap_or_else(|| ended(listed))).collect(), more })
    }

    /// Starts to track a medicine of the inventory in this unit. A medicine that was not available is held, unless the
    /// details say otherwise.
    ///
    /// # Errors
    /// [`Error::Invalid`] when settings contradict each other, or the opening stock names more than 64 lots or one of
    /// them twice; [`Error::NotFound`]; [`Conflict::AlreadyTracked`], [`Conflict::TooMuchStock`]; the store's failures.
    pub async fn start_stock(
        &self,
        medicine: MedicineKey,
        unit: UnitName,
        details: StockDetails,
        opening: Vec<OpeningLot>,
    ) -> Result<Versioned<LiveStock>, Error> {
        let today = self.today();
        // Nothing is there yet that could be cleared, so what is cleared is as if it were left out.
        let held = if details.held == Patch::Clear { Patch::Keep } else { details.held };
        let details = StockDetails { held, ..details };
        self.write(self.request(Operation::StartStock, (&medicine, &unit, &details, &opening))?, move |draft| {
            unless_twice("opening", opening.iter().map(|opening| &opening.lot))?;
            let today = today.clone()?;
            let counter = RecordKey::Counter(Series::Movement);
            draft.need(
                [RecordKey::Item(medicine.clone()), RecordKey::Stock(medicine.clone()), counter].map(Key::Record),
            )?;
            let item = draft.required::<Item>(medicine.clone())?;
            let settings = opening_settings(&item, &unit, &details)?;
            if draft.get::<Stock>(medicine.clone())?.is_some() {
                return Err(Conflict::AlreadyTracked.into());
            }
            Ok(WriteAnswer::Put(begin(draft, item.medicine, settings, &opening, today)?))
        })
        .await
    }

    /// Changes the settings that the details name.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`], [`Error::Invalid`] when the changed settings contradict each other; the
    /// store's failures.
    pub async fn update_stock(
        &self,
        medicine: MedicineKey,
        details: StockDetails,
        expected: ExpectedVersion,
    ) -> Result<Versioned<LiveStock>, Error> {
        let today = self.today();
        self.write(self.request(Operation::UpdateStock, (&medicine, &details, &expected))?, move |draft| {
            let today = today.clone()?;
            draft.need([RecordKey::Stock(medicine.clone()).into(), OpenLot::of_medicine(&medicine).into()])?;
            let found = draft.stored::<Stock>(Ask::record(medicine.clone()))?;
            refuse(details.faults(found.as_ref().map(|found| &found.record.settings)))?;
            let found = expected.found(found)?;
            let mut tracked = LiveStock::required(draft, &medicine, today)?;
            let settings = found.record.settings.clone().with(details.clone());
            refuse(settings.contradictions())?;
            tracked.stock.settings = settings;
            draft.put(tracked.stock.clone());
            let LiveStock { stock, shelf, .. } = tracked;
            Ok(WriteAnswer::over(&found, stock).map(|stock| LiveStock { stock, shelf, today }))
        })
        .await
    }

    /// Ends the tracking of a medicine without units. Its hold becomes the inventory's flag.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`], [`Conflict::StockLeft`]; the store's failures.
    pub async fn end_stock(&self, medicine: MedicineKey, expected: ExpectedVersion) -> Result<(), Error> {
        self.remove_record(self.request(Operation::EndStock, (&medicine, &expected))?, move |draft| {
            let found = expected.stored::<Stock>(draft, medicine.clone())?;
            end(draft, &medicine)?;
            if let Some(item) = draft.get::<Item>(medicine.clone())? {
                draft.put(Item { is_available: !found.record.settings.held, ..item });
            }
            Ok(())
        })
        .await
    }

    /// Sets the lots of a medicine to their counts, with one adjustment for each lot that differs. Lots without a count
    /// stay.
    ///
    /// # Errors
    /// [`Error::Invalid`] without a line, with more than 64, or when a lot is named twice; [`Error::NotFound`],
    /// [`Error::Stale`]; [`Conflict::TooManyLots`], [`Conflict::TooMuchStock`]; the store's failures.
    pub async fn count_stock(
        &self,
        medicine: MedicineKey,
        lines: Vec<LotCount>,
        note: Option<Note>,
        expected: ExpectedVersion,
    ) -> Result<Versioned<LiveStock>, Error> {
        let today = self.today();
        // Repeated, it is answered before the version is looked at.
        self.write(self.request(Operation::CountStock, (&medicine, &lines, &note))?, move |draft| {
            if lines.is_empty() {
                return Err(Error::field("lines", "must be at least 1").into());
            }
            unless_twice("lines", lines.iter().map(|line| &line.lot))?;
            let today = today.clone()?;
            draft.need(moving(&medicine, today))?;
            let found = expected.stored::<Stock>(draft, medicine.clone())?;
            let mut tracked = LiveStock::required(draft, &medicine, today)?;
            let mut lines = lines.clone();
            spell(draft, &tracked.shelf, &medicine, lines.iter_mut().map(|line| &mut line.lot))?;
            let steps = count(&mut tracked.shelf, &lines)?;
            // It stands in the first adjustment alone, so that a count does not store it once for each line.
            let mut note = note.clone();
            for step in steps {
                let booking = Booking::of(MovementKind::Adjustment);
                let booking = Booking { reason: Some(MovementReason::Count), note: note.take(), ..booking };
                book(draft, &mut tracked, step, booking)?;
            }
            let LiveStock { stock, shelf, .. } = tracked;
            Ok(WriteAnswer::over(&found, stock).map(|stock| LiveStock { stock, shelf, today }))
        })
        .await
    }

    /// Returns as a decision what adds a medicine as of today, for a store that runs many of them in one transaction:
    /// item, stock and lots in one entry. It changes nothing if exactly this is stored, and refuses any other medicine
    /// that is there.
    pub fn stocking(&self, new: NewMedicine) -> Decision {
        let today = self.today();
        Box::new(move |seen: &Seen| {
            let mut draft = Draft::new(seen);
            stock_up(&mut draft, &new, today.clone()?)?;
            Ok(draft.into_changes().into())
        })
    }
}

/// Ends the tracking of a medicine, unless units are left. Does nothing when it is not tracked.
pub(super) fn end(draft: &mut Draft<'_>, medicine: &MedicineKey) -> Result<(), Stop> {
    let Some(stock) = draft.get::<Stock>(medicine.clone())? else {
        return Ok(());
    };
    if stock.on_hand > Amount::ZERO || stock.reserved > Amount::ZERO {
        return Err(Conflict::StockLeft.into());
    }
    draft.remove(RecordKey::Stock(medicine.clone()));
    Ok(())
}

fn stock_up(draft: &mut Draft<'_>, new: &NewMedicine, today: Date) -> Result<(), Stop> {
    let key = new.medicine.key();
    let [stock, lots, ..] = moving(key, today);
    draft.need([RecordKey::Item(key.clone()).into(), stock, lots])?;
    refuse(new.details.faults(None))?;
    let item = Item::new(new.medicine.clone()).with(new.details.clone());
    let settings = match &new.stock {
        Some(OpeningStock { unit, details, opening }) => {
            unless_twice("opening", opening.iter().map(|opening| &opening.lot))?;
            Some((opening_settings(&item, unit, details)?, opening))
        }
        None => None,
    };
    if let Some(stored) = draft.get::<Item>(key.clone())? {
        let there = LiveStock::of(draft, key, today)?;
        let is_same = match (&settings, there) {
            // The flag of a tracked medicine has no meaning.
            (Some((settings, opening)), Some(there)) => {
                let is_idle = there.stock.reserved == Amount::ZERO;
                let item = Item { is_available: stored.is_available, ..item };
                is_idle && item == stored && there.stock.settings == *settings && there.shelf == filled(opening)?.0
            }
            (None, None) => item == stored,
            (Some(_), None) | (None, Some(_)) => false,
        };
        return if is_same { Ok(()) } else { Err(Conflict::ItemExists.into()) };
    }
    draft.put(item.clone());
    if let Some((settings, opening)) = settings {
        draft.need(moving(key, today))?;
        begin(draft, item.medicine, settings, opening, today)?;
    }
    Ok(())
}

/// Returns the settings with which the tracking of an item begins.
fn opening_settings(item: &Item, unit: &UnitName, details: &StockDetails) -> Result<StockSettings, Error> {
    refuse(details.faults(None))?;
    let settings = StockSettings { held: !item.is_available, ..StockSettings::new(unit.clone()) };
    let settings = settings.with(details.clone());
    refuse(settings.contradictions())?;
    Ok(settings)
}

/// Returns the shelf with these lots, and the steps to it.
fn filled(opening: &[OpeningLot]) -> Result<(Shelf, Vec<Step>), Error> {
    let mut shelf = Shelf::default();
    let added = |opening: &OpeningLot| apply(&mut shelf, opening.lot.clone(), opening.units.added());
    let steps = opening.iter().map(added).collect::<Result<_, _>>()?;
    Ok((shelf, steps))
}

/// Begins to track a medicine that is not tracked.
fn begin(
    draft: &mut Draft<'_>,
    medicine: MedicineName,
    settings: StockSettings,
    opening: &[OpeningLot],
    today: Date,
) -> Result<LiveStock, Stop> {
    let mut opening = opening.to_vec();
    spell(draft, &Shelf::default(), medicine.key(), opening.iter_mut().map(|opening| &mut opening.lot))?;
    let (shelf, steps) = filled(&opening)?;
    let moved = draft.get::<Counter>(Series::Movement)?;
    let since = moved.and_then(|counter| MovementId::try_from(counter.last).ok());
    let stock = Stock::new(medicine, settings, since);
    draft.put(stock.clone());
    let mut tracked = LiveStock { stock, shelf, today };
    for step in steps {
        let reason = Some(MovementReason::Opening);
        book(draft, &mut tracked, step, Booking { reason, ..Booking::of(MovementKind::Adjustment) })?;
    }
    Ok(tracked)
}

/// Refuses more lots than a medicine can have, and a lot that is named twice.
fn unless_twice<'a>(field: &'static str, lots: impl ExactSizeIterator<Item = &'a LotId>) -> Result<(), Error> {
    if lots.len() > Shelf::MAX_LOTS {
        return Err(Error::field(field, "must be at most 64"));
    }
    let mut named = std::collections::BTreeSet::new();
    let twice = lots.enumerate().filter(|(_, lot)| !named.insert(*lot));
    let fault = |place| FieldError::new(format!("{field}[{place}]"), "names a lot that was named before");
    refuse_all(twice.map(|(place, _)| fault(place)).collect())
}
