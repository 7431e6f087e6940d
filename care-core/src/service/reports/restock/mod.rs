//! The restock report: gathering the counts of each medicine, ranking the medicines, and making the items.

mod figures;
mod report;

use std::collections::{BTreeMap, btree_map};

pub use report::{Recommendation, RestockItem, RestockPeriod, RestockQuery, RestockReport};

use crate::{
    error::Error,
    meter,
    model::{Date, Demand, Item, MedicineKey, MedicineName, OpenLot, RegularDemand, Stock, StockDay},
    service::{
        CareService, Waiting,
        base::{
            bounds::{self, Budget},
            page::WALKED,
            pieces::Pieces,
        },
    },
    stock::PlanInput,
    store::{List, StockFilter, Versioned},
};
use figures::{Figures, Rank, StockFacts};

/// The medicines of a report, most urgent first, of which each item is made when it is asked for.
#[derive(Debug)]
pub(crate) struct RestockRanking {
    /// The period of the report.
    pub(crate) period: RestockPeriod,
    /// Whether there are further, less urgent medicines.
    pub(crate) more: bool,
    rows: btree_map::IntoValues<Rank, Figures>,
    pieces: Pieces,
}

/// The figures of all medicines, as far as they are known.
#[derive(Debug, Default)]
struct Gathered {
    figures: BTreeMap<MedicineKey, Figures>,
    /// The day of the plans; `None` when no medicine is tracked.
    today: Option<Date>,
}

impl CareService {
    /// Reports on at most `limit` medicines, the most urgent ones. It reads the daily counts, never prescriptions.
    ///
    /// It lets other tasks of the thread run after each few medicines, so it can be dropped at any time.
    ///
    /// # Errors
    /// [`StoreErrorKind::Excessive`](crate::error::StoreErrorKind::Excessive) when it would read more than 4,000,000
    /// records, and the store's failures.
    pub async fn restock(&self, period: RestockPeriod, limit: usize) -> Result<RestockReport, Error> {
        let mut ranking = self.restock_ranking(period, limit).await?;
        let mut items = Vec::new();
        while let Some(item) = ranking.next().await {
            items.push(item);
        }
        Ok(RestockReport { from: period.from, to: period.to, items, more: ranking.more })
    }

    /// Ranks at most `limit` medicines.
    pub(crate) async fn restock_ranking(&self, period: RestockPeriod, limit: usize) -> Result<RestockRanking, Error> {
        let mut budget = Budget::of(bounds::REPORT);
        let mut gathered = self.gather(period, &mut budget).await?;
        if let Some(today) = gathered.today {
            self.plan_from_days(&mut gathered, today, &mut budget).await?;
        }
        let Gathered { mut figures, today } = gathered;
        let (mut ranked, mut more, mut pieces) = (BTreeMap::new(), false, Pieces::default());
        while let Some((_, mut figures)) = figures.pop_first() {
            pieces.count().await;
            if let Some(today) = today {
                // The medicine has no days if it is not planned yet.
                figures.plan(&[], today);
            }
            if figures.is_reported() {
                ranked.insert(figures.rank(), figures);
                more |= ranked.len() > limit && ranked.pop_last().is_some();
            }
        }
        Ok(RestockRanking { period, more, rows: ranked.into_values(), pieces })
    }

    /// Gathers the figures of all medicines but for their plans.
    async fn gather(&self, period: RestockPeriod, budget: &mut Budget) -> Result<Gathered, Error> {
        let mut gathered = Gathered::default();
        let item = |item: Item| {
            gathered.of(&item.medicine, |figures| {
                figures.is_stocked = true;
                figures.is_available = item.is_available;
            });
        };
        self.walk(budget, List::<Item>::all, item).await?;
        let (filter, mut has_stocks) = (StockFilter::default(), false);
        let stock = |stock: Stock| {
            has_stocks = true;
            gathered.of(&stock.medicine.clone(), |figures| figures.tracked = Some(StockFacts::new(stock)));
        };
        self.walk(budget, |after| Stock::list(&filter, after), stock).await?;
        gathered.today = has_stocks.then(|| self.today()).transpose()?;
        let lot = |lot: OpenLot| {
            gathered.of(&lot.medicine, |figures| {
                if let Some(tracked) = &mut figures.tracked {
                    // A lot beyond the limits of a shelf was opened after an earlier page was read.
                    let _ = tracked.shelf.add(lot.lot_id(), lot.on_hand);
                }
            });
        };
        self.walk(budget, List::<OpenLot>::all, lot).await?;
        let regular = |regular: RegularDemand| {
            gathered.of(&regular.medicine, |figures| {
                figures.active_regular += regular.active_regular;
                if let Some(tracked) = &mut figures.tracked {
                    tracked.refills.push(regular.refill());
                }
            });
        };
        self.walk(budget, List::<RegularDemand>::all, regular).await?;
        let today = gathered.today;
        let days = counted(period, today);
        let demand = |demand: Demand| {
            gathered.of(&demand.medicine, |figures| figures.enter(period, &demand, today));
        };
        self.walk(budget, |after| Demand::list(days, after), demand).await?;
        Ok(gathered)
    }

    /// Plans the tracked medicines that have days. The days come by medicine, so no more than those of one are held at
    /// once.
    async fn plan_from_days(&self, gathered: &mut Gathered, today: Date, budget: &mut Budget) -> Result<(), Error> {
        let (from, to) = (PlanInput::window_from(today), today.plus_days(-1).unwrap_or(today));
        let (mut after, mut counts, mut pieces) = (None, Vec::<StockDay>::new(), Pieces::default());
        loop {
            meter::pass().await;
            let page = self.page(StockDay::list((from, to), None, after), WALKED).await?;
            budget.spend(page.items.len())?;
            after = page.cursor();
            for Versioned { record: day, .. } in page.items {
                if counts.last().is_some_and(|last| last.medicine.key() != day.medicine.key()) {
                    gathered.plan(&counts, today);
                    counts.clear();
                    pieces.count().await;
                }
                counts.push(day);
            }
            if after.is_none() {
                break;
            }
        }
        gathered.plan(&counts, today);
        Ok(())
    }
}

impl Gathered {
    /// Enters something into the figures of a medicine.
    fn of(&mut self, name: &MedicineName, enter: impl FnOnce(&mut Figures)) {
        match self.figures.get_mut(name.key()) {
            Some(figures) => enter(figures),
            None => enter(self.figures.entry(name.key().clone()).or_insert(Figures::new(name.clone()))),
        }
    }

    /// Plans the medicine of these days.
    fn plan(&mut self, counts: &[StockDay], today: Date) {
        if let Some(figures) = counts.first().and_then(|day| self.figures.get_mut(day.medicine.key())) {
            figures.plan(counts, today);
        }
    }
}

impl RestockRanking {
    /// Returns the items with an order, of which it makes this number at most.
    pub(crate) async fn orders(self, first: usize) -> Waiting<RestockItem> {
        let Self { period, rows, mut pieces, .. } = self;
        let mut found = Waiting::new();
        for figures in rows {
            pieces.count().await;
            if !figures.has_order() {
                continue;
            }
            let is_counted = match found.count < first {
                true => found.add(figures.report(period), first),
                false => found.count_one(),
            };
            if !is_counted {
                break;
            }
        }
        found
    }

    /// Returns the item of the next medicine.
    pub(crate) async fn next(&mut self) -> Option<RestockItem> {
        self.pieces.count().await;
        self.rows.next().map(|figures| figures.report(self.period))
    }
}

/// Returns the days whose counts a report needs: those of its periods, and those of the plans' window when there are
/// plans.
fn counted(period: RestockPeriod, today: Option<Date>) -> (Date, Date) {
    let (from, to) = (period.previous_from(), period.to);
    match today {
        None => (from, to),
        // A consultation may be dated tomorrow.
        Some(today) => (from.min(PlanInput::window_from(today)), to.max(today.plus_days(1).unwrap_or(today))),
    }
}
