//! Reports on takings, by days or by receipt numbers (money.md, 3).

use std::{
    collections::BTreeMap,
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use care_derive::{Filter, Record};
use futures_util::{
    Stream, StreamExt as _, TryFutureExt as _, TryStreamExt as _,
    stream::{self, BoxStream},
};

use crate::{
    error::Error,
    meter,
    model::{Currency, Date, MethodTotal, PaymentMethod, Receipt, ReceiptId, ReceiptKind, Takings, TakingsKey},
    service::{
        CareService,
        base::{
            bounds::{self, Budget},
            page::{Page, WALKED},
        },
    },
    store::{Counter, ReceiptFilter, RecordKey, Series},
};

/// The request for a report on takings: of days, or of receipts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Filter)]
pub struct TakingsQuery {
    /// The first day; without it the period has one day.
    #[filter(example = "15/03/2026")]
    pub from: Option<Date>,
    /// The last day, today unless given.
    #[filter(example = "15/03/2026")]
    pub to: Option<Date>,
    /// Only receipts above this number, to be named instead of days, at most that of the last.
    #[filter(excludes(from, to), least = 0_i64, most = i64::MAX, example = 0)]
    pub above: Option<i64>,
    /// Only receipts up to this number, the last one unless given.
    #[filter(excludes(from, to), most = i64::MAX, example = 24)]
    pub upto: Option<ReceiptId>,
    /// Only takings of this holder of a key.
    pub holder: Option<Box<str>>,
}

/// The period of a report on takings, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakingsPeriod {
    /// The first day.
    pub from: Date,
    /// The last day.
    pub to: Date,
}

/// The receipts of a report on takings: those above a number, up to another. [`CareService::receipt_range`] makes it,
/// and bounds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReceiptRange {
    /// The number before the first receipt, 0 for all.
    pub above: i64,
    /// The number of the last receipt.
    pub upto: i64,
}

/// The sums of a report on takings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[record(document = "TakingsSums")]
pub struct TakingsSums {
    /// The number of receipts.
    #[field(example = 3)]
    pub receipts: u64,
    /// The number of those without an amount, which are in no total.
    #[field(example = 0)]
    pub unpriced: u64,
    /// The totals by currency, those without one last, and then by method.
    pub totals: Vec<CurrencyTotal>,
    /// The currencies and methods with a sum beyond the range of exact numbers, which are in no total; ordered as
    /// totals are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[field(aside)]
    pub beyond: Vec<CurrencyMethod>,
}

/// A currency and a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[record(document = "CurrencyMethod")]
pub struct CurrencyMethod {
    /// The currency; absent for invoices without one.
    pub currency: Option<Currency>,
    /// The method.
    pub method: PaymentMethod,
}

/// The sums of one currency and method, in whole units of the currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[record(document = "MethodTotal")]
pub struct CurrencyTotal {
    /// The currency; absent for invoices without one.
    pub currency: Option<Currency>,
    /// The sums.
    #[field(group)]
    pub total: MethodTotal,
    /// `paid`, less `refunded`, and `moved`.
    #[field(example = 4)]
    pub net: i64,
}

/// The takings of a holder on a day.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "DayTakings")]
pub struct DayTakings {
    /// The day.
    #[field(example = "15/03/2026")]
    pub day: Date,
    /// The holder of the key.
    pub holder: Box<str>,
    /// The sums.
    #[field(group)]
    pub sums: TakingsSums,
}

impl TakingsPeriod {
    /// The largest number of days in a report.
    pub const MAX_DAYS: i64 = 400;

    /// Returns the period with these ends. Without both it is today; a first day alone goes on until today, and a last
    /// day alone is the only one.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the first day is after the last, or the period has more than 400 days.
    pub fn new(from: Option<Date>, to: Option<Date>, today: Date) -> Result<Self, Error> {
        let to = to.unwrap_or(today);
        let from = from.unwrap_or(to);
        if from > to {
            return Err(Error::field("from", "must not be after to"));
        }
        if to.unix_days() - from.unix_days() >= Self::MAX_DAYS {
            return Err(Error::field("from", "must be at most 400 days before the end"));
        }
        Ok(Self { from, to })
    }
}

impl ReceiptRange {
    /// The largest number of receipts in a report.
    pub const MOST: i64 = 10_000;
}

/// The takings of each day and holder with a receipt, by day and then by holder, as a stream, with the
/// [sums](Self::sums) of all of them. It ends after a failure.
#[must_use = "streams do nothing unless polled"]
pub struct TakingsDays<'a> {
    days: BoxStream<'a, Result<DaySums, Error>>,
    /// The sums of those that were returned.
    sums: RunningSums,
}

/// The sums of a day and a holder.
type DaySums = ((Date, Box<str>), RunningSums);

impl<'a> TakingsDays<'a> {
    fn of(days: impl Stream<Item = Result<DaySums, Error>> + Send + 'a) -> Self {
        Self { days: days.boxed(), sums: RunningSums::default() }
    }

    /// Returns the sums of the days that the stream has returned: those of the report once it has ended.
    pub fn sums(&self) -> TakingsSums {
        self.sums.exact()
    }

    /// Returns the sums of the report without its days.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn total(mut self) -> Result<TakingsSums, Error> {
        while self.try_next().await?.is_some() {}
        Ok(self.sums())
    }
}

impl Stream for TakingsDays<'_> {
    type Item = Result<DayTakings, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let next = ready!(this.days.poll_next_unpin(context));
        Poll::Ready(next.map(|day| {
            let ((day, holder), sums) = day?;
            this.sums.merge(&sums);
            Ok(DayTakings { day, holder, sums: sums.exact() })
        }))
    }
}

impl fmt::Debug for TakingsDays<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TakingsDays").field("sums", &self.sums).finish_non_exhaustive()
    }
}

/// The sums of a report while it is counted. They are wider than those of a document: a sum may leave the range of
/// exact numbers and come back.
#[derive(Debug, Default)]
struct RunningSums {
    receipts: u64,
    unpriced: u64,
    /// Currencies are ordered as in a report, where none is the last.
    totals: BTreeMap<(bool, Option<Currency>, PaymentMethod), RunningTotal>,
}

#[derive(Debug, Default)]
struct RunningTotal {
    payments: u64,
    paid: i128,
    refunds: u64,
    refunded: i128,
    moved: i128,
}

impl RunningSums {
    /// Adds the takings of one currency.
    fn add(&mut self, takings: &Takings) {
        self.receipts += takings.receipts;
        self.unpriced += takings.unpriced;
        takings.totals.iter().for_each(|total| self.add_total(takings.of.currency, *total));
    }

    /// Adds a receipt. `corrected` is the kind of the receipt that a correction corrects.
    fn count(&mut self, receipt: &Receipt, corrected: Option<ReceiptKind>) {
        self.receipts += 1;
        self.unpriced += u64::from(receipt.amount.is_none());
        MethodTotal::of(receipt, corrected).for_each(|total| self.add_total(receipt.currency, total));
    }

    fn add_total(&mut self, currency: Option<Currency>, total: MethodTotal) {
        let MethodTotal { method, payments, paid, refunds, refunded, moved } = total;
        let sum = self.totals.entry((currency.is_none(), currency, method)).or_default();
        sum.payments += payments;
        sum.paid += i128::from(paid);
        sum.refunds += refunds;
        sum.refunded += i128::from(refunded);
        sum.moved += i128::from(moved);
    }

    /// Adds other sums.
    fn merge(&mut self, other: &Self) {
        self.receipts += other.receipts;
        self.unpriced += other.unpriced;
        for (of, RunningTotal { payments, paid, refunds, refunded, moved }) in &other.totals {
            let sum = self.totals.entry(*of).or_default();
            sum.payments += payments;
            sum.paid += paid;
            sum.refunds += refunds;
            sum.refunded += refunded;
            sum.moved += moved;
        }
    }

    /// Returns the sums that are exact, and the names of the others.
    fn exact(&self) -> TakingsSums {
        let Self { receipts, unpriced, ref totals } = *self;
        let mut sums = TakingsSums { receipts, unpriced, ..TakingsSums::default() };
        for (&(_, currency, method), sum) in totals {
            match sum.exact(method) {
                Some(total) => sums.totals.push(CurrencyTotal { currency, total, net: total.net() }),
                None => sums.beyond.push(CurrencyMethod { currency, method }),
            }
        }
        sums
    }
}

impl RunningTotal {
    /// Returns the total, unless one of its sums is beyond the range of exact numbers.
    fn exact(&self, method: PaymentMethod) -> Option<MethodTotal> {
        let Self { payments, refunds, .. } = *self;
        let exact = |sum: i128| i64::try_from(sum).ok().filter(|sum| sum.abs() <= MethodTotal::MOST);
        let (paid, refunded, moved) = (exact(self.paid)?, exact(self.refunded)?, exact(self.moved)?);
        let total = MethodTotal { method, payments, paid, refunds, refunded, moved };
        exact(total.net().into()).map(|_| total)
    }
}

impl CareService {
    /// Returns the takings of a period, of all holders or one.
    ///
    /// ```
    /// use care_core::{CareService, MemoryStore, service::TakingsPeriod};
    /// use futures_util::TryStreamExt as _;
    ///
    /// # futures_executor::block_on(async {
    /// let care = CareService::new(MemoryStore::new());
    /// let mut days = care.takings(TakingsPeriod::new(None, None, care.today()?)?, None);
    /// while let Some(day) = days.try_next().await? {
    ///     println!("{} {}: {} receipts", day.day, day.holder, day.sums.receipts);
    /// }
    /// assert_eq!(days.sums().receipts, 0);
    /// # Ok::<(), care_core::Error>(())
    /// # })?;
    /// # Ok::<(), care_core::Error>(())
    /// ```
    pub fn takings<'a>(&'a self, period: TakingsPeriod, holder: Option<&'a str>) -> TakingsDays<'a> {
        let TakingsPeriod { from, to } = period;
        let pages = Page::stream(move |after| async move {
            meter::pass().await;
            self.page(Takings::list((from, to), holder, after), WALKED).await
        });
        let mut budget = Budget::of(bounds::REPORT);
        let counts = pages.map(move |found| {
            budget.spend(1)?;
            Ok::<_, Error>(found?.record)
        });
        let counts = counts.boxed();
        TakingsDays::of(stream::try_unfold((counts, None::<Takings>), |(mut counts, read)| async move {
            let first = match read {
                Some(first) => first,
                None => match counts.try_next().await? {
                    Some(first) => first,
                    None => return Ok(None),
                },
            };
            let mut sums = RunningSums::default();
            sums.add(&first);
            let TakingsKey { day, holder, .. } = first.of;
            loop {
                match counts.try_next().await? {
                    Some(next) if next.of.day == day && next.of.holder == holder => sums.add(&next),
                    next => return Ok(Some((((day, holder), sums), (counts, next)))),
                }
            }
        }))
    }

    /// Returns the receipts above a number, 0 unless given, up to another, the last one unless given.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the numbers are in the wrong order, the first is beyond the last receipt, or the range
    /// has more than 10,000 receipts; the store's failures.
    pub async fn receipt_range(&self, above: Option<i64>, upto: Option<ReceiptId>) -> Result<ReceiptRange, Error> {
        let (above, upto) = (above.unwrap_or_default(), upto.map(ReceiptId::value));
        if upto.is_some_and(|upto| upto < above) {
            return Err(Error::field("above", "must not be more than upto"));
        }
        let last = self.ask(|seen| Ok(seen.get::<Counter>(Series::Receipt)?.map(|counter| counter.last))).await?;
        let last = last.unwrap_or_default();
        if above > last {
            return Err(Error::field("above", "must not be more than the last receipt"));
        }
        let upto = upto.unwrap_or(last).min(last);
        if upto - above > ReceiptRange::MOST {
            return Err(Error::field("upto", "must be at most 10000 above the first"));
        }
        Ok(ReceiptRange { above, upto })
    }

    /// Returns the takings of a range of receipts, of all holders or one: the slip for a drawer, which no clock can
    /// make wrong.
    pub fn takings_of<'a>(&'a self, range: ReceiptRange, holder: Option<&'a str>) -> TakingsDays<'a> {
        let days = self.days_of(range, holder).map_ok(|days| stream::iter(days).map(Ok));
        TakingsDays::of(days.try_flatten_stream())
    }

    /// Returns the sums of each day and holder with a receipt of a range, by day and then by holder.
    async fn days_of(
        &self,
        ReceiptRange { above, upto }: ReceiptRange,
        holder: Option<&str>,
    ) -> Result<BTreeMap<(Date, Box<str>), RunningSums>, Error> {
        // The range is bounded, and one holder's receipts may be few and far behind it.
        let is_of = |receipt: &Receipt| holder.is_none_or(|holder| *receipt.holder == *holder);
        let mut days = BTreeMap::<_, RunningSums>::new();
        let mut after = ReceiptId::try_from(above).ok();
        loop {
            meter::pass().await;
            let page = self.receipts(ReceiptFilter::default(), after, WALKED).await?;
            after = page.items.last().map(|last| last.receipt_id);
            let receipts: Vec<_> = page.items.into_iter().map(|found| found.record).collect();
            let is_over = receipts.last().is_none_or(|last| last.receipt_id.value() >= upto);
            for (receipt, corrected) in self.with_corrected(receipts).await? {
                if receipt.receipt_id.value() <= upto && is_of(&receipt) {
                    days.entry((receipt.day, receipt.holder.clone())).or_default().count(&receipt, corrected);
                }
            }
            if is_over || !page.more {
                return Ok(days);
            }
        }
    }

    /// Returns receipts, each with the kind of the one that it corrects.
    async fn with_corrected(&self, receipts: Vec<Receipt>) -> Result<Vec<(Receipt, Option<ReceiptKind>)>, Error> {
        let kinds = self.ask(|seen| {
            let corrected = receipts.iter().filter_map(|receipt| receipt.corrects);
            seen.need(corrected.map(|id| RecordKey::Receipt(id).into()))?;
            let kind = |id| Ok(seen.get::<Receipt>(id)?.map(|corrected| corrected.record.kind));
            receipts.iter().map(|receipt| receipt.corrects.map_or(Ok(None), kind)).collect::<Result<Vec<_>, _>>()
        });
        let kinds = kinds.await?;
        Ok(receipts.into_iter().zip(kinds).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_has_at_most_400_days() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let today = day("31/03/2026");
        let of = |from: Option<&str>, to: Option<&str>| TakingsPeriod::new(from.map(day), to.map(day), today);
        assert_eq!(of(None, None).unwrap(), TakingsPeriod { from: today, to: today });
        assert_eq!(of(Some("01/03/2026"), None).unwrap().to, today);
        assert_eq!(of(None, Some("01/03/2026")).unwrap().from, day("01/03/2026"));
        assert!(of(Some("25/02/2025"), None).is_ok());
        assert!(of(Some("24/02/2025"), None).is_err());
        assert!(of(Some("01/04/2026"), None).is_err());
    }
}
