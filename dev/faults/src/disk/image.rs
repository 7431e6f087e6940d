//! The possible contents of the disk after a power cut.

use std::{fs, io, path::Path};

use super::record::{Disk, Event, Name, What};
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
    /// The synced content of each file.
    files: [Content; 2],
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
        Self { events: disk.events(), position: 0, files: [Some(database), None], pending: Vec::new() }
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
            match self.events[index].clone() {
                (name, What::Sync) => self.settle(name, || true),
                // No later sync writes them, so their fate is decided now: all together, or one by one.
                (name, What::FailedSync) => match dice.roll(3) {
                    0 => self.settle(name, || true),
                    1 => self.settle(name, || false),
                    _ => self.settle(name, || dice.one_in(2)),
                },
                event => self.pending.push(event),
            }
        }
        self.position = self.position.max(position);
    }

    /// Puts a file's pending writes, or some of them, on the disk, and forgets the rest.
    fn settle(&mut self, name: Name, mut is_kept: impl FnMut() -> bool) {
        let content = &mut self.files[name as usize];
        for (_, what) in self.pending.extract_if(.., |(of, _)| *of == name) {
            if is_kept() {
                what.happen(content);
            }
        }
    }

    /// Writes what would be on the disk if the power were cut now: the database to this path, and the log next to it.
    pub(crate) fn write(&self, path: &Path, cut: Cut, dice: &mut Dice) -> io::Result<()> {
        let mut files = self.files.clone();
        let first = dice.roll(self.pending.len() as u64 + 1) as usize;
        // Writes after a lost deletion belong to a file whose name is lost too.
        let mut is_deleted = [None, None];
        for (index, (name, what)) in self.pending.iter().enumerate() {
            let (content, fate) = (&mut files[*name as usize], &mut is_deleted[*name as usize]);
            if *fate == Some(false) {
                continue;
            }
            let is_kept = match cut {
                Cut::Nothing => false,
                Cut::Everything => true,
                Cut::First => index < first,
                Cut::OneFile(kept) => kept == *name,
                Cut::Some | Cut::Torn => dice.one_in(2),
            };
            if matches!(what, What::Delete) {
                *fate = Some(is_kept);
            }
            match (what, cut) {
                (What::Write(at, bytes), Cut::Torn) => {
                    for (number, sector) in bytes.chunks(SECTOR).enumerate() {
                        if dice.one_in(2) {
                            put(content, at + number * SECTOR, sector);
                        }
                    }
                }
                _ if is_kept => what.happen(content),
                _ => {}
            }
        }
        for (suffix, content) in ["", "-wal"].into_iter().zip(files) {
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

impl What {
    fn happen(&self, content: &mut Content) {
        match self {
            Self::Write(at, bytes) => put(content, *at, bytes),
            Self::Truncate(length) => content.get_or_insert_default().resize(*length, 0),
            Self::Delete => *content = None,
            Self::Sync | Self::FailedSync => {}
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
