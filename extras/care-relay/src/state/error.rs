//! The reasons why a state file cannot be used.

use std::io;

/// The reason why a state file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// There is no such file.
    #[error("there is no such file; `care-relay add` makes it")]
    Absent,
    /// The file is not a relay's, or of another version.
    #[error("the file is not a state of this version of care-relay")]
    Foreign,
    /// The file holds something that no relay makes, or in another form: a trigger, for example.
    #[error("the file holds {0:?}, which no relay makes in this form")]
    Altered(String),
    /// Another relay runs on the file.
    #[error("another relay is running on the file")]
    InUse,
    /// The file has several names, and each would have a log of its own.
    #[error("the file has another name beside this one, a hard link: remove that first")]
    Linked,
    /// The system refused.
    #[error(transparent)]
    System(#[from] io::Error),
    /// SQLite refused.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// There is no endpoint of this name.
    #[error("there is no endpoint of this name")]
    NoEndpoint,
    /// The rows of the endpoint hold what no relay writes.
    #[error(
        "the endpoint is damaged and gets nothing: `rotate` mends its secrets, otherwise remove it and add it again"
    )]
    Damaged,
    /// A wish of the operator's that cannot be granted.
    #[error("{0}")]
    Refused(&'static str),
    /// SQLite could not write; the log says why.
    #[error("the file could not be written")]
    Unwritten,
    /// The thread that writes has ended.
    #[error("the file is no longer written to; the log says why")]
    Ended,
}
