//! The tasks that read or change the state.

use std::{
    path::Path,
    process::ExitCode,
    sync::Arc,
    time::{Duration, SystemTime},
};

use care_core::{model::Timestamp, store::Seq};
use serde::Serialize;

use super::{
    arguments::Unshown,
    failure::{Failure, say},
    options::{Add, Which},
};
use crate::{
    NewEndpoint, Start, State, SystemLookup,
    lookup::Lookup,
    message::Message,
    schedule::{Meaning, Reason},
    sender::Sender,
    state::{Condition, Damaged, Endpoint},
    tls::Certificates,
};

pub(super) fn add(state: &Path, add: Add) -> Result<ExitCode, Failure> {
    let ca = add.ca.map(|ca| ca.read_text()).transpose().map_err(Failure::Ca)?;
    let text = |unshown: Unshown| unshown.0.as_str().to_owned();
    let new = NewEndpoint {
        name: add.name,
        url: text(add.url),
        types: add.types,
        networks: add.networks,
        ca,
        proxy: add.proxy.map(text),
        start: add.from,
    };
    let secret = State::open(state)?.add(&new)?;
    say(&*secret.to_text())?;
    Ok(ExitCode::SUCCESS)
}

/// An endpoint in a list.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

pub(super) fn list(state: &Path, json: bool) -> Result<ExitCode, Failure> {
    let endpoints = State::existing(state)?.endpoints()?;
    let listed = endpoints.iter().map(|found| match found {
        Ok(Endpoint { name, condition, reason, .. }) => {
            Listed { name, state: condition.name(), reason: reason.as_deref() }
        }
        Err(Damaged { name, .. }) => Listed { name, state: Condition::Damaged.name(), reason: None },
    });
    let listed: Vec<_> = listed.collect();
    if json {
        // Texts always serialise.
        say(serde_json::to_string(&listed).unwrap_or_default())?;
    } else {
        for Listed { name, state, reason } in &listed {
            say(format_args!("{name} {}", described(state, *reason)))?;
        }
    }
    // An endpoint that the operator has paused has no reason.
    let is_well = listed.iter().all(|one| one.reason.is_none() && one.state != Condition::Damaged.name());
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn described(state: &str, reason: Option<&str>) -> String {
    reason.map_or_else(|| state.to_owned(), |reason| format!("{state} ({reason})"))
}

pub(super) fn show(state: &Path, name: &str) -> Result<ExitCode, Failure> {
    let state = State::existing(state)?;
    let endpoint = state.endpoint(name)?;
    say(format_args!("state: {}", described(endpoint.condition.name(), endpoint.reason.as_deref())))?;
    let (since, suggestion) = state.standing(&endpoint)?;
    say(format_args!("since: {since}"))?;
    if let Some(seq) = suggestion {
        say(format_args!("the last delivered entry stands in the new database: resume {name} --from {seq}"))?;
    } else if endpoint.reason.as_deref() == Some(Reason::AnotherPast.name()) {
        say(format_args!("the database is another one, and the pasts differ: resume {name} --from SEQ"))?;
    }
    let types = endpoint.types.to_string();
    say(format_args!("types: {}", if types.is_empty() { "all of the clinic" } else { &types }))?;
    match endpoint.place.seq {
        Some(seq) => say(format_args!("place: {seq}"))?,
        None => say("place: the end of the journal, once the relay runs")?,
    }
    if let (Some(place), Some((epoch, end))) = (endpoint.place.seq, state.end()?)
        && endpoint.place.epoch.as_ref().is_none_or(|own| *own == epoch)
    {
        say(format_args!("lag: {} entries", end.value().saturating_sub(place.value())))?;
    }
    if let Some(first) = endpoint.progress.first_failure {
        let (failures, minutes) = (endpoint.progress.failures, endpoint.progress.tried.as_secs() / 60);
        say(format_args!("failing since: {first}, {failures} attempts in {minutes} minutes of trying"))?;
    }
    if let Some(next) = endpoint.progress.next.filter(|_| endpoint.condition == Condition::Active) {
        say(format_args!("next attempt: {next}"))?;
    }
    say(format_args!("dead letters: {}", state.count_dead(&endpoint)?))?;
    say("last attempts:")?;
    for attempt in state.attempts(&endpoint)? {
        let about = attempt.seq.map_or_else(|| "relay".to_owned(), |seq| seq.to_string());
        say(format_args!("  {} {about} {} {} ms", attempt.at, attempt.status, attempt.millis))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn test(state: &Path, name: &str) -> Result<ExitCode, Failure> {
    let state = State::existing(state)?;
    let endpoint = state.endpoint(name)?;
    let secrets = state.secrets(&endpoint)?;
    let lookup: Arc<dyn Lookup> = Arc::new(SystemLookup);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::System)?;
    let attempt = runtime.block_on(async {
        let mut sender = Sender::new(&endpoint, &Certificates::default(), &lookup)?;
        let now: Timestamp = SystemTime::now().into();
        Ok::<_, Failure>(sender.send(&Message::test(now), &secrets, now).await)
    })?;
    // A lookup that hangs ends with the process.
    runtime.shutdown_background();
    say(format_args!("{} in {} ms", attempt.answer, attempt.took.as_millis()))?;
    Ok(if attempt.answer.meaning() == Meaning::Taken { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(super) fn pause(state: &Path, name: &str) -> Result<ExitCode, Failure> {
    State::existing(state)?.pause(name)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn resume(state: &Path, name: &str, from: Option<Start>) -> Result<ExitCode, Failure> {
    State::existing(state)?.resume(name, from)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn remove(state: &Path, name: &str) -> Result<ExitCode, Failure> {
    State::existing(state)?.remove(name)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn rotate(state: &Path, name: &str, overlap: Duration) -> Result<ExitCode, Failure> {
    let secret = State::existing(state)?.rotate(name, overlap)?;
    say(&*secret.to_text())?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn dead(state: &Path, name: &str, again: Option<Which>) -> Result<ExitCode, Failure> {
    let mut state = State::existing(state)?;
    let endpoint = state.endpoint(name)?;
    match again {
        Some(which) => {
            let count = state.bring_back(
                name,
                match which {
                    Which::All => None,
                    Which::One(seq) => Some(seq),
                },
            )?;
            say(format_args!("{count} to be sent again"))?;
        }
        None => {
            for dead in state.dead(&endpoint)? {
                let note = if endpoint.place.epoch.as_ref() == Some(&dead.epoch) { "" } else { " of another database" };
                say(format_args!("{} {} {}{note}", dead.seq, dead.status, dead.at))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn replay(state: &Path, name: &str, from: Seq, to: Seq) -> Result<ExitCode, Failure> {
    State::existing(state)?.replay(name, from, to)?;
    Ok(ExitCode::SUCCESS)
}
