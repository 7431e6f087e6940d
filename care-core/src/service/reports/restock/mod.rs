//! The restock report: gathering the counts of each medicine, ranking the medicines, and making the items.

mod figures;
mod period;
mod report;

use std::collections::{BTreeMap, btree_map};

pub use period::RestockPeriod;
pub use report::{Recommendation, RestockItem, RestockReport};

use crate::{
    error::Error,
    model::{Date, Demand, Item, MedicineKey, MedicineName, OpenLot, RegularDemand, Stock, StockDay},
    service::{
        CareService,
        base::{
            pieces::{self, Pieces},
            waiting::Waiting,
        },
    },
    stock::PlanInput,
    store::{Entity, Limit, List, StockFilter},
};
use figures::{Figures, Rank, StockFacts};

/// Records in a page that a report reads. The memory of longer pages goes back to the operating system after each of
/// them, which makes a report take a tenth longer.
const PAGE: usize = 400;

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
    /// The store's failures.
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
        let mut gathered = Gathered::default();
        self.gather_items(&mut gathered).await?;
        self.gather_stocks(&mut gathered).await?;
        self.gather_lots(&mut gathered).await?;
        self.gather_regular(&mut gathered).await?;
        self.gather_demand(&mut gathered, period).await?;
        if let Some(today) = gathered.today {
            self.plan_from_days(&mut gathered, today).await?;
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

    async fn gather_items(&self, gathered: &mut Gathered) -> Result<(), Error> {
        let mut after = None;
        while let Some(page) = self.next_page(Item::list(after)).await? {
            after = page.last().map(|item| item.medicine.key().clone());
            for item in page {
                gathered.of(&item.medicine, |figures| {
                    figures.is_stocked = true;
                    figures.is_available = item.is_available;
                });
            }
        }
        Ok(())
    }

    async fn gather_stocks(&self, gathered: &mut Gathered) -> Result<(), Error> {
        let (filter, mut after) = (StockFilter::default(), None);
        while let Some(page) = self.next_page(Stock::list(&filter, after)).await? {
            let today = self.today()?;
            gathered.today = Some(today);
            after = page.last().map(|stock| stock.medicine.key().clone());
            for stock in page {
                gathered.of(&stock.medicine.clone(), |figures| figures.tracked = Some(StockFacts::new(stock)));
            }
        }
        Ok(())
    }

    async fn gather_lots(&self, gathered: &mut Gathered) -> Result<(), Error> {
        let mut after = None;
        while let Some(page) = self.next_page(OpenLot::list(after)).await? {
            after = page.last().map(|lot| (lot.medicine.key().clone(), lot.lot_id()));
            for lot in page {
                gathered.of(&lot.medicine, |figures| {
                    if let Some(tracked) = &mut figures.tracked {
                        // A lot beyond the limits of a shelf was opened after an earlier page was read.
                        let _ = tracked.shelf.add(lot.lot_id(), lot.on_hand);
                    }
                });
            }
        }
        Ok(())
    }

    async fn gather_regular(&self, gathered: &mut Gathered) -> Result<(), Error> {
        let mut after = None;
        while let Some(page) = self.next_page(RegularDemand::list(after)).await? {
            after = page.last().map(|regular| (regular.medicine.key().clone(), regular.every_days));
            for regular in page {
                gathered.of(&regular.medicine, |figures| {
                    figures.active_regular += regular.active_regular;
                    if let Some(tracked) = &mut figures.tracked {
                        tracked.refills.push(regular.refill());
                    }
                });
            }
        }
        Ok(())
    }

    async fn gather_demand(&self, gathered: &mut Gathered, period: RestockPeriod) -> Result<(), Error> {
        let today = gathered.today;
        let ((from, to), mut after) = (counted(period, today), None);
        while let Some(page) = self.next_page(Demand::list((from, to), after)).await? {
            after = page.last().map(|demand| (demand.day, demand.medicine.key().clone()));
            for demand in page {
                gathered.of(&demand.medicine, |figures| figures.enter(period, &demand, today));
            }
        }
        Ok(())
    }

    /// Plans the tracked medicines that have days. The days come by medicine, so no more than those of one are held at
    /// once.
    async fn plan_from_days(&self, gathered: &mut Gathered, today: Date) -> Result<(), Error> {
        let (from, to) = (PlanInput::window_from(today), today.plus_days(-1).unwrap_or(today));
        let days = |after| StockDay::list((from, to), None, after);
        let (mut after, mut counts, mut pieces) = (None, Vec::<StockDay>::new(), Pieces::default());
        while let Some(page) = self.next_page(days(after)).await? {
            after = page.last().map(|day| (day.medicine.key().clone(), day.day));
            for day in page {
                if counts.last().is_some_and(|last| last.medicine.key() != day.medicine.key()) {
                    gathered.plan(&counts, today);
                    counts.clear();
                    pieces.count().await;
                }
                counts.push(day);
            }
        }
        gathered.plan(&counts, today);
        Ok(())
    }

    /// Returns the next records of a list; `None` at the end. They are counted at once and not kept: there may be a
    /// count for each medicine on each of thousands of days. Others pass before each page, as a store may have it at
    /// once.
    async fn next_page<E: Entity>(&self, list: List<E>) -> Result<Option<Vec<E>>, Error> {
        pieces::pass().await;
        let page = self.page(list, Limit::items(PAGE)).await?;
        let records: Vec<_> = page.items.into_iter().map(|found| found.record).collect();
        Ok((!records.is_empty()).then_some(records))
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
