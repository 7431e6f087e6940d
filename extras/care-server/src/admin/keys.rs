//! The keys of clients.

use std::{sync::Arc, time::Duration};

use care_core::{
    keys::{IssuedKey, KeyManager, NewKey},
    model::{ApiKey, Date, KeyId, KeyName, Scope, Scopes, Timestamp, UtcOffset, Visible},
    service::{Clock, SystemClock},
};
use clap::Subcommand;

use super::{
    AdminError,
    database::Database,
    terminal::{say, unless_nowhere},
};

/// A task about keys.
#[derive(Debug, Subcommand)]
pub(super) enum Task {
    /// Issue a key and print it. It is shown only now and stored nowhere.
    Issue {
        /// The name under which the journal records the key's holder.
        #[arg(long)]
        name: KeyName,
        /// The key's scopes, such as patient:read: separate several with commas, or repeat the option; or all.
        #[arg(long = "scope", value_name = "SCOPE", required = true, value_delimiter = ',', value_parser = scope)]
        scopes: Vec<Scopes>,
        /// The key's expiry: its last day at the facility (31/12/2026 or 2026-12-31), or an instant
        /// (2026-12-31T08:00:00Z).
        #[arg(long, value_name = "DATE", value_parser = Expiry::read)]
        expires: Option<Expiry>,
    },
    /// List all keys that were ever issued, without their secrets.
    List,
    /// Issue a key that replaces another one, and print it. Both are valid for a while.
    Rotate {
        /// The id of the old key: the part between its first two underscores.
        id: KeyId,
        /// The time for which the old key stays valid.
        #[arg(long, value_name = "SECONDS", default_value = "86400", value_parser = seconds)]
        overlap: Duration,
        /// The new key's expiry; the old key's unless given.
        #[arg(long, value_name = "DATE", value_parser = Expiry::read)]
        expires: Option<Expiry>,
    },
    /// Revoke a key at once and for good.
    Revoke {
        /// The id of the key: the part between its first two underscores.
        id: KeyId,
    },
}

/// The end of a key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Expiry {
    /// The midnight that a day at the facility ends with, as if its clocks showed UTC.
    Midnight(Timestamp),
    Instant(Timestamp),
}

pub(super) async fn run(database: &Database, task: Task) -> Result<(), AdminError> {
    let manager = KeyManager::new(Arc::new(database.existing()?)).acting_as(KeyName::ADMIN);
    let at = |expires: Option<Expiry>| expires.map(|expires| expires.at(database.utc_offset()));
    match task {
        Task::Issue { name, scopes, expires } => {
            unless_nowhere()?;
            let scopes = scopes.into_iter().flat_map(Scopes::iter).collect();
            let issued = manager.issue(NewKey::new(name, scopes).until(at(expires))).await?;
            show(&issued)?;
        }
        Task::List => list(&manager.keys().await?, SystemClock.now())?,
        Task::Rotate { id, overlap, expires } => {
            unless_nowhere()?;
            let issued = manager.rotate(&id, overlap, at(expires)).await?;
            show(&issued)?;
        }
        Task::Revoke { id } => {
            let revoked = manager.revoke(&id).await?.revoked;
            say(format_args!("{id} has been revoked since {}", instant(revoked)))?;
        }
    }
    Ok(())
}

/// Prints a key that was just issued, which is shown only now.
fn show(issued: &IssuedKey) -> Result<(), AdminError> {
    say(issued.as_str()).map_err(|error| AdminError::Unshown(issued.id().clone(), Box::new(error)))
}

/// Prints a line for each key. The name comes last because it may contain spaces.
fn list(keys: &[ApiKey], now: Timestamp) -> Result<(), AdminError> {
    line(["ID", "STATE", "CREATED", "EXPIRES", "REVOKED", "REPLACES"].map(str::to_owned), "SCOPES", "NAME")?;
    for key in keys {
        let state = match key.is_valid_at(now) {
            true => "valid",
            false if key.has_expired_by(now) => "expired",
            false => "revoked",
        };
        let columns = [
            key.id.to_string(),
            state.to_owned(),
            instant(Some(key.created)),
            instant(key.expires),
            instant(key.revoked),
            key.replaces.as_ref().map_or_else(|| "-".to_owned(), KeyId::to_string),
        ];
        let scopes =
            if key.scopes == Scopes::ALL { "all".to_owned() } else { key.scopes.to_string().replace(' ', ",") };
        line(columns, &scopes, &Visible(key.name.as_str()).to_string())?;
    }
    Ok(())
}

fn line(
    [id, state, created, expires, revoked, replaces]: [String; 6],
    scopes: &str,
    name: &str,
) -> Result<(), AdminError> {
    say(format_args!(
        "{id:<12}  {state:<7}  {created:<24}  {expires:<24}  {revoked:<24}  {replaces:<12}  {scopes:<16}  {name}"
    ))
}

fn instant(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "-".to_owned(), |at| at.to_string())
}

fn scope(word: &str) -> Result<Scopes, String> {
    if word == "all" {
        return Ok(Scopes::ALL);
    }
    let scope = word.parse::<Scope>().map(|scope| [scope].into_iter().collect());
    scope.map_err(|unknown| {
        let words: Vec<_> = Scopes::ALL.iter().map(Scope::as_str).collect();
        format!("{unknown}; there are {} and all", words.join(", "))
    })
}

impl Expiry {
    /// Parses an instant, or a day, which stands for its end.
    fn read(text: &str) -> Result<Self, &'static str> {
        const DAY: i64 = 86_400_000;
        let midnight = match text.parse::<Date>() {
            Ok(date) => Some(date.unix_days() * DAY),
            Err(_) => format!("{text}T00:00:00.000Z").parse::<Timestamp>().ok().map(Timestamp::unix_millis),
        };
        match midnight {
            Some(midnight) => Timestamp::from_unix_millis(midnight + DAY)
                .map(Self::Midnight)
                .map_err(|_| "must be 30/12/9999 at the latest"),
            None => text.parse().map(Self::Instant).map_err(|broken| match Timestamp::from_unix_millis(i64::MAX) {
                Err(beyond) if beyond == broken => {
                    "must be within the years 1900 to 9999, until 9999-12-31T23:59:59.999Z"
                }
                _ => "must be a day such as 31/12/2026 or 2026-12-31, or an instant such as 2026-12-31T08:00:00Z",
            }),
        }
    }

    /// Returns the instant for a facility whose clocks have this offset.
    fn at(self, offset: UtcOffset) -> Timestamp {
        match self {
            Self::Instant(at) => at,
            Self::Midnight(end) => {
                let end_there = end.unix_millis() - i64::from(offset.minutes()) * 60_000;
                // Only within hours of the ends of the calendar is there no such instant.
                Timestamp::from_unix_millis(end_there).unwrap_or(end)
            }
        }
    }
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    match text.parse() {
        Ok(seconds @ 0..=31_536_000) => Ok(Duration::from_secs(seconds)),
        _ => Err("must be 0 to 31536000 seconds"),
    }
}
