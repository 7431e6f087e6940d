//! Pages of lists, bounded in items and in bytes.

use http::{StatusCode, header};
use serde::Serialize;

use super::{query::Parameters, request::Request};
use crate::{
    meter::Work,
    rest::{
        body::encode::Writing,
        contract::{answer::Answer, limits::MAX_PAGE_BYTES, problem::Problem},
    },
    store::{Epoch, Head, Limit, Seq},
};

/// The number of bytes that are read from the store at once. They are written into the page and dropped before more is
/// read.
pub(super) const READ: usize = Work::QUANTUM.bytes;
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
    end: PageEnd,
}

/// The members of a page behind its items, beside its cursor.
#[derive(Debug, Default)]
struct PageEnd {
    epoch: Option<Epoch>,
    head: Option<Head>,
    seq: Option<Seq>,
    /// Whether others may match, though no page follows.
    more: Option<bool>,
}

impl PageBody {
    /// Adds the epoch of the database and the head of its journal, for pages whose items refer to the past.
    pub(super) fn of_past(mut self, epoch: Epoch, head: Head) -> Self {
        (self.end.epoch, self.end.head) = (Some(epoch), Some(head));
        self
    }

    /// Adds the epoch of the database and the last entry of its journal that was looked at, for pages that leave
    /// entries out.
    pub(super) fn up_to(mut self, epoch: Epoch, seq: Seq) -> Self {
        (self.end.epoch, self.end.seq) = (Some(epoch), Some(seq));
        self
    }

    /// Says that others may match, in a page that none follows.
    pub(super) fn with_more(mut self, more: bool) -> Self {
        (self.more, self.end.more) = (false, more.then_some(true));
        self
    }

    /// Returns whether the page takes no further item.
    pub(super) const fn is_over(&self) -> bool {
        self.is_full || self.items >= self.limit
    }

    /// Notes whether further items may follow.
    pub(super) const fn goes_on_after(&mut self, more: bool) {
        self.more = more;
    }

    /// Returns the size of the next read. The first one is short, so that a short page need not wait.
    pub(super) fn room(&self) -> Limit {
        let Work { records, bytes } = if self.items == 0 { Work::SHORT } else { Work::QUANTUM };
        Limit::items(records.min(self.limit - self.items)).bytes(bytes)
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
            end: PageEnd::default(),
        }
    }

    /// Returns the page as an answer, with this cursor when more items follow.
    pub(super) fn end_page(
        &self,
        PageBody { mut body, more, end: PageEnd { epoch, head, seq, more: others }, .. }: PageBody,
        query: &Parameters,
        cursor: impl FnOnce() -> Option<String>,
    ) -> Result<Answer, Problem> {
        let next = more.then(cursor).flatten();
        body.behind("epoch", epoch.map(|epoch| epoch.to_string()).as_ref());
        body.behind("head", head.as_ref());
        body.behind("seq", seq.as_ref());
        body.behind("more", others.as_ref());
        body.behind("next", next.as_ref());
        let body = body.end().ok_or(Problem::Internal)?;
        let answer = Answer::new(StatusCode::OK).with_body(self.format.media_type(), body);
        Ok(match next {
            Some(cursor) => answer.with_header(header::LINK, self.link(&query.next_query(&cursor))),
            None => answer,
        })
    }
}
