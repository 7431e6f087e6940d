//! The front desk's day, in parts: each as far as the key may read it.

use http::StatusCode;
use serde::Serialize;

use crate::{
    model::{Date, Invalid, PatientConsultation, Scope},
    rest::{
        body::encode,
        contract::{
            answer::Answer,
            limits::MAX_PAGE_BYTES,
            problem::Problem,
            stock_view::StockView,
            view::{InvoiceView, PrescriptionView},
        },
        http::media::Format,
        operations::request::Request,
    },
    service::{CareService, CurrencyAmount, CurrencyTotal, RestockItem, Waiting},
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

/// The day. Absent parts were not asked for, or are named in `left`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TodayView<'a> {
    day: Date,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_visits: Option<PartView<&'a PatientConsultation>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    without_invoice: Option<PartView<PrescriptionView<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unpaid: Option<PartView<InvoiceView<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out_with_demand: Option<PartView<&'a crate::model::Item>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expiring: Option<PartView<StockView<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    orders: Option<PartView<&'a RestockItem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    taken: Option<Vec<CurrencyTotal>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left: Vec<&'static str>,
}

/// The records that wait for the same step.
#[derive(Debug, Serialize)]
struct PartView<T> {
    count: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more: bool,
    items: Vec<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    totals: Option<Vec<CurrencyAmount>>,
}

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

impl<T> PartView<T> {
    /// Returns the view of a part with its first records, as many as this number and the room in bytes allow.
    fn of<'a, R>(
        waiting: &'a Waiting<R>,
        first: usize,
        (format, room): (Format, &mut usize),
        view: impl Fn(&'a R) -> T,
    ) -> Self
    where
        T: Serialize,
    {
        let mut items = Vec::new();
        for item in waiting.items.iter().take(first).map(view) {
            let bytes = encode::document(format, "items", &item).len();
            if bytes > *room && !items.is_empty() {
                break;
            }
            *room = room.saturating_sub(bytes);
            items.push(item);
        }
        Self { count: waiting.count, more: waiting.more, items, totals: None }
    }
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
    let left = Part::ALL.into_iter().filter(asked).filter(|part| !may(*part)).map(Part::name).collect();

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
    macro_rules! view {
        ($found:expr, $view:expr) => {
            $found.map(|found| PartView::of(found, first, (format, &mut room), $view))
        };
    }
    let view = TodayView {
        day,
        open_visits: view!(open_visits.as_ref(), |consultation| consultation),
        without_invoice: view!(without_invoice.as_ref(), |live| {
            PrescriptionView::listed(&live.prescription, Some(live.is_available))
        }),
        unpaid: view!(unpaid.as_ref().map(|(found, _)| found), InvoiceView::listed)
            .map(|part| PartView { totals: unpaid.as_ref().map(|(_, totals)| totals.clone()), ..part }),
        out_with_demand: view!(out_with_demand.as_ref(), |live| &live.item),
        expiring: view!(expiring.as_ref(), StockView::live),
        orders: view!(orders.as_deref(), |item| item),
        taken,
        left,
    };
    Ok(request.answer(StatusCode::OK, "Today", &view))
}
