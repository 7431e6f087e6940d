//! One error at one statement, and what clients must be told.

use std::time::Duration;

use care_conformance::Dice;
use care_scratch_postgres::{Deed, Proxy};
use care_testkit::until;

use super::rule::{Armed, Injection, Place, Role};
use crate::{
    Front as _, Outcome, Request, Result, Storm, ensure,
    pg::{
        site::Site,
        watch::{Statuses, goes_on},
    },
    told,
};

/// Longest time until a client is told of an error.
pub(super) const LIMIT: Duration = Duration::from_secs(60);
/// Longest time until a storm reaches a statement. Some statements are rare.
const REACH: Duration = Duration::from_secs(5);
/// The number of clients that write at once.
const CLIENTS: usize = 3;
/// Closes the connection that it runs on, before it is answered.
const END: &str = "DO $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(60); END $$";

/// An error at a statement.
#[derive(Debug, Clone)]
pub(super) struct Case {
    place: Place,
    code: Code,
    /// Whether the error happens once, or until a client has been told of it.
    is_once: bool,
}

/// An error that PostgreSQL reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Code {
    state: &'static str,
    meaning: Meaning,
    way: Way,
}

/// The meaning of an error for a client whose write meets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// Another writer came first: the write is repeated, and answered with 503 if that keeps happening.
    Again,
    /// 503, unless the error goes away in time.
    Busy,
    /// 507.
    Full,
    /// The store stops writing.
    Stop,
}

/// The way in which an error happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The server raises it.
    Raised,
    /// The server ends the connection.
    Ended,
    /// The server closes the connection, and refuses the next one with the error.
    Refused,
}

impl Code {
    /// All codes.
    pub(super) const ALL: [Self; 12] = [
        Self::of("40001", Meaning::Again, Way::Raised),
        Self::of("40P01", Meaning::Again, Way::Raised),
        Self::of("23505", Meaning::Again, Way::Raised),
        Self::of("55P03", Meaning::Busy, Way::Raised),
        Self::of("25006", Meaning::Busy, Way::Raised),
        Self::of("57P01", Meaning::Busy, Way::Ended),
        Self::of("57P03", Meaning::Busy, Way::Refused),
        Self::of("53300", Meaning::Busy, Way::Refused),
        Self::of("53100", Meaning::Full, Way::Raised),
        Self::of("XX001", Meaning::Stop, Way::Raised),
        Self::of("XX002", Meaning::Stop, Way::Raised),
        Self::of("58030", Meaning::Stop, Way::Raised),
    ];

    const fn of(state: &'static str, meaning: Meaning, way: Way) -> Self {
        Self { state, meaning, way }
    }

    /// Returns what the proxy does at this statement.
    fn deed(self, text: &str) -> Deed {
        if self.way != Way::Raised {
            return Deed::Replace(END.to_owned());
        }
        let state = self.state;
        let raise = format!(
            "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{state}', MESSAGE = 'injected', CONSTRAINT = \
             'journal_pkey'; END $$"
        );
        Deed::Replace(match text {
            // A failed commit has ended its transaction, and a failed `BEGIN` has begun one.
            "COMMIT" => format!("ROLLBACK; {raise}"),
            text if text.starts_with("BEGIN") => format!("BEGIN; {raise}"),
            _ => raise,
        })
    }
}

impl Case {
    /// Returns all cases for a statement.
    pub(super) fn all(place: &Place) -> impl Iterator<Item = Self> + '_ {
        // A connection that only reads cannot violate a key.
        let codes = Code::ALL.into_iter().filter(|code| place.role == Role::Writes || code.state != "23505");
        let each = codes.flat_map(|code| [(code, true), (code, false)]);
        each.map(|(code, is_once)| Self { place: place.clone(), code, is_once })
    }

    /// Causes the error while clients write, and judges what they are told. Returns whether they reached the statement.
    pub(super) fn run(&self, site: &mut Site, dice: &mut Dice) -> Result<bool> {
        let injection = Injection::default();
        let judging = injection.clone();
        let proxy = Proxy::before(&site.primary, move |statement| judging.judge(statement))?;
        let mut front = site.open(&proxy.address("public"))?;
        let (known, statuses) = (site.clinic.asked.len(), Statuses::default());
        let startup = (self.code.way == Way::Refused).then_some(Deed::Refuse(self.code.state));
        let deed = self.code.deed(&self.place.text);
        injection.arm(Armed { place: self.place.clone(), deed, startup, is_once: self.is_once });
        let ports = statuses.of(front.ports(CLIENTS));
        let is_reached = site.clinic.beside(ports, dice, |storm, _| self.wait(storm, &injection, &statuses))?;
        self.judge(site, known, &statuses)?;
        if is_reached && self.stops() {
            // The store accepts no more writes, and continues to read.
            told(&mut front, &Request::new("POST", "/patient").body("{}"), 503)?;
            told(&mut front, &Request::get("/inventory/Ibuprofen"), 200)?;
        }
        Ok(is_reached)
    }

    /// Waits until the error has happened, or until a client was told of it, and ends it. Returns whether it happened.
    fn wait(&self, storm: &Storm, injection: &Injection, statuses: &Statuses) -> Result<bool> {
        if !until(REACH, || injection.hits() > 0) {
            injection.disarm();
            return Ok(injection.hits() > 0);
        }
        let is_heard = || statuses.count(self.status()) > 0 || (self.may_be_unknown() && statuses.count(500) > 0);
        ensure!(!self.is_to_be_heard() || until(LIMIT, is_heard), "no client heard of it");
        injection.disarm();
        if !self.stops() {
            goes_on(storm)?;
        }
        Ok(true)
    }

    /// Returns whether the store accepts no more writes.
    fn stops(&self) -> bool {
        self.code.meaning == Meaning::Stop && self.place.role == Role::Writes
    }

    /// Returns whether a client must be told of the error before it ends.
    fn is_to_be_heard(&self) -> bool {
        self.place.role != Role::Looks && (!self.is_once || self.stops())
    }

    /// Returns whether a write may be answered with 500.
    fn may_be_unknown(&self) -> bool {
        // No outcome can be found out over connections that end at each commit.
        let ends = self.place.text == "COMMIT" && self.code.way != Way::Raised && !self.is_once;
        // The answer to a payment is read after its commit, so a refusal would be a lie.
        ends || self.place.role == Role::Reads
    }

    /// Returns the status that stands for this meaning.
    const fn status(&self) -> u16 {
        match self.code.meaning {
            Meaning::Full => 507,
            Meaning::Again | Meaning::Busy | Meaning::Stop => 503,
        }
    }

    /// Checks that clients were told exactly what they had to be told.
    fn judge(&self, site: &Site, known: usize, statuses: &Statuses) -> Result<()> {
        let asked = &site.clinic.asked[known..];
        let count = |outcome| asked.iter().filter(|asked| asked.outcome == outcome).count();
        let (refused, unknown) = (count(Outcome::Refused), count(Outcome::Unknown));
        ensure!(unknown == 0 || self.may_be_unknown(), "{unknown} writes were answered 500");
        let other = if self.status() == 507 { 503 } else { 507 };
        ensure!(statuses.count(other) == 0, "{} answers are {other}", statuses.count(other));
        // The store overcomes an error that happens once. On a busy machine the wait for it may still be too long.
        let is_overcome = self.is_once && matches!(self.code.meaning, Meaning::Again | Meaning::Full);
        ensure!(refused == 0 || !is_overcome, "{refused} writes were refused");
        Ok(())
    }
}
