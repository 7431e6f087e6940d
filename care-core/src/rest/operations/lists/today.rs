//! The front desk's day, in parts: each as far as the key may read it.

use std::borrow::Cow;

use http::StatusCode;
use serde::Serialize;

use crate::{
    error::Error,
    model::Currency,
    rest::{
        body::encode,
        contract::{answer::Answer, limits::MAX_PAGE_BYTES, problem::Problem},
        operations::{query::Queried, request::Request},
    },
    service::{CareService, DayPart, DayQuery, Waiting},
    wire::{Invoice, Prescription, Stock, Today, UnpaidInvoices},
};

/// The number of records that each part of the whole day shows.
const FIRST: usize = 5;
/// The number of records that a part alone shows at most.
const ALONE: usize = CareService::MOST_ORDERS;

/// The day that a request asks for.
struct Day<'a> {
    request: &'a Request<'a>,
    /// The only part that is asked for; `None` for all.
    alone: Option<DayPart>,
    /// The number of records that a part shows.
    first: usize,
    /// The room in bytes for further records.
    room: usize,
}

impl Day<'_> {
    fn asks_for(&self, part: DayPart) -> bool {
        self.alone.is_none_or(|alone| alone == part)
    }

    fn may_show(&self, part: DayPart) -> bool {
        self.request.principal.scopes.contains(part.scope())
    }

    /// Finds a part if it is shown. Its future is boxed, since otherwise that of the day would hold those of all parts.
    async fn find<T, F>(&self, part: DayPart, find: impl FnOnce() -> F) -> Result<Option<T>, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        match self.asks_for(part) && self.may_show(part) {
            true => Box::pin(find()).await.map(Some),
            false => Ok(None),
        }
    }

    /// Returns the form of a part with its first records, as many as there is room for.
    fn show<'r, R, T: Serialize>(&mut self, waiting: &'r Waiting<R>, form: impl Fn(&'r R) -> T) -> Waiting<T> {
        let mut items = Vec::new();
        for item in waiting.items.iter().take(self.first).map(form) {
            let bytes = encode::document(self.request.format, "items", &item).len();
            if bytes > self.room && !items.is_empty() {
                break;
            }
            self.room = self.room.saturating_sub(bytes);
            items.push(item);
        }
        Waiting { count: waiting.count, more: waiting.more, items }
    }
}

/// Returns the codes of currencies, an empty text for invoices without one.
fn codes(currencies: &[Option<Currency>]) -> Vec<Box<str>> {
    currencies.iter().map(|currency| currency.as_ref().map(Currency::as_str).unwrap_or_default().into()).collect()
}

/// Answers what waits at the front desk today: all parts with their first records, or one part with more of them.
pub(crate) async fn today(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let DayQuery { part: alone } = DayQuery::read(&mut query);
    query.verdict()?;
    let care = request.care;
    let (today, first) = (care.today()?, if alone.is_some() { ALONE } else { FIRST });
    let mut day = Day { request, alone, first, room: MAX_PAGE_BYTES };
    let left = DayPart::ALL.iter().filter(|part| day.asks_for(**part) && !day.may_show(**part));
    let left = left.map(|part| Cow::Borrowed(part.as_str())).collect();
    let open_visits = day.find(DayPart::OpenVisits, || care.open_visits(first)).await?;
    let without_invoice = day.find(DayPart::WithoutInvoice, || care.without_invoice(first)).await?;
    let unpaid = day.find(DayPart::Unpaid, || care.unpaid_invoices(first)).await?;
    let out_with_demand = day.find(DayPart::OutWithDemand, || care.out_with_demand(first)).await?;
    let expiring = day.find(DayPart::Expiring, || care.expiring(first)).await?;
    let orders = day.find(DayPart::Orders, || care.orders()).await?;
    let taken = day.find(DayPart::Taken, || care.taken()).await?;
    let today = Today {
        day: today,
        open_visits: open_visits.as_ref().map(|found| day.show(found, Cow::Borrowed)),
        without_invoice: without_invoice
            .as_ref()
            .map(|found| day.show(found, |live| Prescription::listed(&live.prescription, Some(live.is_available)))),
        unpaid: unpaid.as_ref().map(|(found, sums)| UnpaidInvoices {
            waiting: day.show(found, Invoice::listed),
            totals: sums.totals.clone(),
            beyond: codes(&sums.beyond),
        }),
        out_with_demand: out_with_demand.as_ref().map(|found| day.show(found, |live| Cow::Borrowed(&live.item))),
        expiring: expiring.as_ref().map(|found| day.show(found, Stock::from)),
        orders: orders.as_deref().map(|found| day.show(found, Cow::Borrowed)),
        beyond: taken.as_ref().map(|sums| codes(&sums.beyond)).unwrap_or_default(),
        taken: taken.map(|sums| sums.totals),
        left,
    };
    Ok(request.answer(StatusCode::OK, "Today", &today))
}
