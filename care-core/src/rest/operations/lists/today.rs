//! The front desk's day, in parts: each as far as the key may read it.

use std::borrow::Cow;

use http::StatusCode;
use serde::Serialize;

use crate::{
    model::{Currency, Invalid, Scope},
    rest::{
        body::encode,
        contract::{answer::Answer, limits::MAX_PAGE_BYTES, problem::Problem},
        http::media::Format,
        operations::request::Request,
    },
    service::{CareService, Waiting},
    wire::{Invoice, Prescription, Stock, Today, UnpaidInvoices},
};

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    OpenVisits,
    WithoutInvoice,
    Unpaid,
    OutWithDemand,
    Expiring,
    Orders,
    Taken,
}

/// The number of records that each part of the whole day shows.
const FIRST: usize = 5;
/// The number of records that a part alone shows at most.
const ALONE: usize = CareService::MOST_ORDERS;

impl Part {
    /// All parts, in the order of their scopes.
    pub(crate) const ALL: [Self; 7] = [
        Self::OpenVisits,
        Self::WithoutInvoice,
        Self::Unpaid,
        Self::OutWithDemand,
        Self::Expiring,
        Self::Orders,
        Self::Taken,
    ];

    /// Returns the name of its member.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OpenVisits => "openVisits",
            Self::WithoutInvoice => "withoutInvoice",
            Self::Unpaid => "unpaid",
            Self::OutWithDemand => "outWithDemand",
            Self::Expiring => "expiring",
            Self::Orders => "orders",
            Self::Taken => "taken",
        }
    }

    /// Returns the scope that it needs.
    const fn scope(self) -> Scope {
        match self {
            Self::OpenVisits => Scope::HistoryRead,
            Self::WithoutInvoice => Scope::PrescriptionsRead,
            Self::Unpaid | Self::Taken => Scope::InvoiceRead,
            Self::OutWithDemand | Self::Expiring | Self::Orders => Scope::InventoryRead,
        }
    }
}

/// Returns the form of a part with its first records, as many as this number and the room in bytes allow.
fn shown<'a, R, T: Serialize>(
    waiting: &'a Waiting<R>,
    first: usize,
    (format, room): (Format, &mut usize),
    form: impl Fn(&'a R) -> T,
) -> Waiting<T> {
    let mut items = Vec::new();
    for item in waiting.items.iter().take(first).map(form) {
        let bytes = encode::document(format, "items", &item).len();
        if bytes > *room && !items.is_empty() {
            break;
        }
        *room = room.saturating_sub(bytes);
        items.push(item);
    }
    Waiting { count: waiting.count, more: waiting.more, items }
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
    let (care, format) = (request.care, request.format);
    let (day, first) = (care.today()?, if alone.is_some() { ALONE } else { FIRST });
    let asked = |part: &Part| alone.is_none_or(|alone| alone == *part);
    let may = |part: Part| request.principal.scopes.contains(part.scope());
    let shows = |part: Part| asked(&part) && may(part);
    let left = Part::ALL.into_iter().filter(asked).filter(|part| !may(*part));
    let left = left.map(|part| Cow::Borrowed(part.name())).collect();

    /// Awaits a part if it is shown.
    macro_rules! part {
        ($part:ident, $found:expr) => {
            match shows(Part::$part) {
                true => Some(Box::pin($found).await?),
                false => None,
            }
        };
    }
    let open_visits = part!(OpenVisits, care.open_visits(first));
    let without_invoice = part!(WithoutInvoice, care.without_invoice(first));
    let unpaid = part!(Unpaid, care.unpaid_invoices(first));
    let out_with_demand = part!(OutWithDemand, care.out_with_demand(first));
    let expiring = part!(Expiring, care.expiring(first));
    let orders = part!(Orders, care.orders());
    let taken = part!(Taken, care.taken());

    let mut room = MAX_PAGE_BYTES;
    macro_rules! shown {
        ($found:expr, $form:expr) => {
            $found.map(|found| shown(found, first, (format, &mut room), $form))
        };
    }
    let today = Today {
        day,
        open_visits: shown!(open_visits.as_ref(), Cow::Borrowed),
        without_invoice: shown!(without_invoice.as_ref(), |live| {
            Prescription::listed(&live.prescription, Some(live.is_available))
        }),
        unpaid: unpaid.as_ref().map(|(found, sums)| UnpaidInvoices {
            waiting: shown(found, first, (format, &mut room), Invoice::listed),
            totals: sums.totals.clone(),
            beyond: codes(&sums.beyond),
        }),
        out_with_demand: shown!(out_with_demand.as_ref(), |live| Cow::Borrowed(&live.item)),
        expiring: shown!(expiring.as_ref(), Stock::from),
        orders: shown!(orders.as_deref(), Cow::Borrowed),
        beyond: taken.as_ref().map(|sums| codes(&sums.beyond)).unwrap_or_default(),
        taken: taken.map(|sums| sums.totals),
        left,
    };
    Ok(request.answer(StatusCode::OK, "Today", &today))
}
