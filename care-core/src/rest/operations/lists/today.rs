//! The front desk's day, in parts: each as far as the key may read it.

use std::borrow::Cow;

use http::StatusCode;
use serde::Serialize;

use crate::{
    error::Error,
    model::{Currency, Invalid, Scope},
    rest::{
        body::encode,
        contract::{answer::Answer, limits::MAX_PAGE_BYTES, problem::Problem},
        operations::request::Request,
    },
    service::{CareService, Waiting},
    wire::{Invoice, Prescription, Stock, Today, UnpaidInvoices},
};

/// Lists the parts, each with the name of its member and the scope that it needs.
macro_rules! parts {
    ($($part:ident $name:literal $scope:ident;)*) => {
        /// A part of the day.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Part {
            $($part,)*
        }

        impl Part {
            /// All parts, in the order of their members.
            pub(crate) const ALL: [Self; [$($name),*].len()] = [$(Self::$part),*];

            /// Returns the name of its member.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$part => $name,)*
                }
            }

            /// Returns the scope that it needs.
            const fn scope(self) -> Scope {
                match self {
                    $(Self::$part => Scope::$scope,)*
                }
            }
        }
    };
}

parts! {
    OpenVisits "openVisits" HistoryRead;
    WithoutInvoice "withoutInvoice" PrescriptionsRead;
    Unpaid "unpaid" InvoiceRead;
    OutWithDemand "outWithDemand" InventoryRead;
    Expiring "expiring" InventoryRead;
    Orders "orders" InventoryRead;
    Taken "taken" InvoiceRead;
}

/// The number of records that each part of the whole day shows.
const FIRST: usize = 5;
/// The number of records that a part alone shows at most.
const ALONE: usize = CareService::MOST_ORDERS;

/// The day that a request asks for.
struct Day<'a> {
    request: &'a Request<'a>,
    /// The only part that is asked for; `None` for all.
    alone: Option<Part>,
    /// The number of records that a part shows.
    first: usize,
    /// The room in bytes for further records.
    room: usize,
}

impl Day<'_> {
    fn asks_for(&self, part: Part) -> bool {
        self.alone.is_none_or(|alone| alone == part)
    }

    fn may_show(&self, part: Part) -> bool {
        self.request.principal.scopes.contains(part.scope())
    }

    /// Finds a part if it is shown. Its future is boxed, since otherwise that of the day would hold those of all parts.
    async fn find<T, F>(&self, part: Part, find: impl FnOnce() -> F) -> Result<Option<T>, Error>
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
    let alone = query.parse("part", |name| {
        let named = Part::ALL.into_iter().find(|part| part.name() == name);
        named.ok_or(Invalid("must be the name of a part"))
    });
    query.verdict()?;
    let care = request.care;
    let (today, first) = (care.today()?, if alone.is_some() { ALONE } else { FIRST });
    let mut day = Day { request, alone, first, room: MAX_PAGE_BYTES };
    let left = Part::ALL.into_iter().filter(|part| day.asks_for(*part) && !day.may_show(*part));
    let left = left.map(|part| Cow::Borrowed(part.name())).collect();
    let open_visits = day.find(Part::OpenVisits, || care.open_visits(first)).await?;
    let without_invoice = day.find(Part::WithoutInvoice, || care.without_invoice(first)).await?;
    let unpaid = day.find(Part::Unpaid, || care.unpaid_invoices(first)).await?;
    let out_with_demand = day.find(Part::OutWithDemand, || care.out_with_demand(first)).await?;
    let expiring = day.find(Part::Expiring, || care.expiring(first)).await?;
    let orders = day.find(Part::Orders, || care.orders()).await?;
    let taken = day.find(Part::Taken, || care.taken()).await?;
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
