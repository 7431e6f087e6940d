//! The tables of the relay's file.

use std::collections::BTreeSet;

use rusqlite::Connection;

/// The number that SQLite's header holds for a relay's file: "CREL".
pub(super) const APPLICATION_ID: i32 = 0x4352_454C;
/// The version of the tables.
pub(super) const VERSION: i32 = 1;

/// The script that makes the tables. Instants are in milliseconds since 1970, and times in milliseconds.
///
/// `revision` grows with every change that the operator makes to an endpoint, `resumed` when the operator resumes it,
/// and `generation` when the operator sets its place: an attempt that began before must neither bring back failures
/// that were forgotten nor move the place.
pub(super) const TABLES: &str = "
CREATE TABLE endpoint (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    types TEXT NOT NULL,
    networks TEXT NOT NULL,
    ca TEXT,
    proxy TEXT,
    state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'disabled')),
    reason TEXT,
    suggestion INTEGER,
    since INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0,
    resumed INTEGER NOT NULL DEFAULT 0,
    generation INTEGER NOT NULL DEFAULT 0,
    epoch TEXT,
    seq INTEGER,
    sent INTEGER,
    at INTEGER,
    type TEXT,
    first_failure INTEGER,
    tried INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    refusals INTEGER NOT NULL DEFAULT 0,
    dead_run INTEGER NOT NULL DEFAULT 0,
    dead_from INTEGER,
    next INTEGER,
    pause INTEGER NOT NULL DEFAULT 0,
    trying TEXT
) STRICT;
CREATE TABLE secret (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    endpoint INTEGER NOT NULL REFERENCES endpoint ON DELETE CASCADE,
    bytes BLOB NOT NULL,
    until INTEGER
) STRICT;
CREATE INDEX secret_endpoint ON secret (endpoint);
CREATE TABLE dead (
    endpoint INTEGER NOT NULL REFERENCES endpoint ON DELETE CASCADE,
    epoch TEXT NOT NULL,
    seq INTEGER NOT NULL,
    status TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (endpoint, epoch, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE attempt (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    endpoint INTEGER NOT NULL REFERENCES endpoint ON DELETE CASCADE,
    seq INTEGER,
    at INTEGER NOT NULL,
    status TEXT NOT NULL,
    millis INTEGER NOT NULL
) STRICT;
CREATE INDEX attempt_endpoint ON attempt (endpoint, id);
CREATE TABLE replay (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    endpoint INTEGER NOT NULL REFERENCES endpoint ON DELETE CASCADE,
    epoch TEXT NOT NULL,
    next INTEGER NOT NULL,
    until INTEGER NOT NULL
) STRICT;
CREATE INDEX replay_endpoint ON replay (endpoint, id);
CREATE TABLE notice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    endpoint INTEGER NOT NULL REFERENCES endpoint ON DELETE CASCADE,
    message TEXT NOT NULL,
    about TEXT NOT NULL,
    reason TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX notice_endpoint ON notice (endpoint, id);
CREATE TABLE feed (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    epoch TEXT NOT NULL,
    seq INTEGER NOT NULL
) STRICT;
";

/// Returns the name of an object that the file has and a new one has not, or the other way round, or that the two have
/// in different forms; `None` if there is none.
pub(super) fn difference(conn: &Connection) -> rusqlite::Result<Option<String>> {
    let fresh = Connection::open_in_memory()?;
    fresh.execute_batch(TABLES)?;
    let (found, due) = (objects(conn)?, objects(&fresh)?);
    Ok(found.symmetric_difference(&due).next().map(|(name, _)| name.clone()))
}

fn objects(conn: &Connection) -> rusqlite::Result<BTreeSet<(String, Option<String>)>> {
    conn.prepare("SELECT name, sql FROM sqlite_schema")?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}
