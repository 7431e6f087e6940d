//! Pages of lists, bounded in items and in bytes.

use http::{StatusCode, header};
use serde::Serialize;

use super::{query::Parameters, request::Request};
use crate::{
    rest::{
        body::encode::Writing,
        contract::{answer::Answer, limits::MAX_PAGE_BYTES, problem::Problem},
    },
    store::{Epoch, Limit},
};

/// The number of bytes that are read from the store at once. They are written into the page and dropped before more is
/// read.
const READ: usize = 256 * 1024;
/// The number of bytes that are kept free in a page for its cursor and its end.
const END: usize = 8 * 1024;

/// A page that is being written. Items are written as they come, and not kept.
#[derive(Debug)]
pub(super) struct PageBody {
    body: Writing,
    limit: usize,
    items: usize,
    is_full: bool,
    more: bool,
    epoch: Option<Epoch>,
}

impl PageBody {
    /// Adds the epoch of the database, for pages whose items refer to the past.
    pub(super) fn of_epoch(self, epoch: Epoch) -> Self {
        Self { epoch: Some(epoch), ..self }
    }

    /// Returns the size of the next read.
    pub(super) const fn room(&self) -> Limit {
        Limit::items(self.limit - self.items).bytes(READ)
    }

    /// Writes an item, unless it would make the page too long. The first one is always written.
    pub(super) fn add(&mut self, item: &impl Serialize) -> bool {
        let end = self.body.len();
        self.body.item(self.items == 0, item);
        if self.items > 0 && self.body.len() + END > MAX_PAGE_BYTES {
            self.body.truncate(end);
            self.is_full = true;
            return false;
        }
        self.items += 1;
        true
    }

    /// Returns whether to continue reading, given whether the store has more.
    pub(super) const fn goes_on(&mut self, more: bool) -> bool {
        self.more = self.is_full || more;
        more && !self.is_full && self.items < self.limit
    }
}

impl Request<'_> {
    /// Returns an empty page of at most this many items.
    pub(super) fn begin_page(&self, limit: usize) -> PageBody {
        PageBody {
            body: Writing::list(self.format, "Page", &[]),
            limit,
            items: 0,
            is_full: false,
            more: false,
            epoch: None,
        }
    }

    /// Returns the page as an answer, with this cursor when more items follow.
    pub(super) fn end_page(
        &self,
        page: PageBody,
        query: &Parameters,
        cursor: impl FnOnce() -> Option<String>,
    ) -> Result<Answer, Problem> {
        let next = page.more.then(cursor).flatten();
        let epoch = page.epoch.map(|epoch| epoch.to_string());
        let members = [("next", next.as_deref()), ("epoch", epoch.as_deref())];
        let members: Vec<_> = members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        let body = page.body.end(&members).ok_or(Problem::Internal)?;
        let answer = Answer::new(StatusCode::OK).with_body(self.format.media_type(), body);
        Ok(match next {
            Some(cursor) => answer.with_header(header::LINK, self.link(&query.next_query(&cursor))),
            None => answer,
        })
    }
}
