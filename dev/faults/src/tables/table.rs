//! The results, as a table.

use std::env;

use care_faults::{
    Program, clients, clock, damage, errors, failure::Failure, files, kill, panics, payment, planted::Frontend, power,
    relay, slow, soak, stop, syscall,
};

/// The number of slow clients that are held at once.
const SLOW: usize = 500;

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    Kill,
    Syscall,
    Power,
    Errors,
    FailedCalls,
    Full,
    Stop,
    Clients,
    Slow,
    Soak,
    Race,
    Payment,
    Panic,
    Damage,
    Locked,
    Clock,
    Relay,
}

/// Runs the tests behind the rows, and prints each row once it is done. Omissions are reported on standard error.
pub(crate) fn print(rows: &[Row], rounds: Option<u64>, seed: u64) -> Result<(), Failure> {
    println!("| what happens | how often | what was found | reproduce with |");
    println!("|---|---|---|---|");
    for row in rows {
        if let Some(reason) = row.is_left_out() {
            eprintln!("care-faults: {} left out: {reason}", row.what());
            continue;
        }
        let rounds = rounds.unwrap_or_else(|| row.rounds());
        let (often, found) = row.run(rounds, seed)?;
        let command = format!("`cargo run --release -p care-faults -- {} --rounds {rounds} --seed {seed}`", row.task());
        println!("| {} | {often} | {found} | {command} |", row.what());
    }
    Ok(())
}

impl Row {
    pub(crate) const ALL: &'static [Self] = &[
        Self::Kill,
        Self::Syscall,
        Self::Power,
        Self::Errors,
        Self::FailedCalls,
        Self::Full,
        Self::Stop,
        Self::Clients,
        Self::Slow,
        Self::Soak,
        Self::Race,
        Self::Payment,
        Self::Panic,
        Self::Damage,
        Self::Locked,
        Self::Clock,
        Self::Relay,
    ];

    const fn what(self) -> &'static str {
        match self {
            Self::Kill => "the server is killed (SIGKILL) at a random moment of a storm of writes",
            Self::Syscall => "the server is killed at the Nth call that writes to the disk or syncs it",
            Self::Power => "the power is cut: what was not synced is lost, reordered or torn",
            Self::Errors => "writes and syncs fail with EIO or ENOSPC, and the power is cut after that",
            Self::FailedCalls => "the same, as system calls of the server",
            Self::Full => "the disk runs full, is made room on, or can only be read",
            Self::Stop => "the server is told to stop (SIGTERM) under load",
            Self::Clients => "clients go away at every stage of a request",
            Self::Slow => "slow clients: heads a byte at a time, bodies without an end, answers that are not read",
            Self::Soak => "the server is asked for a long time, one request in ten a write",
            Self::Race => "eight clients pay one invoice at once",
            Self::Payment => "a payment, its refund and a correction are killed at each call that writes or syncs",
            Self::Panic => "a decision or the store panics under load",
            Self::Damage => "the file is damaged in a random place",
            Self::Locked => "the file is locked by another program, or in use by another server",
            Self::Clock => "the clock jumps up to an hour, forwards and back, across midnight",
            Self::Relay => "the relay of webhooks is killed at a random moment, and the server each tenth time",
        }
    }

    /// Returns the row's command-line name.
    const fn task(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Syscall => "syscall",
            Self::Power => "power",
            Self::Errors => "io",
            Self::FailedCalls => "calls",
            Self::Full => "full",
            Self::Stop => "stop",
            Self::Clients => "clients",
            Self::Slow => "slow",
            Self::Soak => "soak",
            Self::Race => "race",
            Self::Payment => "payment",
            Self::Panic => "panic",
            Self::Damage => "damage",
            Self::Locked => "files",
            Self::Clock => "clock",
            Self::Relay => "relay",
        }
    }

    /// Returns the default number of repetitions, half of them on each server if servers are tested.
    const fn rounds(self) -> u64 {
        match self {
            Self::Kill | Self::Errors => 240,
            Self::Syscall => 100,
            Self::Power => 2000,
            Self::FailedCalls | Self::Stop => 40,
            Self::Full | Self::Locked | Self::Payment => 2,
            Self::Clients => 4000,
            Self::Slow => 20,
            Self::Soak => 1_000_000,
            Self::Race | Self::Panic | Self::Relay => 200,
            Self::Damage => 500,
            Self::Clock => 10,
        }
    }

    fn is_left_out(self) -> Option<&'static str> {
        match self {
            Self::Syscall | Self::FailedCalls | Self::Payment if !syscall::is_possible() => {
                Some("strace cannot trace here")
            }
            Self::Full if !files::can_mount() => Some("nothing can be mounted here"),
            _ => None,
        }
    }

    /// Runs the test, and returns how often it ran and what it found.
    fn run(self, rounds: u64, seed: u64) -> Result<(String, String), Failure> {
        let half = rounds.div_ceil(2);
        let nothing = "0 lost, 0 half there, 0 there twice".to_owned();
        Ok(match self {
            Self::Kill => (kills(|program| kill::kill(program, half, seed))?, nothing),
            Self::Syscall => (calls(|program| syscall::kill(program, half, seed))?, nothing),
            Self::Power => {
                let cuts = power::cut(rounds, seed)?;
                let power::Cuts { cuts, unsynced, looked_for } = cuts;
                let often = format!(
                    "{cuts} cuts, {unsynced} with something unsynced; {looked_for} acknowledged writes looked for"
                );
                (often, nothing)
            }
            Self::Errors => {
                let errors::Faults { rounds, calls, acknowledged, refused, unknown } = errors::fail(rounds, seed)?;
                let often = format!(
                    "{rounds} faults, {calls} failed calls; {acknowledged} writes acknowledged, {refused} refused, \
                     {unknown} unknown"
                );
                (often, "0 false acknowledgements, 0 false refusals".to_owned())
            }
            Self::FailedCalls => {
                let often = calls(|program| syscall::fail(program, half, seed))?;
                (often, "0 false acknowledgements, 0 false refusals".to_owned())
            }
            Self::Full => {
                on_both(|program| {
                    (0..half).try_for_each(|round| files::full(program, seed + round))?;
                    files::full_beside_probes(program)?;
                    files::read_only(program)
                })?;
                (
                    format!("{half} times on each server"),
                    "507 and nothing written, `/ready` 503 meanwhile; heals within 2 s; 0 lost".to_owned(),
                )
            }
            Self::Stop => {
                let often = kills(|program| stop::stop(program, half, seed))?;
                (often, "0 lost, every request answered, exit code 0 within 10 s".to_owned())
            }
            Self::Clients => {
                let left = on_both(|program| clients::leave(program, half, seed))?;
                (format!("{} requests", left[0] + left[1]), "0 effects of half a request, 0 done twice".to_owned())
            }
            Self::Slow => {
                let [poem, rocket] = on_both(|program| slow::hold(program, SLOW, half))?;
                let answered = poem.answered + rocket.answered;
                let often = format!("{SLOW} at once, {} times; {answered} requests of a healthy client", half * 2);
                let found = format!(
                    "all answered, 0 effects of half a request, all let go; its p99 {:.1} times (Poem) and {:.1} \
                     times (Rocket) that without them",
                    poem.ratio(),
                    rocket.ratio(),
                );
                (often, found)
            }
            Self::Soak => {
                let [poem, rocket] = on_both(|program| soak::soak(program, half, seed))?;
                let (requests, writes) = (poem.requests + rocket.requests, poem.acknowledged + rocket.acknowledged);
                let [poem, rocket] = [("Poem", poem), ("Rocket", rocket)].map(|(name, soaked)| {
                    let (memory, slope) = (soaked.memory >> 20, soaked.growth.slope);
                    format!("{name} {memory} MiB in the end and {slope:+.1} bytes a request")
                });
                let found = format!("every answer as expected, 0 lost; {poem}, {rocket}");
                (format!("{requests} requests; {writes} writes acknowledged"), found)
            }
            Self::Race => {
                let raced = on_both(|program| clients::race(program, half))?;
                (format!("{} invoices", raced[0] + raced[1]), "each paid once, equal answers".to_owned())
            }
            Self::Payment => {
                let kills = on_both(|program| payment::each_call(program, 1))?;
                (format!("{} kills", kills[0] + kills[1]), "each done once, 3 receipts without a gap".to_owned())
            }
            Self::Panic => {
                let harness = env::current_exe()?;
                for frontend in [Frontend::Poem, Frontend::Rocket] {
                    panics::panic(&harness, frontend, half, seed)?;
                }
                (format!("{} panics", half * 2), "one answer 500 each, and nothing else".to_owned())
            }
            Self::Damage => {
                let damage::Damages { files, noticed } = damage::damage(rounds, seed)?;
                (format!("{files} files"), format!("{noticed} refused or found out, in the others nothing is missing"))
            }
            Self::Locked => {
                on_both(|program| {
                    (0..half).try_for_each(|_| files::locked(program).and_then(|()| files::owned(program)))
                })?;
                (
                    format!("{half} times on each server"),
                    "503 within 6 s and nothing written; the second server refused within 2 s".to_owned(),
                )
            }
            Self::Clock => {
                let kill::Kills { rounds, acknowledged } = clock::jump(rounds, seed)?;
                (format!("{rounds} storms; {acknowledged} writes acknowledged"), nothing)
            }
            Self::Relay => {
                let relay::Relayed { kills, restarts, events, repeated } =
                    relay::kill(&Program::poem()?, rounds, seed)?;
                let often = format!("{kills} times, and {restarts} kills of the server; {events} events");
                (often, format!("all received, first receipts in order; {repeated} repeated, each by a kill"))
            }
        })
    }
}

/// Runs something on one server after the other.
fn on_both<T>(mut run: impl FnMut(&Program) -> Result<T, Failure>) -> Result<[T; 2], Failure> {
    Ok([run(&Program::poem()?)?, run(&Program::rocket()?)?])
}

fn kills(run: impl FnMut(&Program) -> Result<kill::Kills, Failure>) -> Result<String, Failure> {
    let [poem, rocket] = on_both(run)?;
    let (rounds, acknowledged) = (poem.rounds + rocket.rounds, poem.acknowledged + rocket.acknowledged);
    Ok(format!("{rounds} times; {acknowledged} writes acknowledged"))
}

fn calls(run: impl FnMut(&Program) -> Result<syscall::Calls, Failure>) -> Result<String, Failure> {
    let [poem, rocket] = on_both(run)?;
    let (rounds, reached) = (poem.rounds + rocket.rounds, poem.reached + rocket.reached);
    let acknowledged = poem.acknowledged + rocket.acknowledged;
    Ok(format!("{rounds} times, {reached} of them reached; {acknowledged} writes acknowledged"))
}
