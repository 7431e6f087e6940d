//! Lists and reports.

pub(super) mod reports;
pub(crate) mod today;

use http::StatusCode;

use super::{
    poll::Poll,
    queries::FindQuery,
    query::{Parameters, Queried},
    request::Request,
    shown::Shown,
};
use crate::{
    error::Error,
    meter,
    model::FindText,
    rest::contract::{answer::Answer, limits::MAX_PAGE_BYTES, problem::Problem},
    service::{CareService, Page, PageElement},
    store::{Filter, Identity, Limit, PatientFilter},
    wire::{JournalEntry, News},
};

/// Answers a list in pages: reads on behind the last item until the page is full or the list ends. `ask` asks for the
/// part of the list that meets the filter, behind a record.
pub(super) async fn list<'a, Q, T, F>(
    request: &Request<'a>,
    ask: impl Fn(&'a CareService, Q, Option<T::Cursor>, Limit) -> F,
) -> Result<Answer, Problem>
where
    Q: Queried + Clone + Sync,
    T: PageElement<Cursor: Identity + Clone> + Shown,
    F: Future<Output = Result<Page<T>, Error>>,
{
    pages(request, request.parameters()?, ask).await
}

async fn pages<'a, Q, T, F>(
    request: &Request<'a>,
    mut query: Parameters,
    ask: impl Fn(&'a CareService, Q, Option<T::Cursor>, Limit) -> F,
) -> Result<Answer, Problem>
where
    Q: Queried + Clone + Sync,
    T: PageElement<Cursor: Identity + Clone> + Shown,
    F: Future<Output = Result<Page<T>, Error>>,
{
    let filter = Q::read(&mut query);
    let (limit, mark) = (query.limit(request.contract.limits().page), query.mark(&filter));
    let mut after = query.after(&mark, Identity::parse);
    query.verdict()?;
    let mut page = request.begin_page(limit);
    loop {
        let found = ask(request.care, filter.clone(), after.clone(), page.room()).await?;
        for item in &found.items {
            if !page.add(&item.record.listed()) {
                break;
            }
            after = Some(item.record.cursor());
        }
        if !page.goes_on(found.more) {
            break;
        }
        meter::pass().await;
    }
    request.end_page(page, &query, || after.map(|after| mark.cursor(&after.text())))
}

/// Answers the patients by number, or those that match a text, the best first.
pub(crate) async fn patients(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let FindQuery { find, similar } = FindQuery::read(&mut query);
    if !query.has("find") && !similar {
        return pages(request, query, CareService::patients).await;
    }
    let text = match find {
        Some(text) if similar => text.similar().map_err(|broken| query.refuse("find", broken.rule())).ok(),
        text => text,
    };
    found_patients(request, query, text).await
}

/// Answers the patients that match a text, in one page that none follows.
async fn found_patients(
    request: &Request<'_>,
    mut query: Parameters,
    text: Option<FindText>,
) -> Result<Answer, Problem> {
    if !query.has("find") {
        query.refuse("similar", "needs find beside it");
    }
    for name in PatientFilter::PARAMETERS.iter().map(|parameter| parameter.name).chain(["after"]) {
        if query.has(name) {
            query.refuse(name, "must not stand beside find");
        }
    }
    let limit = query.find_limit(request.contract.limits().page);
    query.verdict()?;
    let text = text.ok_or(Problem::Internal)?;
    let mut page = request.begin_page(limit);
    let found = request.care.find_patients(text, Limit::items(limit).bytes(MAX_PAGE_BYTES)).await?;
    let is_whole = found.items.iter().all(|item| page.add(&item.record));
    request.end_page(page.with_more(found.more || !is_whole), &query, || None)
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
        meter::pass().await;
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

impl Request<'_> {
    pub(super) fn parameters(&self) -> Result<Parameters, Problem> {
        Parameters::read(self.operation, self.head.uri.query())
    }
}
