//! A round: three new records, eight clients, one verdict.

use std::{
    ops::AddAssign,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;
use care_testkit::until;

use super::{bill::Bill, patient::Patient, shelf::Shelf};
use crate::{Context as _, Finding, Front as _, Inside, Over, Port, Result, Run, beside, ensure};

/// The number of clients; every other one uses the same server.
pub(super) const CLIENTS: usize = 8;
/// The number of each client's requests that are answered or stay open.
const REQUESTS: u64 = 20;
/// Longest time for which a client may be refused.
const PATIENCE: Duration = Duration::from_secs(60);
/// The pause after a refusal.
const PAUSE: Duration = Duration::from_millis(10);

/// The progress of a round.
#[derive(Debug, Default)]
pub(super) struct Progress {
    asked: AtomicU64,
    serial: AtomicU64,
}

impl Progress {
    /// Returns a number that no other call returns, starting at 1.
    fn serial(&self) -> u64 {
        self.serial.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Waits until this many hundredths of the requests have ended, or the clients make no progress.
    pub(super) fn wait(&self, hundredths: u64) {
        until(PATIENCE, || self.asked.load(Ordering::Relaxed) * 100 >= hundredths * REQUESTS * CLIENTS as u64);
    }
}

/// The number of histories that were judged, of requests in them, and of those whose outcome stayed open.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    histories: usize,
    requests: usize,
    pub(super) open: usize,
}

impl Tally {
    /// Returns the finding of the rounds of this run.
    pub(super) fn told(self, run: &Run) -> Vec<Finding> {
        let Self { histories, requests, open } = self;
        let often = format!("{} rounds; {histories} histories of {requests} requests, {open} of them open", run.rounds);
        vec![Finding::new(often).found("one order of all requests explains each history")]
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.histories += other.histories;
        self.requests += other.requests;
        self.open += other.open;
    }
}

/// Runs clients of these services against new records while something happens, and judges their answers.
///
/// # Errors
/// No order explains the answers, or a client was refused for a minute.
pub(super) fn play(
    services: &[Inside],
    dice: &mut Dice,
    meanwhile: impl FnOnce(&Progress) -> Result<()>,
) -> Result<Tally> {
    let records = Records::patiently(&mut *services.client(0), dice)?;
    let (progress, seed) = (Progress::default(), dice.roll(u64::MAX / 2));
    let client =
        |number, _: &Over| records.client(&mut *services.client(number as usize), Dice::new(seed + number), &progress);
    beside(CLIENTS, client, || meanwhile(&progress))?;
    records.judge()
}

/// The records of a round.
#[derive(Debug)]
struct Records {
    patient: Patient,
    bill: Bill,
    shelf: Shelf,
}

impl Records {
    /// Creates the records, and starts over as long as a request is refused.
    fn patiently(port: &mut dyn Port, dice: &mut Dice) -> Result<Self> {
        let begun = Instant::now();
        loop {
            match Self::make(port, dice.roll(u64::MAX)) {
                Err(_) if begun.elapsed() < PATIENCE => thread::sleep(PAUSE),
                made => return made,
            }
        }
    }

    fn make(port: &mut dyn Port, name: u64) -> Result<Self> {
        let (patient, bill) = (Patient::register(port)?, Bill::issue(port)?);
        Ok(Self { patient, bill, shelf: Shelf::fill(port, format!("Shelf-{name}"))? })
    }

    fn client(&self, port: &mut dyn Port, mut dice: Dice, progress: &Progress) -> Result<()> {
        let mut left = REQUESTS;
        let mut heard = Instant::now();
        while left > 0 {
            let is_heard = match dice.roll(3) {
                0 => self.patient.ask(port, &mut dice, progress.serial())?,
                1 => self.bill.ask(port, &mut dice)?,
                _ => self.shelf.ask(port, &mut dice)?,
            };
            if is_heard {
                (left, heard) = (left - 1, Instant::now());
                progress.asked.fetch_add(1, Ordering::Relaxed);
            } else {
                ensure!(heard.elapsed() < PATIENCE, "a client is refused for a minute");
                thread::sleep(PAUSE);
            }
        }
        Ok(())
    }

    fn judge(&self) -> Result<Tally> {
        self.patient.history.judge().when("a patient")?;
        self.bill.history.judge().when("invoices and their history")?;
        self.shelf.history.judge().when("units on a shelf")?;
        let lengths = [self.patient.history.len(), self.bill.history.len(), self.shelf.history.len()];
        let (requests, open) = lengths.into_iter().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        Ok(Tally { histories: lengths.len(), requests, open })
    }
}
