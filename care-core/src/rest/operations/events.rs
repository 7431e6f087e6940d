//! Events: which records changed, for those who may read no value.

use super::{pages::READ, poll::Poll, request::Request};
use crate::{
    meter::{self, Work},
    rest::contract::{answer::Answer, problem::Problem},
    store::Limit,
    wire::Event,
};

/// The number of entries that a page looks at, most of which may be no events for it.
const ENTRIES: usize = 5000;
/// The number of reads of [`READ`] bytes for a page: 4 MiB of journal.
const READS: usize = 4 * 1024 * 1024 / READ;

/// Answers the events of the journal. The cursor is the number of the last entry that was looked at, so that a follower
/// moves on even if all entries were reads.
pub(super) async fn list(request: &Request<'_>) -> Result<Answer, Problem> {
    let mut query = request.parameters()?;
    let mut after = Poll::read(&mut query).after();
    let limit = query.limit(request.contract.limits().page);
    query.verdict()?;
    let epoch = request.care.epoch();
    let mut page = request.begin_page(limit);
    let (mut looked, mut more) = (0, true);
    for _ in 0..READS {
        if !more || page.is_over() || looked == ENTRIES {
            break;
        }
        // The first read is short, so that a follower who knows nearly all need not wait.
        let Work { records, bytes } = if looked == 0 { Work::SHORT } else { Work::QUANTUM };
        let limit = Limit::items(records.min(ENTRIES - looked)).bytes(bytes);
        let found = request.care.store().journal(after, limit).await?;
        more = found.more;
        for entry in &found.items {
            if page.is_over() || Event::of(entry).is_some_and(|event| !page.add(&event)) {
                more = true;
                break;
            }
            after = entry.seq;
            looked += 1;
        }
        meter::pass().await;
    }
    if looked == 0 {
        // A journal that was restored may end before the entry that the client knows.
        after = after.min(request.care.last().await?);
    }
    page.goes_on_after(more);
    request.end_page(page.up_to(epoch, after), &query, || Some(after.to_string()))
}
