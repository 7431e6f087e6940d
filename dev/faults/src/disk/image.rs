//! The possible contents of the disk after a power cut.

use std::{fs, io, path::Path};

use super::record::{Disk, Event, Name};
use care_conformance::Dice;

/// The bytes that a disk writes atomically.
const SECTOR: usize = 512;

/// The part of the unsynced writes that survives a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// None of them.
    Nothing,
    /// All of them, as after a kill.
    Everything,
    /// The first ones.
    First,
    /// Some of them, as if the disk had reordered them.
    Some,
    /// Some sectors of each write: torn writes.
    Torn,
    /// All of one file's, and none of the other's.
    OneFile(Name),
}

/// The content of a file, `None` if there is no file.
type Content = Option<Vec<u8>>;

/// A walk through the recorded events, which makes images of the disk on the way.
#[derive(Debug)]
pub(crate) struct Image {
    events: Vec<Event>,
    /// The number of events that have happened.
    position: usize,
    /// The synced content.
    database: Content,
    log: Content,
    /// The writes to each file since its last sync.
    pending: Vec<Event>,
}

impl Cut {
    /// Returns a random one.
    pub(crate) fn any(dice: &mut Dice) -> Self {
        match dice.roll(7) {
            0 => Self::Nothing,
            1 => Self::Everything,
            2 => Self::First,
            3 => Self::Some,
            4 => Self::OneFile(Name::Database),
            5 => Self::OneFile(Name::Log),
            _ => Self::Torn,
        }
    }
}

impl Image {
    /// Starts before the first event, with this database and without a log.
    pub(crate) fn new(database: Vec<u8>, disk: &Disk) -> Self {
        Self { events: disk.events(), position: 0, database: Some(database), log: None, pending: Vec::new() }
    }

    /// Returns how many events there are.
    pub(crate) fn length(&self) -> usize {
        self.events.len()
    }

    /// Returns whether a power cut now could lose anything.
    pub(crate) fn is_unsynced(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Advances to this position.
    pub(crate) fn advance(&mut self, position: usize, dice: &mut Dice) {
        for index in self.position..position {
            let event = self.events[index].clone();
            match event {
                Event::Sync(name) => self.settle(name, |_| true),
                // No later sync writes them, so their fate is decided now: all together, or one by one.
                Event::FailedSync(name) => match dice.roll(3) {
                    0 => self.settle(name, |_| true),
                    1 => self.settle(name, |_| false),
                    _ => self.settle(name, |_| dice.one_in(2)),
                },
                event => self.pending.push(event),
            }
        }
        self.position = self.position.max(position);
    }

    /// Puts a file's pending writes, or some of them, on the disk, and forgets the rest.
    fn settle(&mut self, name: Name, mut is_kept: impl FnMut(&Event) -> bool) {
        let (mine, others) = self.pending.drain(..).partition(|event| event.name() == name);
        self.pending = others;
        let mine: Vec<Event> = mine;
        let content = match name {
            Name::Database => &mut self.database,
            Name::Log => &mut self.log,
        };
        mine.iter().filter(|event| is_kept(event)).for_each(|event| event.happen(content));
    }

    /// Writes what would be on the disk if the power were cut now: the database to this path, and the log next to it.
    pub(crate) fn write(&self, path: &Path, cut: Cut, dice: &mut Dice) -> io::Result<()> {
        let mut database = self.database.clone();
        let mut log = self.log.clone();
        let first = dice.roll(self.pending.len() as u64 + 1) as usize;
        // Writes after a lost deletion belong to a file whose name is lost too.
        let mut is_deleted = [None, None];
        for (index, event) in self.pending.iter().enumerate() {
            let name = event.name();
            let fate = &mut is_deleted[usize::from(name == Name::Log)];
            if *fate == Some(false) {
                continue;
            }
            let is_kept = match cut {
                Cut::Nothing => false,
                Cut::Everything => true,
                Cut::First => index < first,
                Cut::OneFile(kept) => kept == name,
                Cut::Some | Cut::Torn => dice.one_in(2),
            };
            if matches!(event, Event::Delete(_)) {
                *fate = Some(is_kept);
            }
            let content = match name {
                Name::Database => &mut database,
                Name::Log => &mut log,
            };
            match (event, cut) {
                (Event::Write(_, at, bytes), Cut::Torn) => {
                    for (number, sector) in bytes.chunks(SECTOR).enumerate() {
                        if dice.one_in(2) {
                            put(content, at + number * SECTOR, sector);
                        }
                    }
                }
                _ if is_kept => event.happen(content),
                _ => {}
            }
        }
        for (suffix, content) in [("", database), ("-wal", log)] {
            let mut file = path.as_os_str().to_owned();
            file.push(suffix);
            match content {
                Some(content) => fs::write(file, content)?,
                None => drop(fs::remove_file(file)),
            }
        }
        Ok(())
    }
}

impl Event {
    const fn name(&self) -> Name {
        match self {
            Self::Write(name, ..)
            | Self::Truncate(name, _)
            | Self::Sync(name)
            | Self::FailedSync(name)
            | Self::Delete(name) => *name,
        }
    }

    fn happen(&self, content: &mut Content) {
        match self {
            Self::Write(_, at, bytes) => put(content, *at, bytes),
            Self::Truncate(_, length) => content.get_or_insert_default().resize(*length, 0),
            Self::Delete(_) => *content = None,
            Self::Sync(_) | Self::FailedSync(_) => {}
        }
    }
}

fn put(content: &mut Content, at: usize, bytes: &[u8]) {
    let content = content.get_or_insert_default();
    let end = at + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[at..end].copy_from_slice(bytes);
}
