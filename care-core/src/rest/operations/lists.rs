//! Lists and reports.

use http::{StatusCode, header};
use serde::Serialize;

use super::{poll::Poll, query::Parameters, request::Request};
use crate::{
    model::{Date, Email, Invalid, InvoiceState, MedicineKey, MedicineName, Name, NamePrefix, PrescriptionState},
    rest::contract::{
        answer::Answer,
        operation::Input,
        problem::Problem,
        view::{EntryView, InvoiceView, NewsView, PageView, PrescriptionView},
    },
    service::RestockPeriod,
    store::{InvoiceFilter, PatientFilter, PrescriptionFilter},
};

/// Patients by number.
pub(crate) async fn patients(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let filter = PatientFilter {
        name_prefix: query.parse("name", name_prefix),
        phone: query.integer("phone"),
        email: query.parse("email", Email::new),
    };
    let (limit, after) = (query.limit(request.contract.limits().page), query.after(&filter, number));
    query.verdict()?;
    let page = request.care.patients(filter, after, limit).await?;
    let last = page.items.last().filter(|_| page.more).map(|last| last.record.patient_id.to_string());
    Ok(request.page(&query, page.items.iter().map(|item| &item.record).collect(), last))
}

/// The beginning of a name that somebody could have: nothing would be the beginning of all.
fn name_prefix(text: String) -> Result<NamePrefix, Invalid> {
    let prefix = NamePrefix::new(Name::new(text)?.as_str());
    if prefix.as_str().is_empty() { Err(Invalid("must not be blank")) } else { Ok(prefix) }
}

/// Prescriptions by number.
pub(crate) async fn prescriptions(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let states = [PrescriptionState::Active, PrescriptionState::Completed].map(|state| (state.as_str(), state));
    let filter = PrescriptionFilter {
        patient_id: query.integer("patientId"),
        medicine: query.parse("medicine", |text| MedicineName::new(text).map(|name| name.key().clone())),
        state: query.word("state", &states),
    };
    let (limit, after) = (query.limit(request.contract.limits().page), query.after(&filter, number));
    query.verdict()?;
    let page = request.care.prescriptions(filter, after, limit).await?;
    let last = page.items.last().filter(|_| page.more);
    let last = last.map(|last| last.record.prescription.prescription_id.to_string());
    let items = page.items.iter().map(|item| &item.record);
    let items = items.map(|live| PrescriptionView::listed(&live.prescription, Some(live.is_available))).collect();
    Ok(request.page(&query, items, last))
}

/// Invoices by number.
pub(crate) async fn invoices(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let states = [InvoiceState::Unpaid, InvoiceState::Paid].map(|state| (state.as_str(), state));
    let filter = InvoiceFilter { patient_id: query.integer("patientId"), state: query.word("state", &states) };
    let (limit, after) = (query.limit(request.contract.limits().page), query.after(&filter, number));
    query.verdict()?;
    let page = request.care.invoices(filter, after, limit).await?;
    let last = page.items.last().filter(|_| page.more).map(|last| last.record.invoice_id.to_string());
    Ok(request.page(&query, page.items.iter().map(|item| InvoiceView::listed(&item.record)).collect(), last))
}

/// The inventory by name.
pub(crate) async fn medicines(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let (limit, after) =
        (query.limit(request.contract.limits().page), query.after(&(), |key| Some(MedicineKey::from_stored(key))));
    query.verdict()?;
    let page = request.care.items(after, limit).await?;
    let last = page.items.last().filter(|_| page.more).map(|last| last.record.medicine.key().as_str().to_owned());
    Ok(request.page(&query, page.items.iter().map(|item| &item.record).collect(), last))
}

/// The journal. Its cursor is the number of an entry, so that a client can begin anywhere.
pub(crate) async fn journal(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let after = Poll::read(&mut query).after();
    let limit = query.limit(request.contract.limits().page);
    query.verdict()?;
    let entries = request.care.store().journal(after, limit + 1).await?;
    let more = entries.len() > limit;
    let entries = &entries[..entries.len().min(limit)];
    let next = entries.last().filter(|_| more).map(|last| last.seq.to_string());
    Ok(request.page_until(&query, entries.iter().map(EntryView::from).collect(), next))
}

/// The number of the journal's last entry.
pub(crate) async fn news(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    Poll::read(&mut query);
    query.verdict()?;
    let seq = request.care.last().await?;
    Ok(request.answer(StatusCode::OK, "News", &NewsView { seq }))
}

/// What to restock.
pub(crate) async fn restock(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let mut day = |name| query.parse(name, |text| text.parse::<Date>());
    let (from, to) = (day("from"), day("to"));
    query.verdict()?;
    let period = RestockPeriod::new(from, to, request.care.today()?).map_err(|error| match error {
        // A period that is none cannot be asked for, as any other bad parameter.
        crate::error::Error::Invalid(faults) => Problem::Malformed(faults),
        other => other.into(),
    })?;
    let report = request.care.restock(period).await?;
    Ok(request.answer(StatusCode::OK, "Restock", &report))
}

fn number<T: TryFrom<i64>>(key: &str) -> Option<T> {
    T::try_from(key.parse().ok()?).ok()
}

impl Request<'_> {
    fn parameters(&self) -> Result<Parameters, Problem> {
        let known = match self.operation.input() {
            Input::Query(known) => known,
            Input::Nothing | Input::Record(_) => &[],
        };
        Parameters::read(self.operation, self.head.uri.query(), known)
    }

    /// A page whose cursor is made from the key of its last item, if more follow.
    fn page<T: Serialize>(&self, query: &Parameters, items: Vec<T>, last: Option<String>) -> Answer {
        self.page_until(query, items, last.map(|key| query.cursor(&key)))
    }

    fn page_until<T: Serialize>(&self, query: &Parameters, items: Vec<T>, next: Option<String>) -> Answer {
        let link = next.as_deref().map(|cursor| self.link(&query.next_query(cursor)));
        let answer = self.answer(StatusCode::OK, "Page", &PageView { items, next });
        match link {
            Some(link) => answer.with_header(header::LINK, link),
            None => answer,
        }
    }
}
