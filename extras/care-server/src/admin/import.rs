//! Reading a journal into a database.

use std::{
    borrow::Cow,
    collections::{BTreeMap, VecDeque},
    io,
    sync::Arc,
};

use care_core::{
    audit::{AuditError, JournalCheck},
    error::{StoreError, StoreErrorKind},
    model::KeyName,
    operation::JournalOperation,
    store::{Commitment, Entry, Head, Limit, ReplayError, Seq},
};
use serde_json::Value;

use super::{
    AdminError,
    database::{Database, Store},
    lines::{Batch, Lines},
    terminal::{self, say},
};
use crate::InputFile;

/// The fault of a line for whose number there is an entry by now.
const MEANWHILE: &str = "comes after entries that another process has written meanwhile";

/// The entries of the database that are read together.
const COMPARED: Limit = Limit::items(1000).bytes(1 << 20);

/// Reads the lines twice: first it checks each of them, and what the chain says of them together, and then it adds
/// those that the database does not have. A line that is missing, repeated or out of order, or breaks the chain in
/// another way, leaves everything as it was, and so does a value that the chain does not commit to, an entry that
/// contradicts those before it, or an erasure of what the database has. Only a line that is no entry at all, such as
/// one that is cut off, leaves those before it to be added.
pub(super) async fn import(database: &Database, input: Option<&InputFile>) -> Result<(), AdminError> {
    let mut lines = Lines::open(database, input)?;
    let store = if database.is_absent() { None } else { Some(database.existing_or_new()?) };
    let known = match &store {
        Some(store) => store.last().await?,
        None => Seq::ZERO,
    };
    let mut check = Check::of(store, known);
    let mut digests = Vec::new();
    let bar = terminal::bytes(lines.length);
    bar.set_message("checking");
    let faulty = loop {
        let batch = lines.next()?;
        digests.push(batch.digest);
        match check.enter_all(&batch).await {
            Err(error @ AdminError::Line { .. }) => break Some(error),
            entered => entered?,
        }
        bar.inc(batch.text.len() as u64);
        if batch.text.is_empty() {
            break None;
        }
    };
    bar.finish_and_clear();
    match (check.contradiction().await, faulty) {
        (Err(_), Some(faulty)) => Err(faulty),
        // When a line is at fault by itself, the lines before it are still imported.
        (Ok(()), Some(faulty)) if check.is_new() && check.is_chained => {
            fill(database, &check, &mut lines, digests).await.and(Err(faulty))
        }
        (Ok(()), Some(faulty)) => Err(faulty),
        (checked, None) => {
            checked?;
            fill(database, &check, &mut lines, digests).await?;
            let total = check.last.seq.value();
            let there = total.min(known.value());
            say(format_args!("{} entries imported, {there} were already there", total - there))
        }
    }
}

/// Adds the lines that were checked to the database that was compared with them, or to a new one.
async fn fill(database: &Database, check: &Check, lines: &mut Lines, digests: Vec<u64>) -> Result<(), AdminError> {
    match &check.store {
        Some(store) => load(&**store, check, lines, digests).await,
        None => database.filled(async |store| load(&**store, check, lines, digests).await).await,
    }
}

/// Adds the lines that were checked and that the database does not have, batch by batch.
async fn load(store: &dyn Store, check: &Check, lines: &mut Lines, digests: Vec<u64>) -> Result<(), AdminError> {
    lines.rewind()?;
    let bar = terminal::bytes(lines.length);
    bar.set_message("importing");
    let (mut line, mut is_renewed) = (0, false);
    for digest in digests {
        let batch = lines.next()?;
        if batch.digest != digest {
            return Err(AdminError::Read(lines.name.clone(), io::Error::other("it changed while it was read")));
        }
        let mut entries = Vec::new();
        for text in batch.lines() {
            line += 1;
            if line > check.there && line <= check.sound {
                entries.push(serde_json::from_slice(text).map_err(|_| wrong(line, "is not a journal entry"))?);
            }
        }
        if !entries.is_empty() && !std::mem::replace(&mut is_renewed, true) {
            // The new epoch tells followers and clients that the database now continues another one's history.
            store.renew_epoch().await?;
        }
        match store.replay(entries).await {
            Ok(()) => bar.inc(batch.text.len() as u64),
            Err(ReplayError::Store(error)) => return Err(error.into()),
            Err(ReplayError::NotNext { .. } | ReplayError::Empty(_) | ReplayError::Unlinked(_)) => {
                return Err(wrong(line, MEANWHILE));
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// A value of a line that differs from the one that the database has under the same link.
struct Other {
    /// The commitment to it, if an erasure is said to have left it; `None` for a value from before an erasure.
    stands: Option<Commitment>,
    /// The commitment in the last list of the lines that names it.
    listed: Option<Commitment>,
}

impl Other {
    /// Returns what the lines together say wrongly of it.
    fn fault(&self) -> Option<&'static str> {
        match (self.stands, self.listed) {
            (stands, listed) if stands == listed => None,
            (_, None) => Some("is not the one committed to, and no erasure left it"),
            (_, Some(_)) => Some("is listed as erased, and stands again"),
        }
    }
}

/// The check of all lines, which changes nothing.
struct Check {
    /// The database; `None` when it does not exist yet.
    store: Option<Arc<dyn Store>>,
    /// The last entry of the database.
    known: Seq,
    /// The entry of the last sound line.
    last: Head,
    /// The number of sound lines.
    sound: u64,
    /// The number of lines whose entries the database has.
    there: u64,
    /// Whether each line that is an entry follows the one before it in the chain.
    is_chained: bool,
    /// The values of the lines that differ from those of the database, by their places: an entry, and a change of it.
    other: BTreeMap<(Seq, u64), Other>,
    /// The first line with an erasure that the database does not have, of values that it has.
    unerased: Option<u64>,
    /// Entries of the database that the next lines are compared with.
    compared: VecDeque<Entry>,
    /// The check of the database's entries, and then of the others.
    journal: JournalCheck,
}

impl Check {
    fn of(store: Option<Arc<dyn Store>>, known: Seq) -> Self {
        Self {
            store,
            known,
            last: Head::START,
            sound: 0,
            there: 0,
            is_chained: true,
            other: BTreeMap::new(),
            unerased: None,
            compared: VecDeque::new(),
            journal: JournalCheck::default(),
        }
    }

    async fn enter_all(&mut self, batch: &Batch) -> Result<(), AdminError> {
        for line in batch.lines() {
            self.enter(line).await?;
            self.sound += 1;
        }
        Ok(())
    }

    async fn enter(&mut self, line: &[u8]) -> Result<(), AdminError> {
        let entry: Entry = match serde_json::from_slice(line) {
            Ok(entry) => entry,
            Err(error) if error.is_eof() && !line.ends_with(b"\n") => {
                return Err(self.wrong("is cut off: the file ends in the middle of it"));
            }
            Err(_) => return Err(self.wrong("is not a journal entry")),
        };
        if self.sound == 0 && self.known != Seq::ZERO && entry.seq == self.known.next() {
            // The file begins where the database ends.
            while self.last.seq < self.known {
                let there = self.next_there().await?;
                self.journal.enter(&there)?;
                self.last = there.head();
            }
        }
        if entry.seq != self.last.seq.next() {
            return Err(self.unchained("is not the next entry"));
        }
        if entry.is_empty() {
            return Err(self.wrong("is an entry that changes nothing"));
        }
        if KeyName::check(&entry.actor).is_err() {
            return Err(self.wrong("is an entry whose actor breaks the rule for names"));
        }
        if JournalOperation::named(&entry.operation).is_none() {
            return Err(self.wrong("is an entry of an unknown operation"));
        }
        if !says_all_of(&entry, line) {
            return Err(self.wrong("is an entry with unknown members"));
        }
        if entry.seq <= self.known {
            // Where the two have one link they say the same, and only values differ that one of them has erased.
            let there = self.next_there().await?;
            self.unless_unlinked(&entry)?;
            if there.link != entry.link {
                return Err(self.unchained("differs from the entry that the database has under this number"));
            }
            self.compare(&entry, &there)?;
            self.journal.enter(&there)?;
            self.there += 1;
        } else {
            match self.journal.enter(&entry) {
                Ok(()) => {}
                Err(AuditError::Contradiction(found)) => {
                    self.unless_unlinked(&entry)?;
                    return Err(self.unchained(format!("is no entry of a chain: {found}")));
                }
                Err(AuditError::Store(error)) => return Err(error.into()),
            }
        }
        for erased in entry.erased.iter().flatten() {
            if erased.seq <= self.known && entry.seq > self.known {
                self.unerased.get_or_insert(self.sound + 1);
            }
            if let Some(other) = self.other.get_mut(&(erased.seq, erased.change)) {
                other.listed = Some(erased.left);
            }
        }
        self.last = entry.head();
        Ok(())
    }

    fn unless_unlinked(&mut self, entry: &Entry) -> Result<(), AdminError> {
        match entry.link_after(&self.last.link)? == entry.link {
            true => Ok(()),
            false => Err(self.unchained("does not follow the line before it in the chain")),
        }
    }

    /// Notes the values of a line that differ from those of the database, whose entry has the same link: one of the two
    /// is from before an erasure.
    fn compare(&mut self, entry: &Entry, there: &Entry) -> Result<(), AdminError> {
        for ((revision, known), change) in entry.revisions.iter().zip(&there.revisions).zip(0..) {
            if revision != known {
                let stands = revision.commitment.and(revision.value_commitment()?);
                self.other.insert((entry.seq, change), Other { stands, listed: None });
            }
        }
        Ok(())
    }

    /// Returns the database's entry behind the last one.
    async fn next_there(&mut self) -> Result<Entry, AdminError> {
        if self.compared.is_empty()
            && let Some(store) = &self.store
        {
            self.compared = store.journal(self.last.seq, COMPARED).await?.items.into();
        }
        self.compared.pop_front().ok_or_else(|| StoreError::from(StoreErrorKind::Broken).into())
    }

    /// Refuses values that the chain does not commit to, and entries that contradict each other.
    async fn contradiction(&self) -> Result<(), AdminError> {
        let other = self.other.iter().find_map(|(place, other)| Some((place, other.fault()?)));
        if let Some(((seq, change), what)) = other {
            // The lines of the entries that the database has begin with the first one.
            return Err(wrong(seq.value(), format!("cannot be imported: the value of change {change} {what}")));
        }
        if let Some(line) = self.unerased {
            // The values would stay beside an entry that says that they are gone.
            let what = "erases values that the database has; import into an empty database";
            return Err(wrong(line, format!("cannot be imported: it {what}")));
        }
        match self.journal.found() {
            _ if !self.is_new() => Ok(()),
            None => Ok(()),
            // The journal went on, perhaps with an erasure of what was read before.
            Some((seq, _)) if seq <= self.known && self.has_gone_on().await? => Err(wrong(self.there + 1, MEANWHILE)),
            Some((seq, found)) if seq <= self.known => Err(Box::new(found).into()),
            Some((seq, found)) => {
                let line = seq.value() + self.sound - self.last.seq.value();
                Err(wrong(line, format!("cannot be imported: {found}")))
            }
        }
    }

    /// Returns whether the database has entries that it did not have when the check began.
    async fn has_gone_on(&self) -> Result<bool, AdminError> {
        match &self.store {
            Some(store) => Ok(store.last().await? != self.known),
            None => Ok(false),
        }
    }

    /// Returns whether there are sound lines that the database does not have.
    const fn is_new(&self) -> bool {
        self.sound > self.there
    }

    /// Refuses a line for what it says beside the others: it and they are not one chain.
    fn unchained(&mut self, what: impl Into<Cow<'static, str>>) -> AdminError {
        self.is_chained = false;
        self.wrong(what)
    }

    fn wrong(&self, what: impl Into<Cow<'static, str>>) -> AdminError {
        wrong(self.sound + 1, what)
    }
}

fn wrong(line: u64, what: impl Into<Cow<'static, str>>) -> AdminError {
    AdminError::Line { line, what: what.into() }
}

/// Returns whether the entry holds everything that the line does. Deserialising skips unknown members.
fn says_all_of(entry: &Entry, line: &[u8]) -> bool {
    if serde_json::to_vec(entry).is_ok_and(|written| written == line.trim_ascii()) {
        return true;
    }
    // Another program may have written the members in another order, or with other white space.
    let there = serde_json::from_slice::<Value>(line);
    there.is_ok_and(|there| serde_json::to_value(entry).is_ok_and(|entry| entry == there))
}
