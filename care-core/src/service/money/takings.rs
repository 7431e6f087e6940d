//! Reports on takings, by days or by receipt numbers (money.md, 3).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    error::{Conflict, Error},
    model::{
        Currency, Date, MethodTotal, PaymentMethod, Receipt, ReceiptId, ReceiptKind, Takings, TakingsFull, TakingsKey,
    },
    service::CareService,
    store::{Counter, Limit, Query, ReceiptFilter, RecordKey, Series, Versioned},
};

/// The period of a report on takings, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakingsPeriod {
    /// The first day.
    pub from: Date,
    /// The last day.
    pub to: Date,
}

/// The receipts of a report on takings: those above a number, up to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiptRange {
    /// The number before the first receipt, 0 for all.
    pub above: i64,
    /// The number of the last receipt.
    pub upto: i64,
}

/// The sums of a report on takings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TakingsSums {
    /// The number of receipts.
    pub receipts: u64,
    /// The number of those without an amount, which are in no total.
    pub unpriced: u64,
    /// The totals by currency, those without one last, and then by method.
    pub totals: Vec<CurrencyTotal>,
}

/// The sums of one currency and method, in whole units of the currency. Its document also has what they come to,
/// [`MethodTotal::net`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct CurrencyTotal {
    /// The currency; `None` for invoices without one.
    pub currency: Option<Currency>,
    /// The sums.
    #[serde(flatten)]
    pub total: MethodTotal,
}

/// The takings of a holder on a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayTakings {
    /// The day.
    pub day: Date,
    /// The holder of the key.
    pub holder: Box<str>,
    /// The sums.
    #[serde(flatten)]
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

impl Serialize for CurrencyTotal {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form {
            #[serde(skip_serializing_if = "Option::is_none")]
            currency: Option<Currency>,
            method: PaymentMethod,
            payments: u64,
            paid: i64,
            refunds: u64,
            refunded: i64,
            moved: i64,
            net: i64,
        }
        let Self { currency, total } = *self;
        let MethodTotal { method, payments, paid, refunds, refunded, moved } = total;
        Form { currency, method, payments, paid, refunds, refunded, moved, net: total.net() }.serialize(serializer)
    }
}

impl TakingsSums {
    /// Adds the takings of one currency.
    fn add(&mut self, takings: &Takings) -> Result<(), TakingsFull> {
        self.receipts += takings.receipts;
        self.unpriced += takings.unpriced;
        let currency = takings.of.currency;
        for total in &takings.totals {
            let place = |of: &CurrencyTotal| (of.currency.is_none(), of.currency, of.total.method);
            let wanted = (currency.is_none(), currency, total.method);
            match self.totals.binary_search_by_key(&wanted, place) {
                Ok(place) => self.totals[place].total = self.totals[place].total.plus(*total)?,
                Err(place) => self.totals.insert(place, CurrencyTotal { currency, total: *total }),
            }
        }
        Ok(())
    }
}

/// The size of a page of takings, in items.
const PAGE: usize = 500;

impl CareService {
    /// Returns the takings of a period, of all holders or one. Each day and holder with a receipt is given to `each`,
    /// by day and then by holder.
    ///
    /// # Errors
    /// [`Conflict::TakingsFull`] when a sum leaves the range of exact numbers; the store's failures.
    pub async fn takings(
        &self,
        TakingsPeriod { from, to }: TakingsPeriod,
        holder: Option<&str>,
        mut each: impl FnMut(DayTakings) + Send,
    ) -> Result<TakingsSums, Error> {
        let (mut sums, mut open) = (TakingsSums::default(), None);
        let (holder, mut after) = (holder.map(Box::<str>::from), None);
        loop {
            let query = Query::Takings { holder: holder.clone(), from, to, after };
            let page = self.page::<Takings>(query, Limit::items(PAGE)).await?;
            after = page.items.last().map(|last| last.of.clone());
            for Versioned { record, .. } in page.items {
                sums.add(&record).map_err(full)?;
                gather(&mut open, &record, &mut each)?;
            }
            if !page.more {
                break;
            }
        }
        open.into_iter().for_each(each);
        Ok(sums)
    }

    /// Returns the takings of the receipts above a number, 0 unless given, up to another, the last one unless given:
    /// the slip for a drawer, which no clock can make wrong. Also returns the range that it covers.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the numbers are in the wrong order, or the range has more than 10,000 receipts;
    /// [`Conflict::TakingsFull`] when a sum leaves the range of exact numbers; the store's failures.
    pub async fn takings_of(
        &self,
        (above, upto): (Option<i64>, Option<i64>),
        holder: Option<&str>,
        mut each: impl FnMut(DayTakings) + Send,
    ) -> Result<(ReceiptRange, TakingsSums), Error> {
        let above = above.unwrap_or_default();
        if upto.is_some_and(|upto| upto < above) {
            return Err(Error::field("above", "must not be more than upto"));
        }
        let last = self.ask(|seen| Ok(seen.get::<Counter>(Series::Receipt)?.map(|counter| counter.last))).await?;
        let upto = upto.unwrap_or(i64::MAX).min(last.unwrap_or_default());
        if upto - above > ReceiptRange::MOST {
            return Err(Error::field("upto", "must be at most 10000 above the first"));
        }
        let filter = ReceiptFilter { holder: holder.map(Box::from), ..ReceiptFilter::default() };
        let mut days: BTreeMap<TakingsKey, Takings> = BTreeMap::new();
        let mut after = ReceiptId::try_from(above).ok();
        loop {
            let page = self.receipts(filter.clone(), after, PAGE).await?;
            after = page.items.last().map(|last| last.receipt_id);
            let receipts: Vec<_> = page.items.into_iter().map(|found| found.record).collect();
            let is_over = receipts.last().is_none_or(|last| last.receipt_id.value() >= upto);
            for (receipt, corrected) in self.with_corrected(receipts).await? {
                if receipt.receipt_id.value() <= upto {
                    let key = TakingsKey::of(&receipt);
                    let takings = days.entry(key.clone()).or_insert_with(|| Takings::new(key));
                    takings.count(&receipt, corrected).map_err(full)?;
                }
            }
            if is_over || !page.more {
                break;
            }
        }
        let (mut sums, mut open) = (TakingsSums::default(), None);
        for takings in days.values() {
            sums.add(takings).map_err(full)?;
            gather(&mut open, takings, &mut each)?;
        }
        open.into_iter().for_each(each);
        Ok((ReceiptRange { above, upto }, sums))
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

/// Adds takings to those of the same day and holder, and gives those of the day and holder before to `each`.
fn gather(
    open: &mut Option<DayTakings>,
    takings: &Takings,
    each: &mut (impl FnMut(DayTakings) + Send),
) -> Result<(), Error> {
    let TakingsKey { day, holder, .. } = &takings.of;
    if open.as_ref().is_some_and(|open| open.day != *day || open.holder != *holder) {
        open.take().into_iter().for_each(each);
    }
    let open =
        open.get_or_insert_with(|| DayTakings { day: *day, holder: holder.clone(), sums: TakingsSums::default() });
    open.sums.add(takings).map_err(full)
}

fn full(_: TakingsFull) -> Error {
    Conflict::TakingsFull.into()
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
