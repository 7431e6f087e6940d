//! The figures of places, for the recorder of the embedding program.

use super::state::Set;

/// A number that rises and falls.
#[derive(Debug)]
pub(crate) struct Level {
    gauge: metrics::Gauge,
}

/// The figures of all sets.
#[derive(Debug)]
pub(super) struct Levels {
    requests: Level,
    polls: Level,
    pub(super) unread: Level,
    waiting: [Option<Level>; Set::COUNT],
}

impl Default for Levels {
    fn default() -> Self {
        let of = |name: &'static str, help: &'static str| {
            metrics::describe_gauge!(name, help);
            Level { gauge: metrics::gauge!(name) }
        };
        let waiting = "care_http_requests_waiting";
        metrics::describe_gauge!(waiting, "Requests that wait in turn, by what for.");
        Self {
            requests: of("care_http_requests_in_flight", "Requests whose operation is under way."),
            polls: of("care_http_polls_waiting", "Long polls that wait for news."),
            unread: of("care_http_unread_bytes", "Bytes of answers that clients have not read yet."),
            waiting: Set::ALL.map(|set| {
                let name = awaited(set)?;
                Some(Level { gauge: metrics::gauge!(waiting, "for" => name) })
            }),
        }
    }
}

impl Levels {
    /// Returns the level of the places of a set that are taken.
    pub(super) const fn taken(&self, set: Set) -> Option<&Level> {
        match set {
            Set::Requests => Some(&self.requests),
            Set::Polls => Some(&self.polls),
            Set::Lists
            | Set::Scans
            | Set::Reports
            | Set::Days
            | Set::Writes
            | Set::Room
            | Set::ChangeAnswers
            | Set::KeylessRoom => None,
        }
    }

    /// Returns the level of the requests that wait for a set.
    pub(super) const fn waiting(&self, set: Set) -> Option<&Level> {
        self.waiting[set as usize].as_ref()
    }
}

/// Returns the name of a set for which requests wait in turn.
const fn awaited(set: Set) -> Option<&'static str> {
    match set {
        Set::Lists => Some("list"),
        Set::Scans => Some("scan"),
        Set::Reports => Some("report"),
        Set::Days => Some("today"),
        Set::Writes => Some("write"),
        Set::Room => Some("room"),
        Set::Requests | Set::ChangeAnswers | Set::KeylessRoom | Set::Polls => None,
    }
}

impl Level {
    pub(crate) fn rise(&self) {
        self.gauge.increment(1);
    }

    pub(crate) fn fall(&self) {
        self.gauge.decrement(1);
    }

    pub(crate) fn rise_by(&self, bytes: usize) {
        self.gauge.increment(exactly(bytes));
    }

    pub(crate) fn fall_by(&self, bytes: usize) {
        self.gauge.decrement(exactly(bytes));
    }
}

/// Returns a number of bytes as gauges take it, exactly up to 2^53.
#[allow(clippy::cast_precision_loss)]
const fn exactly(bytes: usize) -> f64 {
    bytes as f64
}
