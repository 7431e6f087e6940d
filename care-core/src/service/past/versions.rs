//! Earlier versions of records.

use std::collections::BTreeMap;

use crate::{
    error::{Conflict, Error, StoreError, StoreErrorKind},
    kinds::RecordKind,
    model::{
        Consultation, ConsultationId, Date, Diagnosis, History, Item, Lot, LotId, MedicineKey, Patient,
        PatientConsultation, PatientHistory, PatientId, Shelf, Stock, Units,
    },
    service::{
        CareService, LiveItem, LiveStock,
        base::{
            bounds::{self, Budget},
            live::is_available,
            page::WALKED,
        },
        effects::history::Head,
    },
    store::{Change, Entity, Limit, MovementFilter, Revision, Seq, Versioned},
};

/// A record in an earlier version.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Past<T> {
    /// The record, and the journal entry that put it.
    pub found: Versioned<T>,
    /// The version before this one; [`Seq::ZERO`] when this is the first.
    pub before: Seq,
}

impl<T> Past<T> {
    /// Returns what is made of the record, in the same version.
    fn map<U>(self, map: impl FnOnce(T) -> U) -> Past<U> {
        Past { found: self.found.map(map), before: self.before }
    }
}

impl CareService {
    /// Returns a record as it was after this journal entry: its newest version that is not above `at`. Returns `None`
    /// when it did not exist then, or does not exist now.
    ///
    /// The journal is followed back from the record's newest version, or from a later one that the store finds at once
    /// ([`Journal::skip_pointer`](crate::store::Journal::skip_pointer)). It costs a read of the journal for each
    /// version that is passed over: about four with a store's skip pointers, however many versions there are.
    ///
    /// ```
    /// use care_core::{
    ///     model::{Patient, PatientDetails, PatientId, Patch},
    ///     service::{CareService, ExpectedVersion},
    ///     store::{MemoryStore, Seq},
    /// };
    ///
    /// # futures_executor::block_on(async {
    /// let care = CareService::new(MemoryStore::new());
    /// let id = care.register_patient(PatientDetails::default()).await?.patient_id;
    /// let details = PatientDetails { age: Patch::Set(40.try_into()?), ..PatientDetails::default() };
    /// care.update_patient(id, details, ExpectedVersion::Any).await?;
    /// let first = care.as_of::<Patient>(id, Seq::new(1)).await?.ok_or("registered by entry 1")?;
    /// assert_eq!(first.found.record.age, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`versions`](Self::versions).
    pub async fn as_of<E: Entity>(&self, id: E::Id, at: Seq) -> Result<Option<Past<E>>, Error> {
        Ok(self.versions(id, at, 1).await?.pop())
    }

    /// Returns the versions of a record, the newest first, from the one that it had [after](Self::as_of) this journal
    /// entry back to its creation, and at most this number of them. Returns none when it does not exist now.
    ///
    /// # Errors
    /// [`StoreErrorKind::Excessive`] when the store leads past more than 20,000 later versions, and its failures.
    pub async fn versions<E: Entity>(&self, id: E::Id, at: Seq, most: usize) -> Result<Vec<Past<E>>, Error> {
        let key = E::key(id.clone());
        let newest = self.ask(|seen| Ok(seen.get::<E>(id.clone())?.map(|found| found.version))).await?;
        let mut version = newest.unwrap_or_default();
        if at < version
            && let Some(nearer) = self.store.skip_pointer(&key, at).await?.filter(|nearer| *nearer >= at)
        {
            // It may have been written since the newest was read.
            version = version.min(nearer);
        }
        let mut found = Vec::new();
        let mut budget = Budget::of(bounds::VERSIONS);
        while version != Seq::ZERO && found.len() < most {
            let entry = self.store.journal(Seq::new(version.value() - 1), Limit::items(1)).await?.items.pop();
            let revision = entry.as_ref().and_then(|entry| entry.revision_of(&key));
            let Some(Revision { change: Change::Put(record), replaced: before, .. }) = revision else {
                break;
            };
            if version > at {
                budget.spend(1)?;
            } else {
                let record = E::from_record(record).cloned();
                found.extend(record.map(|record| Past { found: Versioned { version, record }, before: *before }));
            }
            // A version must replace an earlier one; otherwise this loop would not end.
            version = (*before).min(Seq::new(version.value() - 1));
        }
        Ok(found)
    }

    /// Returns a patient as it was after this journal entry; `None` when it did not exist then, or does not exist now.
    /// The age is that of the day of the entry that put it, and in the newest version that of today.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn patient_as_of(&self, id: PatientId, at: Seq) -> Result<Option<Past<Patient>>, Error> {
        let Some(Past { found, before }) = self.as_of::<Patient>(id, at).await? else {
            return Ok(None);
        };
        if found.birth_date.is_none() {
            return Ok(Some(Past { found, before }));
        }
        let newest = self.ask(|seen| Ok(seen.get::<Patient>(id)?.map(|newest| newest.version))).await?;
        let day = match newest == Some(found.version) {
            true => self.today()?,
            false => self.day_of(found.version).await?,
        };
        Ok(Some(Past { found: found.map(|patient| patient.on(day)), before }))
    }

    /// Returns a consultation as it was after this journal entry; `None` when it did not exist then, or does not exist
    /// now.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn consultation_as_of(
        &self,
        id: ConsultationId,
        at: Seq,
    ) -> Result<Option<Past<PatientConsultation>>, Error> {
        let Some(past) = self.as_of::<Consultation>(id, at).await? else {
            return Ok(None);
        };
        // A diagnosis is recorded with the consultation and never changes.
        let diagnosed = self.ask(|seen| Ok(seen.take::<Diagnosis>(id)?.map(|found| found.record.diseases))).await?;
        Ok(Some(past.map(|consultation| consultation.with(diagnosed.unwrap_or_default()))))
    }

    /// Returns an inventory item as it was after this journal entry, with the stock and hold of then; `None` when it
    /// did not exist then, or does not exist now. Expiry is compared with today.
    ///
    /// # Errors
    /// [`Conflict::TooLongAgo`] when its medicine is tracked and more than 10,000 movements have come since, and the
    /// store's failures.
    pub async fn item_as_of(&self, medicine: MedicineKey, at: Seq) -> Result<Option<Past<LiveItem>>, Error> {
        let today = self.today()?;
        let Some(item) = self.as_of::<Item>(medicine.clone(), at).await.map_err(too_long_ago)? else {
            return Ok(None);
        };
        let of_stock = match self.as_of::<Stock>(medicine, at).await.map_err(too_long_ago)? {
            Some(past) => {
                let live = self.with_lots_of_then(past.found.record, today).await?;
                Some(is_available(&live.stock, live.levels().usable))
            }
            None => None,
        };
        Ok(Some(item.map(|item| LiveItem::new(item, of_stock))))
    }

    /// Returns the stock of a medicine as it was after this journal entry, with the lots of then; `None` when it was
    /// not tracked then, or is not now. Expiry is compared with today.
    ///
    /// # Errors
    /// [`Conflict::TooLongAgo`] when more than 10,000 movements have come since, and the store's failures.
    pub async fn stock_as_of(&self, medicine: MedicineKey, at: Seq) -> Result<Option<Past<LiveStock>>, Error> {
        let today = self.today()?;
        let Some(past) = self.as_of::<Stock>(medicine, at).await.map_err(too_long_ago)? else {
            return Ok(None);
        };
        let live = self.with_lots_of_then(past.found.record.clone(), today).await?;
        Ok(Some(past.map(|_| live)))
    }

    /// Returns the facility's day of a journal entry.
    async fn day_of(&self, entry: Seq) -> Result<Date, Error> {
        let at = self.store.instants(&[entry]).await?.pop().unwrap_or_else(|| self.now());
        at.date(self.facility.utc_offset).map_err(|invalid| StoreError::new(StoreErrorKind::Broken, invalid).into())
    }

    /// Returns an earlier version of a stock with its lots: those of now, less the movements since.
    async fn with_lots_of_then(&self, stock: Stock, today: Date) -> Result<LiveStock, Error> {
        let medicine = stock.medicine.key().clone();
        // Tracking begins with an empty shelf.
        let Some(then) = stock.moved else {
            return Ok(LiveStock { stock, shelf: Shelf::default(), today });
        };
        let now = self
            .ask(|seen| LiveStock::found(seen, &medicine, today))
            .await?
            .ok_or(Error::NotFound(RecordKind::Stock))?;
        let mut units: BTreeMap<LotId, i64> = BTreeMap::new();
        units.extend(now.shelf.lots().iter().map(|lot| (lot.id.clone(), lot.on_hand.value())));
        let filter = MovementFilter { medicine: Some(medicine), ..MovementFilter::default() };
        let (mut after, mut budget) = (then, Budget::of(bounds::MOVEMENTS));
        // Later movements than the last of now are not in its lots.
        while Some(after) < now.stock.moved {
            let page = self.movements(filter.clone(), Some(after), WALKED).await?;
            for Versioned { record: movement, .. } in &page.items {
                if Some(movement.movement_id) > now.stock.moved {
                    break;
                }
                if !budget.take(1) {
                    return Err(Conflict::TooLongAgo.into());
                }
                *units.entry(movement.lot_id()).or_default() -= movement.units.value();
            }
            match page.cursor() {
                Some(last) => after = last,
                None => break,
            }
        }
        let lots = units.into_iter().filter_map(|(id, units)| Some(Lot { id, on_hand: Units::try_from(units).ok()? }));
        // Only a damaged store has lots that make no shelf.
        let shelf =
            Shelf::try_from(lots.collect::<Vec<_>>()).map_err(|_| Error::Store(StoreErrorKind::Broken.into()))?;
        Ok(LiveStock { stock, shelf, today })
    }

    /// Returns the history of a patient as it was after this journal entry; `None` when the patient did not exist then,
    /// or does not exist now.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn history_as_of(&self, id: PatientId, at: Seq) -> Result<Option<Past<PatientHistory>>, Error> {
        let Some(patient) = self.as_of::<Patient>(id, at).await? else {
            return Ok(None);
        };
        let history = self.as_of::<History>(id, at).await?;
        let (mut version, mut before) = (patient.found.version, patient.before);
        let record = match history {
            None => History::new(id).of(&patient.found.record),
            Some(history) => {
                // The later of the two is this version; the one before is the other, or the predecessor of this one.
                let (one, other) = (version, history.found.version);
                before = match one.cmp(&other) {
                    std::cmp::Ordering::Less => history.before.max(one),
                    std::cmp::Ordering::Equal => before.max(history.before),
                    std::cmp::Ordering::Greater => before.max(other),
                };
                version = one.max(other);
                self.with_diseases(Head::of(history.found.record, &patient.found.record)).await?
            }
        };
        Ok(Some(Past { found: Versioned { version, record }, before }))
    }
}

/// Says of a shelf whose earlier version is not looked for without end that it is too long ago.
fn too_long_ago(error: Error) -> Error {
    match error {
        Error::Store(failure) if failure.kind() == StoreErrorKind::Excessive => Conflict::TooLongAgo.into(),
        other => other,
    }
}
