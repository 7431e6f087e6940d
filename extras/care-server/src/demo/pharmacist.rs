//! The demo clinic's pharmacist: orders, deliveries, and other events on the shelf.

use care_core::{
    error::Error,
    model::{
        Amount, Currency, InvoiceId, KeyName, LotId, LotText, MedicineKey, MovementReason, Note, Patch, Price,
        StockDetails, Units,
    },
    operation::JournalOperation,
    service::{ExpectedVersion, NewMedicine, NewMovement, OpeningLot, OpeningStock, RestockPeriod, RestockReport},
    stock::LotCount,
    store::{Act, Limit, MovementFilter},
};

use super::{
    clinic::{Clinic, PHARMACY},
    desk::Task,
    shelf::{EVENTS, Event, SHELVES, SHORTAGES},
    sound, stock,
};

/// The shortest delivery time of an order, in days.
const LEAD: i64 = 10;
/// The day of the week on which the pharmacist orders.
const ORDERS_ON: i64 = 3;

impl Clinic {
    /// Takes in the first medicines with their stock before the year begins, as an import of their table does.
    pub(super) async fn stock_up(&mut self) -> Result<(), Error> {
        for medicine in stock::STOCK {
            let stock = match (0..).zip(SHELVES).find(|(_, shelf)| shelf.name == medicine.0) {
                Some((number, shelf)) => {
                    let lot = self.lot(240 + 12 * number)?;
                    let opening = vec![OpeningLot { lot, units: units(shelf.opening())? }];
                    Some(OpeningStock { unit: shelf.unit()?, details: shelf.details()?, opening })
                }
                None => None,
            };
            let new = NewMedicine { medicine: stock::medicine(medicine.0)?, details: stock::item(medicine)?, stock };
            let act = Act::new(KeyName::ADMIN, JournalOperation::ImportMedicines, self.later_today()?);
            self.care.store().transact(act, self.care.stocking(new)).await?;
            self.done.medicines += 1;
        }
        Ok(())
    }

    /// Does the work of one day.
    pub(super) async fn keep_shelves(&mut self) -> Result<(), Error> {
        let today = self.today;
        for (_, name, event) in EVENTS.iter().filter(|(day, ..)| *day == today) {
            self.happen(stock::medicine(name)?.key().clone(), event).await?;
        }
        if self.today % 7 == ORDERS_ON {
            self.clear().await?;
            self.order().await?;
        }
        Ok(())
    }

    /// Removes the expired lots.
    async fn clear(&mut self) -> Result<(), Error> {
        let today = self.care.today()?;
        for stock in self.care.stocks(Default::default(), None, Limit::ALL).await?.items {
            let medicine = stock.record.stock.medicine.key();
            for lot in stock.record.shelf.lots() {
                if lot.id.expires.is_some_and(|expires| expires < today) {
                    self.remove(medicine, lot.id.clone(), lot.on_hand, MovementReason::Expired, None).await?;
                }
            }
        }
        Ok(())
    }

    /// Orders what the plans advise, if the wholesaler has it.
    async fn order(&mut self) -> Result<(), Error> {
        let period = RestockPeriod::new(None, None, self.care.today()?)?;
        for item in self.care.restock(period, RestockReport::MAX_ITEMS).await?.items {
            let Some(plan) = item.plan.filter(|plan| plan.order > 0) else {
                continue;
            };
            let lacks = |(from, to, name): &(i64, i64, &str)| {
                (*from..=*to).contains(&self.today) && *name == item.medicine.as_str()
            };
            if SHORTAGES.iter().any(lacks) {
                continue;
            }
            let ordered = sound(Amount::try_from(plan.ordered + plan.order))?;
            let details = StockDetails { ordered: Patch::Set(ordered), ..StockDetails::default() };
            let medicine = item.medicine.key().clone();
            self.at_work(PHARMACY)?.update_stock(medicine.clone(), details, ExpectedVersion::Any).await?;
            let days = LEAD + self.dice.roll(5).cast_signed();
            self.later(days, Task::Receive(medicine, plan.order));
        }
        Ok(())
    }

    /// Receives an order as a lot of its own.
    pub(super) async fn receive(&mut self, medicine: MedicineKey, ordered: i64) -> Result<(), Error> {
        let days = 300 + self.dice.roll(400).cast_signed();
        let lot = self.lot(days)?;
        let (price, pack) = (
            self.care.item(medicine.clone()).await?.record.item.price.map_or(0, Price::value),
            self.care.stock(medicine.clone()).await?.record.stock.settings.pack_units.value(),
        );
        // The pharmacy pays seven tenths of the price.
        let cost = sound(Price::try_from(price * 7 * ordered / (10 * pack)))?;
        let (cost, currency) = (Some(cost), Some(sound(Currency::new("EUR"))?));
        let receipt = NewMovement { cost, currency, ..NewMovement::receipt(lot, units(ordered)?) };
        self.at_work(PHARMACY)?.move_stock(medicine, receipt).await?;
        Ok(())
    }

    /// Takes back a sealed pack.
    pub(super) async fn take_back(&mut self, invoice_id: InvoiceId) -> Result<(), Error> {
        let filter = MovementFilter { invoice_id: Some(invoice_id), ..MovementFilter::default() };
        let Some(handed) = self.care.movements(filter, None, Limit::items(1)).await?.items.pop() else {
            return Ok(());
        };
        let (lot, units) = (handed.record.lot_id(), handed.record.units.units());
        let back = NewMovement { note: note("sealed, brought back")?, ..NewMovement::returned(lot, units, invoice_id) };
        self.at_work(PHARMACY)?.move_stock(handed.record.medicine.key().clone(), back).await?;
        Ok(())
    }

    async fn happen(&mut self, medicine: MedicineKey, event: &Event) -> Result<(), Error> {
        let stock = self.care.stock(medicine.clone()).await?.record;
        let first = stock.shelf.lots().first().cloned();
        let held = |held| StockDetails { held: Patch::Set(held), ..StockDetails::default() };
        match (event, first) {
            (Event::Hold, _) => {
                self.at_work(PHARMACY)?.update_stock(medicine, held(true), ExpectedVersion::Any).await?;
            }
            (Event::Lift, _) => {
                self.at_work(PHARMACY)?.update_stock(medicine, held(false), ExpectedVersion::Any).await?;
            }
            (Event::Recall, Some(lot)) => {
                let said = note("the maker's recall")?;
                self.remove(&medicine, lot.id, lot.on_hand, MovementReason::Recalled, said).await?;
            }
            (Event::Damage(spoilt), Some(lot)) => {
                let said = note("fell into the sink")?;
                self.remove(&medicine, lot.id, units(*spoilt)?, MovementReason::Damaged, said).await?;
            }
            (Event::Count(difference), Some(lot)) => {
                let counted = sound(Amount::try_from(lot.on_hand.value() + difference))?;
                let lines = vec![LotCount { lot: lot.id, counted }];
                let said = note("half-yearly count")?;
                self.at_work(PHARMACY)?.count_stock(medicine, lines, said, ExpectedVersion::Any).await?;
            }
            (Event::Twice, Some(lot)) => {
                let entered = NewMovement::receipt(lot.id, units(100)?);
                let entered = self.at_work(PHARMACY)?.move_stock(medicine, entered).await?;
                self.at_work(PHARMACY)?.reverse_movement(entered.movement_id).await?;
            }
            // There is no lot for the event.
            (_, None) => {}
        }
        Ok(())
    }

    async fn remove(
        &mut self,
        medicine: &MedicineKey,
        lot: LotId,
        units: Units,
        reason: MovementReason,
        note: Option<Note>,
    ) -> Result<(), Error> {
        let removal = NewMovement { note, ..NewMovement::removal(lot, units, reason) };
        self.at_work(PHARMACY)?.move_stock(medicine.clone(), removal).await?;
        Ok(())
    }

    /// Returns the next lot, which expires after this many days.
    fn lot(&mut self, days: i64) -> Result<LotId, Error> {
        self.lots += 1;
        let expires = sound(self.care.today()?.plus_days(days))?;
        Ok(LotId { lot: Some(sound(LotText::new(format!("L{:03}", self.lots)))?), expires: Some(expires) })
    }
}

fn units(units: i64) -> Result<Units, Error> {
    sound(Units::try_from(units))
}

fn note(text: &str) -> Result<Option<Note>, Error> {
    Ok(Some(sound(Note::new(text))?))
}
