//! The sets of places, and their figures for the recorder of the embedding program.

/// A set of places. Its size is said by those who ask, in places or in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    /// Requests under way.
    Requests,
    /// Lists and other reads of many records.
    Lists,
    /// Lists that may look at all rows of a table.
    Scans,
    /// Reports.
    Reports,
    /// Looks at the front desk's day: as heavy as reports, but they never wait behind one.
    Days,
    /// Changes that are given to the store.
    Writes,
    /// The bytes of long answers to the reads of clients with a key.
    Room,
    /// The bytes of long answers to changes. They are given whatever other keys hold.
    ChangeAnswers,
    /// The bytes of long answers to clients without a key.
    KeylessRoom,
    /// Long polls that wait.
    Polls,
}

impl Set {
    pub(super) const COUNT: usize = 10;
    /// All sets, in their order.
    pub(super) const ALL: [Self; Self::COUNT] = [
        Self::Requests,
        Self::Lists,
        Self::Scans,
        Self::Reports,
        Self::Days,
        Self::Writes,
        Self::Room,
        Self::ChangeAnswers,
        Self::KeylessRoom,
        Self::Polls,
    ];

    /// Returns its name in figures, if requests wait for it in turn.
    const fn awaited(self) -> Option<&'static str> {
        match self {
            Self::Lists => Some("list"),
            Self::Scans => Some("scan"),
            Self::Reports => Some("report"),
            Self::Days => Some("today"),
            Self::Writes => Some("write"),
            Self::Room => Some("room"),
            Self::Requests | Self::ChangeAnswers | Self::KeylessRoom | Self::Polls => None,
        }
    }
}

/// An amount that is asked of a set, in places or in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask {
    pub(super) set: Set,
    pub(super) amount: usize,
    /// The size of the set.
    pub(super) most: usize,
}

impl Ask {
    /// Asks for this amount of a set of this size; for all of it, if the amount is more.
    pub(crate) fn new(set: Set, amount: usize, most: usize) -> Self {
        Self { set, amount: amount.min(most).max(1), most }
    }
}

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
                let name = set.awaited()?;
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
