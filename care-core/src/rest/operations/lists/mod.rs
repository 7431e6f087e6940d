//! Lists and reports.

pub(super) mod reports;
pub(crate) mod today;

use std::fmt::Display;

use http::StatusCode;

use super::{pages::PageBody, poll::Poll, query::Parameters, request::Request};
use crate::{
    error::Error,
    model::{Date, Email, FindText, Invalid, KeyName, LotText, MedicineKey, MedicineName, Name, NamePrefix},
    rest::contract::{answer::Answer, limits::MAX_PAGE_BYTES, operation::Input, problem::Problem},
    service::{Page, PageElement, base::pieces},
    store::{
        ConsultationFilter, Filter, InvoiceFilter, Limit, MovementFilter, PatientFilter, PrescriptionFilter,
        ReceiptFilter, StockFilter,
    },
    wire::{Invoice, JournalEntry, News, Prescription, Stock},
};

/// Answers a list in pages: reads on behind the last item until the page is full or the list ends. The limit and the
/// cursor are the last parameters that it reads; `begin` returns the key that a cursor stands for.
async fn pages<T: PageElement<Cursor: Clone + Display>, F: Future<Output = Result<Page<T>, Error>>>(
    request: &Request<'_>,
    mut query: Parameters,
    (filter, begin): (&(impl Filter + Sync), impl FnOnce(&str) -> Option<T::Cursor>),
    read: impl Fn(Option<T::Cursor>, Limit) -> F,
    add: impl Fn(&mut PageBody, &T) -> bool,
) -> Result<Answer, Problem> {
    let (limit, mark) = (query.limit(request.contract.limits().page), query.mark(filter));
    let mut after = query.after(&mark, begin);
    query.verdict()?;
    let mut page = request.begin_page(limit);
    loop {
        let found = read(after.clone(), page.room()).await?;
        for item in &found.items {
            if !add(&mut page, &item.record) {
                break;
            }
            after = Some(item.record.cursor());
        }
        if !page.goes_on(found.more) {
            break;
        }
        pieces::pass().await;
    }
    request.end_page(page, &query, || after.map(|after| mark.cursor(&after.to_string())))
}

/// Answers the patients by number, or those that match a text, the best first.
pub(crate) async fn patients(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    if query.has("find") {
        return found_patients(request, query).await;
    }
    let filter = PatientFilter {
        name_prefix: query.parse("name", name_prefix),
        phone: query.integer("phone"),
        email: query.parse("email", Email::new),
    };
    pages(
        request,
        query,
        (&filter, number),
        |after, room| request.care.patients(filter.clone(), after, room),
        |page, item| page.add(item),
    )
    .await
}

/// Answers the patients that match a text, in one page that none follows.
async fn found_patients(request: &Request<'_>, mut query: Parameters) -> Result<Answer, Problem> {
    let text = query.parse("find", FindText::new);
    query.not_beside_find(&["name", "phone", "email", "after"]);
    let limit = query.find_limit(request.contract.limits().page);
    query.verdict()?;
    let text = text.ok_or(Problem::Internal)?;
    let mut page = request.begin_page(limit);
    let found = request.care.find_patients(text, Limit::items(limit).bytes(MAX_PAGE_BYTES)).await?;
    let is_whole = found.items.iter().all(|item| page.add(&item.record));
    request.end_page(page.with_more(found.more || !is_whole), &query, || None)
}

/// Reads a prefix of names. An empty one is refused, since it would match every name.
fn name_prefix(text: String) -> Result<NamePrefix, Invalid> {
    let prefix = NamePrefix::new(Name::new(text)?.as_str());
    if prefix.as_str().is_empty() { Err(Invalid("must not be blank")) } else { Ok(prefix) }
}

/// Answers the prescriptions by number.
pub(crate) async fn prescriptions(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let filter = PrescriptionFilter {
        patient_id: query.integer("patientId"),
        medicine: query.parse("medicine", |text| MedicineName::new(text).map(|name| name.key().clone())),
        state: query.parse("state", |text| text.parse()),
    };
    pages(
        request,
        query,
        (&filter, number),
        |after, room| request.care.prescriptions(filter.clone(), after, room),
        |page, item| page.add(&Prescription::listed(&item.prescription, Some(item.is_available))),
    )
    .await
}

/// Answers the consultations by number.
pub(crate) async fn consultations(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let filter =
        ConsultationFilter { patient_id: query.integer("patientId"), state: query.parse("state", |text| text.parse()) };
    pages(
        request,
        query,
        (&filter, number),
        |after, room| request.care.consultations(filter.clone(), after, room),
        |page, item| page.add(item),
    )
    .await
}

/// Answers the invoices by number, the newest first if asked for.
pub(crate) async fn invoices(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let mut day = |name| query.parse(name, |text| text.parse::<Date>());
    let (from, to) = (day("from"), day("to"));
    let filter = InvoiceFilter {
        patient_id: query.integer("patientId"),
        state: query.parse("state", |text| text.parse()),
        from,
        to,
        newest: query.flag("newest"),
    };
    query.in_order(from, to);
    pages(
        request,
        query,
        (&filter, number),
        |after, room| request.care.invoices(filter.clone(), after, room),
        |page, item| page.add(&Invoice::listed(item)),
    )
    .await
}

/// Answers the inventory by name.
pub(crate) async fn medicines(request: &Request<'_>) -> Result<Answer, Problem> {
    let query = request.parameters()?;
    pages(
        request,
        query,
        (&(), medicine),
        |after, room| request.care.items(after, room),
        |page, item| page.add(&item.item),
    )
    .await
}

/// Answers the tracked medicines by name.
pub(crate) async fn stocks(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let filter = StockFilter { expires_to: query.parse("expiresTo", |text| text.parse()) };
    pages(
        request,
        query,
        (&filter, medicine),
        |after, room| request.care.stocks(filter.clone(), after, room),
        |page, item| page.add(&Stock::from(item)),
    )
    .await
}

/// Answers the movements by number.
pub(crate) async fn movements(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let mut day = |name| query.parse(name, |text| text.parse::<Date>());
    let (expires, from, to) = (day("expires"), day("from"), day("to"));
    let filter = MovementFilter {
        medicine: query.parse("medicine", |text| MedicineName::new(text).map(|name| name.key().clone())),
        lot: query.parse("lot", |text| match text.as_str() {
            "" => Ok(None),
            _ => LotText::new(text).map(Some),
        }),
        expires,
        kind: query.parse("kind", |text| text.parse()),
        invoice_id: query.integer("invoiceId"),
        from,
        to,
    };
    query.only_beside("medicine", &["lot", "expires", "kind"]);
    query.in_order(from, to);
    pages(
        request,
        query,
        (&filter, number),
        |after, room| request.care.movements(filter.clone(), after, room),
        |page, item| page.add(item),
    )
    .await
}

/// Answers the receipts by number.
pub(crate) async fn receipts(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let mut day = |name| query.parse(name, |text| text.parse::<Date>());
    let (from, to) = (day("from"), day("to"));
    let filter = ReceiptFilter {
        invoice_id: query.integer("invoiceId"),
        holder: query.parse("holder", holder),
        kind: query.parse("kind", |text| text.parse()),
        from,
        to,
    };
    query.in_order(from, to);
    pages(
        request,
        query,
        (&filter, number),
        |after, room| request.care.receipts(filter.clone(), after, room),
        |page, item| page.add(item),
    )
    .await
}

/// Answers the journal. Its cursor is the number of an entry, so that a client can begin anywhere.
pub(crate) async fn journal(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let mut after = Poll::read(&mut query).after();
    let limit = query.limit(request.contract.limits().page);
    query.verdict()?;
    let epoch = request.care.epoch();
    let mut page = request.begin_page(limit);
    loop {
        let found = request.care.store().journal(after, page.room()).await?;
        for entry in &found.items {
            if !page.add(&JournalEntry::from(entry)) {
                break;
            }
            after = entry.seq;
        }
        if !page.goes_on(found.more) {
            break;
        }
        pieces::pass().await;
    }
    // It is read after the items, so that no item lies beyond it.
    let head = request.care.store().head().await?;
    request.end_page(page.of_past(epoch, head), &query, || Some(after.to_string()))
}

/// Answers the number of the journal's last entry, with the kinds of records that have changed.
pub(crate) async fn news(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let after = Poll::read(&mut query).after();
    query.verdict()?;
    let seq = request.care.last().await?;
    let kinds = request.care.changed_kinds(after, seq).await;
    Ok(request.answer(StatusCode::OK, "News", &News::new(request.care.epoch(), seq, kinds)))
}

/// Reads the name of a holder, which may be a reserved one.
fn holder(text: String) -> Result<Box<str>, Invalid> {
    KeyName::check(&text)?;
    Ok(text.into())
}

fn medicine(key: &str) -> Option<MedicineKey> {
    Some(MedicineKey::from_stored(key))
}

fn number<T: TryFrom<i64>>(key: &str) -> Option<T> {
    T::try_from(key.parse().ok()?).ok()
}

impl Request<'_> {
    pub(super) fn parameters(&self) -> Result<Parameters, Problem> {
        let known = match self.operation.input() {
            Input::Query(known) => known,
            Input::Nothing | Input::Record(_) | Input::Optional(_) => &[],
        };
        Parameters::read(self.operation, self.head.uri.query(), known)
    }
}
