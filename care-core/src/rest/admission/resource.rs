//! The resources that requests share, and their figures for the recorder of the embedding program.

/// Something that requests share. Each claim states its capacity, in permits or in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    /// Requests under way.
    Requests,
    /// Threads for requests that have used much lately, until they wait for something else.
    Entry,
    /// Threads for long work of any kind: what goes beyond a short read.
    LongWork,
    /// Lists that may look at all rows of a table, for what they hold in memory.
    Scans,
    /// Reports, for what they hold in memory.
    Reports,
    /// Histories, for what they hold in memory.
    Histories,
    /// Changes that are given to the store.
    Writes,
    /// The bytes of long answers to the reads of clients with a key.
    AnswerMemory,
    /// The bytes of long answers to changes. They are given whatever other keys hold.
    ChangeMemory,
    /// The bytes of long answers to clients without a key.
    KeylessMemory,
    /// Long polls that wait.
    Polls,
}

impl Resource {
    pub(super) const COUNT: usize = 11;
    /// All resources, in their order.
    pub(super) const ALL: [Self; Self::COUNT] = [
        Self::Requests,
        Self::Entry,
        Self::LongWork,
        Self::Scans,
        Self::Reports,
        Self::Histories,
        Self::Writes,
        Self::AnswerMemory,
        Self::ChangeMemory,
        Self::KeylessMemory,
        Self::Polls,
    ];

    /// Returns whether waiters are served by the recent work of their keys, the least first. Otherwise the keys are
    /// served in turn.
    pub(super) const fn is_by_work(self) -> bool {
        matches!(self, Self::Entry | Self::LongWork)
    }

    /// Returns its name in figures, if requests wait for it in turn.
    const fn awaited(self) -> Option<&'static str> {
        match self {
            Self::Entry => Some("entry"),
            Self::LongWork => Some("work"),
            Self::Scans => Some("scan"),
            Self::Reports => Some("report"),
            Self::Histories => Some("history"),
            Self::Writes => Some("write"),
            Self::AnswerMemory => Some("memory"),
            Self::Requests | Self::ChangeMemory | Self::KeylessMemory | Self::Polls => None,
        }
    }
}

/// A claim to this amount of a resource, in permits or in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    pub(super) resource: Resource,
    pub(super) amount: usize,
    /// The capacity of the resource.
    pub(super) capacity: usize,
}

impl Claim {
    /// Claims this amount of a resource of this capacity; all of it, if the amount is more.
    pub(crate) fn new(resource: Resource, amount: usize, capacity: usize) -> Self {
        Self { resource, amount: amount.min(capacity).max(1), capacity }
    }
}

/// A number that rises and falls.
#[derive(Debug)]
pub(crate) struct Level {
    gauge: metrics::Gauge,
}

/// The figures of all resources.
#[derive(Debug)]
pub(super) struct Levels {
    requests: Level,
    polls: Level,
    pub(super) unread: Level,
    waiting: [Option<Level>; Resource::COUNT],
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
            waiting: Resource::ALL.map(|resource| {
                let name = resource.awaited()?;
                Some(Level { gauge: metrics::gauge!(waiting, "for" => name) })
            }),
        }
    }
}

impl Levels {
    /// Returns the level of the permits of a resource that are taken.
    pub(super) const fn taken(&self, resource: Resource) -> Option<&Level> {
        match resource {
            Resource::Requests => Some(&self.requests),
            Resource::Polls => Some(&self.polls),
            Resource::Entry
            | Resource::LongWork
            | Resource::Scans
            | Resource::Reports
            | Resource::Histories
            | Resource::Writes
            | Resource::AnswerMemory
            | Resource::ChangeMemory
            | Resource::KeylessMemory => None,
        }
    }

    /// Returns the level of the requests that wait for a resource.
    pub(super) const fn waiting(&self, resource: Resource) -> Option<&Level> {
        self.waiting[resource as usize].as_ref()
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
