//! Lists, page by page or as one stream.

use std::vec;

use futures_util::{Stream, stream};

use super::bounds::Budget;
use crate::{
    error::Error,
    meter::{self, Work},
    model::{Consultation, Item, PatientConsultation, Prescription, Stock},
    service::{CareService, LiveItem, LivePrescription, LiveStock},
    store::{Entity, Limit, List, Versioned},
};

/// One page of a list. [`Page::stream`] goes through all of them.
///
/// ```
/// use care_core::{CareService, MemoryStore, model::PatientDetails, store::PatientFilter};
///
/// # futures_executor::block_on(async {
/// # let care = CareService::new(MemoryStore::new());
/// # for _ in 0..3 {
/// #     care.register_patient(PatientDetails::default()).await?;
/// # }
/// let first = care.patients(PatientFilter::default(), None, 2).await?;
/// assert_eq!((first.items.len(), first.more), (2, true));
/// let last = care.patients(PatientFilter::default(), first.cursor(), 2).await?;
/// assert_eq!((last.items.len(), last.cursor()), (1, None));
/// # Ok::<(), care_core::Error>(())
/// # })?;
/// # Ok::<(), care_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Page<T> {
    /// The records, in the list's order.
    pub items: Vec<Versioned<T>>,
    /// Whether more records follow.
    pub more: bool,
}

/// A record that lists hold.
pub trait PageElement {
    /// The cursor of a page.
    type Cursor;

    /// Returns what a page that goes on behind this record begins after.
    fn cursor(&self) -> Self::Cursor;
}

impl<T: PageElement> Page<T> {
    /// Returns what the next page begins after, or `None` when this one is the last.
    pub fn cursor(&self) -> Option<T::Cursor> {
        self.items.last().filter(|_| self.more).map(|last| last.record.cursor())
    }

    /// Returns all items of a list as a stream, which fetches a page once the one before is used up. It ends after the
    /// last page or after the first error. `fetch` reads the page after a cursor, or the first page.
    ///
    /// Each page is a read of its own, so the stream may show a record that was added after it began.
    ///
    /// ```
    /// use std::pin::pin;
    ///
    /// use care_core::{CareService, MemoryStore, model::PatientDetails, service::Page, store::PatientFilter};
    /// use futures_util::TryStreamExt as _;
    ///
    /// # futures_executor::block_on(async {
    /// # let care = CareService::new(MemoryStore::new());
    /// # for _ in 0..3 {
    /// #     care.register_patient(PatientDetails::named("Ada Example")?).await?;
    /// # }
    /// let filter = PatientFilter::default();
    /// let mut patients = pin!(Page::stream(|after| care.patients(filter.clone(), after, 2)));
    /// while let Some(patient) = patients.try_next().await? {
    ///     println!("{:?}", patient.name);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stream<F: Future<Output = Result<Self, Error>>>(
        fetch: impl FnMut(Option<T::Cursor>) -> F,
    ) -> impl Stream<Item = Result<Versioned<T>, Error>> {
        // The cursor of the page to fetch next, which is `None` for the first page.
        let next = Some(None);
        stream::try_unfold((fetch, vec::IntoIter::default(), next), |(mut fetch, mut items, mut next)| async move {
            loop {
                if let Some(item) = items.next() {
                    return Ok(Some((item, (fetch, items, next))));
                }
                let Some(after) = next.take() else {
                    return Ok(None);
                };
                let page = fetch(after).await?;
                next = page.cursor().map(Some);
                items = page.items.into_iter();
            }
        })
    }
}

/// A stored record is found by its identifier again.
impl<E: Entity> PageElement for E {
    type Cursor = E::Id;

    fn cursor(&self) -> E::Id {
        self.id()
    }
}

/// Says of each record that is made of stored ones whose identifier that is.
macro_rules! listed {
    ($($name:ident: $record:ident => $of:ty = $id:expr;)*) => {
        $(impl PageElement for $name {
            type Cursor = <$of as Entity>::Id;

            fn cursor(&self) -> Self::Cursor {
                let $record = self;
                $id
            }
        })*
    };
}

listed! {
    LivePrescription: live => Prescription = live.prescription.id();
    PatientConsultation: consultation => Consultation = consultation.consultation_id;
    LiveItem: live => Item = live.item.id();
    LiveStock: live => Stock = live.stock.id();
}

/// The number of records in a page that a report reads. The memory of longer pages goes back to the operating system
/// after each of them, which makes a report take a tenth longer.
pub(crate) const WALKED: usize = 400;

impl CareService {
    /// Returns the first records of a list as they are stored, as many as the limit allows.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn page<E: Entity>(&self, list: List<E>, limit: impl Into<Limit>) -> Result<Page<E>, Error> {
        let found = self.store.list(&list, limit.into()).await?;
        let typed = |found: Versioned<_>| {
            E::try_from_record(found.record).map(|record| Versioned { version: found.version, record })
        };
        Ok(Page { items: found.items.into_iter().filter_map(typed).collect(), more: found.more })
    }

    /// Gives each record of a list to `each`, given the list behind a record, within what is left of a bound. They are
    /// not kept: there may be a count for each medicine on each of thousands of days. Others pass before each page,
    /// since a store may have it at once.
    pub(crate) async fn walk<E: Entity>(
        &self,
        budget: &mut Budget,
        list: impl Fn(Option<E::Id>) -> List<E>,
        mut each: impl FnMut(E),
    ) -> Result<(), Error> {
        let mut after = None;
        loop {
            meter::pass().await;
            let page = self.page(list(after), Limit::items(WALKED).bytes(Work::QUANTUM.bytes)).await?;
            budget.spend(page.items.len())?;
            after = page.cursor();
            page.items.into_iter().for_each(|found| each(found.record));
            if after.is_none() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, pin::pin};

    use futures_executor::block_on;
    use futures_util::{StreamExt as _, TryStreamExt as _};

    use super::*;
    use crate::{MemoryStore, error::StoreErrorKind, model::PatientDetails, store::PatientFilter};

    fn patients(number: usize) -> CareService {
        let care = CareService::new(MemoryStore::new());
        for _ in 0..number {
            block_on(care.register_patient(PatientDetails::default())).unwrap();
        }
        care
    }

    #[test]
    fn a_stream_goes_through_all_pages_and_asks_for_no_further_one() {
        for (number, pages) in [(0, 1), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3)] {
            let (care, fetched) = (patients(number), Cell::new(0));
            let all = Page::stream(|after| {
                fetched.set(fetched.get() + 1);
                care.patients(PatientFilter::default(), after, 2)
            });
            let ids: Vec<_> = block_on(all.map_ok(|found| found.patient_id.value()).try_collect()).unwrap();
            assert_eq!(ids, (1..).take(number).collect::<Vec<i64>>());
            assert_eq!(fetched.get(), pages, "{number} patients");
        }
    }

    #[test]
    fn a_stream_ends_after_the_first_error() {
        let care = patients(5);
        let all = Page::stream(async |after| {
            let page = care.patients(PatientFilter::default(), after, 2).await?;
            if after.is_some() { Err(Error::Store(StoreErrorKind::Busy.into())) } else { Ok(page) }
        });
        let all: Vec<_> = block_on(all.collect());
        assert_eq!(all.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn a_stream_fetches_a_page_only_when_it_is_needed() {
        let (care, fetched) = (patients(5), Cell::new(0));
        let all = Page::stream(|after| {
            fetched.set(fetched.get() + 1);
            care.patients(PatientFilter::default(), after, 2)
        });
        assert_eq!(fetched.get(), 0);
        {
            let mut all = pin!(all);
            for expected in [1, 1, 2] {
                assert!(block_on(all.next()).is_some());
                assert_eq!(fetched.get(), expected);
            }
        }
        assert_eq!(fetched.get(), 2);
    }
}
