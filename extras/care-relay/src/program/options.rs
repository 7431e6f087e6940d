//! The command line.

use std::net::SocketAddr;

use care_core::store::Seq;
use clap::{Args, Parser, Subcommand};

use super::arguments::{InputFile, StateFile, Unshown};
use crate::{EventTypes, Network, Start};

/// The version that the program prints, with the commit it is built from if the build knew it.
const VERSION: &str = env!("CARE_VERSION");

/// Deliver the events of the Patient Care Service as signed webhooks (Standard Webhooks 1.0).
#[derive(Debug, Parser)]
#[command(name = "care-relay", version = VERSION)]
pub struct Options {
    /// The relay's file, with endpoints, secrets and places.
    #[arg(long, env = "CARE_RELAY_STATE", value_name = "FILE", default_value = "relay.db", global = true)]
    pub(super) state: StateFile,
    #[command(subcommand)]
    pub(super) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Add an endpoint, and print its secret. It is shown only now.
    Add(Add),
    /// List the endpoints. The exit code is 1 if the relay has disabled or paused one, or one is damaged.
    List {
        /// Print JSON: a list of names with their states and reasons.
        #[arg(long)]
        json: bool,
    },
    /// Show an endpoint: its place, its lag, its dead letters and its last attempts.
    Show {
        /// The endpoint.
        name: String,
    },
    /// Send a message of the type relay.test, on the same way as any other. The exit code is 0 only if it is taken.
    Test {
        /// The endpoint.
        name: String,
    },
    /// Pause an endpoint, which keeps its place.
    Pause {
        /// The endpoint.
        name: String,
    },
    /// Resume an endpoint that is paused or disabled or waits for its next attempt, from where it stands unless another
    /// place is given. It is tried at once.
    Resume {
        /// The endpoint.
        name: String,
        /// The first entry that it gets, or "now".
        #[arg(long, value_name = "SEQ|now", value_parser = start)]
        from: Option<Start>,
    },
    /// Remove an endpoint with its secrets and its dead letters.
    Remove {
        /// The endpoint.
        name: String,
    },
    /// Give an endpoint a new secret, and print it. It is shown only now; messages are signed with the old one as well
    /// for a while.
    Rotate {
        /// The endpoint.
        name: String,
        /// The hours for which both secrets sign.
        #[arg(long, value_name = "HOURS", default_value = "24", value_parser = clap::value_parser!(u64).range(0..=720))]
        overlap: u64,
    },
    /// List the dead letters of an endpoint: messages that its receiver refused for an hour.
    Dead {
        /// The endpoint.
        name: String,
        /// Send one again, by the number of its entry, or all.
        #[arg(long, value_name = "SEQ|all", value_parser = which)]
        again: Option<Which>,
    },
    /// Send entries again, with the same ids, between the ordinary ones.
    Replay {
        /// The endpoint.
        name: String,
        /// The first entry.
        #[arg(long, value_name = "SEQ", value_parser = seq)]
        from: Seq,
        /// The last entry, which the endpoint must have got before. At most 10000 entries may wait.
        #[arg(long, value_name = "SEQ", value_parser = seq)]
        to: Seq,
    },
    /// Deliver, until told to stop. The key is in the variable CARE_KEY; it needs the scope events:read and no other.
    Run(Run),
}

#[derive(Debug, Args)]
pub(super) struct Add {
    /// The name of the endpoint, under which logs and metrics show it: letters, digits, full stops, hyphens and
    /// underscores.
    pub(super) name: String,
    /// The URL to which messages go. It is never shown again.
    #[arg(long, value_name = "URL")]
    pub(super) url: Unshown,
    /// Types of events, with commas between them, and families such as patient.*; all of the clinic's unless given.
    #[arg(long, value_name = "TYPES", default_value = "", hide_default_value = true)]
    pub(super) types: EventTypes,
    /// The first entry that it gets: 0 or a number, or "now" for those after the running relay has heard of it.
    #[arg(long, value_name = "now|0|SEQ", default_value = "now", value_parser = start)]
    pub(super) from: Start,
    /// Network to which messages may go although it is not globally routable; can be repeated. Plain http needs it.
    #[arg(long = "allow-net", value_name = "CIDR")]
    pub(super) networks: Vec<Network>,
    /// File with the certificates to trust, in PEM, instead of the system's.
    #[arg(long, value_name = "FILE")]
    pub(super) ca: Option<InputFile>,
    /// URL of a proxy. It then resolves the name, and decides where messages may go.
    #[arg(long, value_name = "URL")]
    pub(super) proxy: Option<Unshown>,
}

#[derive(Debug, Args)]
pub(super) struct Run {
    /// The address of the service with its base path, such as http://127.0.0.1:8000/1.0.0.
    #[arg(long, env = "CARE_URL", value_name = "URL", hide_env_values = true)]
    pub(super) care: Unshown,
    /// Address that serves Prometheus metrics at /metrics, and /alive and /ready for probes. None unless given.
    #[arg(long, env = "CARE_RELAY_METRICS", value_name = "ADDRESS:PORT")]
    pub(super) metrics: Option<SocketAddr>,
    /// The days of trying, with a hundred attempts at least, after which an endpoint is disabled whose receiver is in
    /// trouble.
    #[arg(long, env = "CARE_RELAY_GIVE_UP", value_name = "DAYS", default_value = "5")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=30))]
    pub(super) give_up: u64,
}

/// Dead letters that are to be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    All,
    One(Seq),
}

fn start(text: &str) -> Result<Start, &'static str> {
    match text {
        "now" => Ok(Start::Now),
        number => number.parse().map(|number| Start::At(Seq::new(number))).map_err(|_| "must be a number or \"now\""),
    }
}

fn seq(text: &str) -> Result<Seq, &'static str> {
    // SQLite's numbers end there.
    match text.parse() {
        Ok(number) if i64::try_from(number).is_ok() => Ok(Seq::new(number)),
        _ => Err("must be the number of an entry"),
    }
}

fn which(text: &str) -> Result<Which, &'static str> {
    if text == "all" { Ok(Which::All) } else { seq(text).map(Which::One) }
}
