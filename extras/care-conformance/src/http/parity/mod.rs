//! Tests that two frontends answer all requests alike.
//!
//! A seeded generator makes requests: valid ones over a small world, and mutations of every part of them. Both
//! frontends get the same ones, each over its own connection and in its own, equal world. Their answers must be equal
//! in status, headers and body, but for what belongs to the connection or the host (`Date`, `Server`, `Connection`,
//! `Keep-Alive`, `Transfer-Encoding`); and in the end both journals must be equal, and tell the same story as the
//! records.
//!
//! # Exceptions
//! The comparison leaves out requests that the HTTP library answers before a frontend sees them, and parts that the
//! contract does not rule:
//! - request lines and headers that are malformed or too large, `CONNECT`, and headers about the connection or the
//!   framing (`Host`, `Content-Length`, `Transfer-Encoding`, `Connection`, `Expect`, `Upgrade`, `TE`, `Trailer`);
//! - paths outside the base path, where the host answers;
//! - a form that names a `_method`, under another method than `POST`: Rocket replaces the method of a POST before any
//!   code of ours runs, so that the two cannot be told apart;
//! - waiting for news.

mod draft;
mod grammar;
mod mutate;

use std::{collections::BTreeMap, fmt};

use care_core::store::{Change, Entry, Link, Record, RecordKey, ReplyId, Seq};

use super::{Setting, Target, World};
use grammar::Scene;

/// The number of requests that two frontends answered alike, by kind of answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of answers with each status.
    pub statuses: BTreeMap<u16, usize>,
}

/// A request that two frontends answer differently.
#[derive(Clone, PartialEq, Eq)]
pub struct Difference(String);

/// Sends `count` requests to both frontends. The same seed makes the same requests.
///
/// # Errors
/// The first [`Difference`], as readable text: the seed, the request and both answers.
pub fn compare(one: &dyn Target, other: &dyn Target, seed: u64, count: usize) -> Result<Tally, Difference> {
    let setting = Setting { tracked_stock: true, ..Setting::default() };
    let worlds = [one.world(&setting), other.world(&setting)];
    let started = [one.start(worlds[0].api()), other.start(worlds[1].api())];
    let [mut one, mut other] = [started[0].connect(), started[1].connect()];
    let mut scene = Scene::new(seed, &setting.base);
    let mut tally = Tally::default();
    for number in 0..count {
        let request = scene.request(number);
        let differ = |reason: &str, detail: &str| {
            let shown = request.shown();
            Difference(format!("seed {seed}, request {number}: {reason}\n--- sent\n{shown}\n{detail}"))
        };
        let answers = [one.exchange(&request), other.exchange(&request)];
        let [Ok(first), Ok(second)] = &answers else {
            let detail = answers.map(|answer| match answer {
                Ok(answer) => answer.shown(),
                Err(reason) => reason,
            });
            return Err(differ("no answer", &detail.join("\n--- the other\n")));
        };
        if first.essence() != second.essence() {
            let detail = format!("--- the one got\n{}\n--- the other got\n{}", first.shown(), second.shown());
            return Err(differ("the answers differ", &detail));
        }
        scene.learn(&request, first);
        *tally.statuses.entry(first.status).or_default() += 1;
    }
    let after = |what: &str| Difference(format!("seed {seed}: after {count} requests {what}"));
    if with_equal_replies(worlds[0].journal(Seq::ZERO)) != with_equal_replies(worlds[1].journal(Seq::ZERO)) {
        return Err(after("the journals differ"));
    }
    let verdict = worlds.iter().try_for_each(World::verify);
    verdict.map_err(|error| after(&format!("the records contradict each other: {error}")))?;
    Ok(tally)
}

/// Returns the entries without salts and links, and with the replies numbered in their order, since these are random.
fn with_equal_replies(mut journal: Vec<Entry>) -> Vec<Entry> {
    let mut ids = Vec::new();
    let mut number = |id: &mut ReplyId| {
        let place = ids.iter().position(|known| known == id).unwrap_or_else(|| {
            ids.push(id.clone());
            ids.len() - 1
        });
        *id = ReplyId::parse(&format!("{place:032x}")).expect("32 digits");
    };
    journal.iter_mut().for_each(|entry| entry.link = Link::ZERO);
    for revision in journal.iter_mut().flat_map(|entry| &mut entry.revisions) {
        revision.salt = None;
        match &mut revision.change {
            Change::Put(Record::Reply(reply)) => number(&mut reply.reply_id),
            Change::Remove(RecordKey::Reply(id)) => number(id),
            Change::Put(_) | Change::Remove(_) => {}
        }
    }
    journal
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The same text as [`Display`](fmt::Display), so that a failing test prints it.
impl fmt::Debug for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Difference {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{InProcess, RunningTarget};
    use care_core::rest::{Api, Limits};

    #[test]
    fn equal_targets_do_not_differ() {
        let tally = compare(&InProcess, &InProcess, 1, 500).unwrap();
        assert_eq!(tally.statuses.values().sum::<usize>(), 500);
    }

    #[test]
    fn a_smaller_limit_shows() {
        struct Smaller;
        impl Target for Smaller {
            fn start(&self, api: Api) -> RunningTarget {
                InProcess.start(api.with_limits(Limits::new().with_body(60)))
            }
        }
        let difference = compare(&InProcess, &Smaller, 1, 500).unwrap_err();
        assert!(difference.to_string().contains("413"), "{difference}");
    }

    #[test]
    fn a_seed_makes_the_same_requests() {
        let requests = |seed| {
            let mut scene = Scene::new(seed, "/1.0.0");
            (0..50).map(|number| scene.request(number)).collect::<Vec<_>>()
        };
        assert_eq!(requests(7), requests(7));
        assert_ne!(requests(7), requests(8));
    }
}
