//! Lists, page by page or as one stream.

use std::{collections::VecDeque, fmt, marker::PhantomData};

use care_core::{
    operation::Operation,
    store::{Head, Seq},
};
use futures_util::{Stream, stream};
use serde::{Deserialize, de::DeserializeOwned};

use crate::{Call, CareClient, ClientError};

/// A list. Each page is a call of its own.
#[must_use = "nothing is sent until a page is asked for"]
pub struct Pages<T> {
    client: CareClient,
    operation: Operation,
    /// The parameters of the filter.
    filter: Vec<(&'static str, String)>,
    limit: Option<u32>,
    /// The cursor to start at, for lists whose cursors callers can make themselves.
    start: Option<String>,
    items: PhantomData<fn() -> T>,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Page<T> {
    /// The items, in the list's order.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    #[serde(default = "Option::default")]
    pub next: Option<String>,
    /// Whether others may match, in the page of a search.
    #[serde(default)]
    pub more: bool,
    /// The database's epoch, in pages of the journal. When it changes, read the journal again from the beginning.
    #[serde(default)]
    pub epoch: Option<String>,
    /// The head of the journal, in its pages: the number and the link of its last entry. The option `--from-head` of
    /// `care-admin verify` proves later that nothing up to it was changed or cut off.
    #[serde(default)]
    pub head: Option<Head>,
    /// The number of the last entry of the journal that was looked at, in pages of events: go on after it.
    #[serde(default)]
    pub seq: Option<Seq>,
}

impl<T> Pages<T> {
    /// Makes the list of an operation under the filter with these parameters.
    pub(crate) fn new(client: &CareClient, operation: Operation, filter: Vec<(&'static str, String)>) -> Self {
        Self { client: client.clone(), operation, filter, limit: None, start: None, items: PhantomData }
    }

    pub(crate) fn starting_behind(self, cursor: String) -> Self {
        Self { start: Some(cursor), ..self }
    }

    /// Sets how many items a page has at most: 1 to 500, and 50 unless set. A page may have fewer.
    pub fn limit(self, limit: u32) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Makes the call for the page after this cursor, or for the first page.
    pub fn page(&self, after: Option<&str>) -> Call<Page<T>> {
        let call = Call::new(&self.client, self.operation, &[]);
        let call = self.filter.iter().fold(call, |call, (name, value)| call.query(name, Some(value)));
        call.query("after", after.or(self.start.as_deref())).query("limit", self.limit)
    }
}

impl<T: DeserializeOwned + Send + 'static> Pages<T> {
    /// Returns all items as a stream, which fetches a page once the one before is used up. It ends after the last page
    /// or after the first error.
    pub fn stream(self) -> impl Stream<Item = Result<T, ClientError>> + Send {
        /// The page to fetch next.
        enum Next {
            First,
            Behind(String),
            None,
        }
        stream::try_unfold((self, VecDeque::<T>::new(), Next::First), |(pages, mut items, mut next)| async move {
            loop {
                if let Some(item) = items.pop_front() {
                    return Ok(Some((item, (pages, items, next))));
                }
                let call = match &next {
                    Next::First => pages.page(None),
                    Next::Behind(cursor) => pages.page(Some(cursor)),
                    Next::None => return Ok(None),
                };
                let page = call.send().await?.record;
                items = page.items.into();
                next = page.next.map_or(Next::None, Next::Behind);
            }
        })
    }
}

impl<T> fmt::Debug for Pages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("operation", &self.operation.id())
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
