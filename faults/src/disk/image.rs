//! What may be on the disk after the power is cut.

use std::{fs, io, path::Path};

use super::record::{Disk, Event, Name};
use crate::dice::Dice;

/// What a disk writes at once, whole or not at all.
const SECTOR: usize = 512;

/// How much of what was not synced is there after a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Nothing.
    Nothing,
    /// All of it, as after a kill.
    Everything,
    /// What was done first.
    First,
    /// Each write is there or not, as if they had been reordered.
    Some,
    /// Each sector of each write is there or not: the writes are torn.
    Torn,
    /// All of one file, and nothing of the other.
    OneFile(Name),
}

/// The content of a file, `None` where there is none.
type Content = Option<Vec<u8>>;

/// Goes through what has happened, and makes images of the disk on the way.
#[derive(Debug)]
pub(crate) struct Image {
    events: Vec<Event>,
    /// So much of it has happened.
    position: usize,
    /// What is on the disk for certain.
    database: Content,
    log: Content,
    /// What has happened since each file was synced.
    pending: Vec<Event>,
}

impl Cut {
    /// One of them.
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
    /// Before anything has happened, when the database was this, without a log.
    pub(crate) fn new(database: Vec<u8>, disk: &Disk) -> Self {
        Self { events: disk.events(), position: 0, database: Some(database), log: None, pending: Vec::new() }
    }

    /// How much happens in all.
    pub(crate) fn length(&self) -> usize {
        self.events.len()
    }

    /// Whether a power cut now can lose anything.
    pub(crate) fn is_unsynced(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Lets more happen, up to this position.
    pub(crate) fn advance(&mut self, position: usize, dice: &mut Dice) {
        for index in self.position..position {
            let event = self.events[index].clone();
            match event {
                Event::Sync(name) => self.settle(name, |_| true),
                // Once they are lost nobody tries again, so they have their fate now: together, or each its own.
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

    /// Puts what is pending of a file on the disk, or some of it, and forgets the rest.
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

    /// Writes what is on the disk when the power is cut now to this path and the log's beside it.
    pub(crate) fn write(&self, path: &Path, cut: Cut, dice: &mut Dice) -> io::Result<()> {
        let mut database = self.database.clone();
        let mut log = self.log.clone();
        let first = dice.roll(self.pending.len() as u64 + 1) as usize;
        // What comes after a deletion that is lost belongs to a file that is lost with its name.
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
