//! Links, file modes and schemas that another user of the machine has planted.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use rusqlite::Connection;
use tempfile::TempDir;

use crate::{
    base::{
        admin::admin, attempt::Request, failure::Failure, finding::Finding, process::Server, programs::Program,
        wire::Wire,
    },
    work::clients::ask,
};

/// The content of another user's file.
const TREASURE: &str = "a file of somebody else";
/// Statements that add foreign objects to a schema.
const SCHEMAS: [&str; 4] = [
    "CREATE TRIGGER planted AFTER INSERT ON journal BEGIN DELETE FROM patients; END",
    "CREATE VIEW planted AS SELECT * FROM patients",
    "CREATE TABLE planted (bytes BLOB)",
    "CREATE INDEX planted ON journal (seq)",
];
/// Suffixes of names that can be planted beside a file that is about to be created.
const BESIDE: [&str; 6] = ["", "-unfinished", ".unfinished", ".lock", "-wal", "-journal"];

/// Plants each thing, and runs servers and `care-admin` on it.
///
/// # Errors
/// The reason why it cannot be tried. Bars that are missed are in the findings.
pub fn planted(programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let mut links = Finding::of("links planted beside and in the place of files that are made", "");
    let mut tried = 0;
    for suffix in BESIDE {
        for (name, program) in programs {
            let place = Place::new(program)?;
            let kept = place.plant("new.db", suffix)?;
            // The server may start or refuse; either way it must not touch the other user's file.
            if let Ok(server) = Server::start(program, &place.path("new.db")) {
                // It writes its mark for the next server when it ends.
                server.end()?;
            }
            place.is_untouched(&kept, &mut links, &format!("{name} over new.db{suffix}"));
            tried += 1;
        }
        let tasks: [(&str, &[&str]); 4] = [
            ("out.ndjson", &["export", "--database", "care.db", "--out", "out.ndjson"]),
            ("backup.db", &["backup", "backup.db", "--database", "care.db"]),
            ("restored.db", &["restore", "care.db", "--database", "restored.db"]),
            ("backup.db", &["backup", "backup.db", "--database", "care.db", "--overwrite"]),
        ];
        for (name, task) in tasks {
            let place = Place::new(&programs[0].1)?;
            let kept = place.plant(name, suffix)?;
            let done = admin(place.folder.path(), task)?;
            place.is_untouched(&kept, &mut links, &format!("{} over {name}{suffix}", task[0]));
            // The task may succeed or refuse. If it reports success, the file is there and only its owner can read it.
            let made = place.path(name);
            let is_private = !done.is_done() || place.is_private(&made);
            links.bar(is_private, || format!("{} leaves {name} to others, beside {name}{suffix}", task[0]));
            tried += 1;
        }
    }
    links.often = format!("{tried} files");
    "no other file written, removed or opened to others".clone_into(&mut links.found);

    let mut modes = Finding::of("drafts planted with a foreign mode (0666)", "");
    let mut tried = 0;
    for suffix in ["-unfinished", ".unfinished"] {
        for (name, task) in [
            ("out.ndjson", &["export", "--database", "care.db", "--out", "out.ndjson"][..]),
            ("backup.db", &["backup", "backup.db", "--database", "care.db"]),
        ] {
            let place = Place::new(&programs[0].1)?;
            let draft = place.path(&format!("{name}{suffix}"));
            fs::write(&draft, TREASURE)?;
            fs::set_permissions(&draft, fs::Permissions::from_mode(0o666))?;
            let done = admin(place.folder.path(), task)?;
            let is_private = !done.is_done() || place.is_private(&place.path(name));
            modes.bar(is_private, || format!("{} leaves {name} to others", task[0]));
            tried += 1;
        }
    }
    modes.often = format!("{tried} files");
    "what is made has mode 0600".clone_into(&mut modes.found);
    Ok(vec![links, modes, schemas(programs)?])
}

fn schemas(programs: &[(&str, Program)]) -> Result<Finding, Failure> {
    let mut finding = Finding::of("a trigger, a view, a table, an index planted in the database", "");
    let mut tried = 0;
    for schema in SCHEMAS {
        let what = schema.split(' ').nth(1).unwrap_or_default();
        let place = Place::new(&programs[0].1)?;
        let database = place.path("care.db");
        let conn = Connection::open(&database).map_err(|error| Failure::new(error.to_string()))?;
        conn.execute_batch(schema).map_err(|error| Failure::new(error.to_string()))?;
        drop(conn);
        let before = fs::read(&database)?;
        for (name, program) in programs {
            let refused = Server::start(program, &database).err().map(|refused| refused.to_string());
            finding.bar(refused.is_some_and(|sentence| sentence.contains("care.db")), || {
                format!("{name} serves a database with a foreign {what}")
            });
            tried += 1;
        }
        let verified = admin(place.folder.path(), &["verify", "--database", "care.db"])?;
        finding.bar(!verified.is_done(), || format!("`verify` is content with a foreign {what}"));
        finding.bar(before == fs::read(&database)?, || format!("a database with a foreign {what} was changed"));
    }
    finding.often = format!("{tried} starts");
    "each refused in a sentence, the file untouched".clone_into(&mut finding.found);
    Ok(finding)
}

/// A directory with a database, and a file that no process may touch.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new(program: &Program) -> Result<Self, Failure> {
        let place = Self { folder: tempfile::tempdir()? };
        let server = Server::start(program, &place.path("care.db"))?;
        ask(&mut Wire::new(server.address), Request::new("POST", "/patient").body(r#"{"name":"Ada"}"#))?;
        server.end()?;
        Ok(place)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Plants a link to another user's file.
    fn plant(&self, name: &str, suffix: &str) -> Result<PathBuf, Failure> {
        let kept = self.path("treasure");
        fs::write(&kept, TREASURE)?;
        fs::set_permissions(&kept, fs::Permissions::from_mode(0o644))?;
        symlink(&kept, self.path(&format!("{name}{suffix}")))?;
        Ok(kept)
    }

    fn is_untouched(&self, kept: &Path, finding: &mut Finding, circumstances: &str) {
        let is_there = fs::read_to_string(kept).is_ok_and(|content| content == TREASURE);
        finding.bar(is_there, || format!("{circumstances}: the file behind the link was changed"));
        let mode = fs::metadata(kept).map_or(0, |metadata| metadata.permissions().mode() & 0o777);
        finding.bar(mode == 0o644, || format!("{circumstances}: the file behind the link has mode {mode:o}"));
    }

    fn is_private(&self, path: &Path) -> bool {
        let metadata = fs::symlink_metadata(path);
        metadata.is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o777 == 0o600)
    }
}
