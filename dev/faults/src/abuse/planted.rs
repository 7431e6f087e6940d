//! Links and file modes that another user of the machine has planted.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use crate::{Failure, Finding, Place, Run, Server, post};

/// The content of another user's file.
const TREASURE: &str = "a file of somebody else";
/// Suffixes of names that can be planted beside a file that is about to be created.
const BESIDE: [&str; 6] = ["", "-unfinished", ".unfinished", ".lock", "-wal", "-journal"];

/// Plants each thing, and runs servers and `care-admin` on it.
pub(crate) fn planted(run: &Run) -> Result<Vec<Finding>, Failure> {
    Ok(vec![links(run)?, modes(run)?])
}

fn links(run: &Run) -> Result<Finding, Failure> {
    let mut finding = Finding::of("links planted beside and in the place of files that are made", "")
        .found("no other file written, removed or opened to others");
    let mut tried = 0;
    for suffix in BESIDE {
        for (name, program) in &run.programs {
            let place = place(run)?;
            let kept = plant(&place, "new.db", suffix)?;
            // The server may start or refuse; either way it must not touch the other user's file.
            if let Ok(server) = Server::start(program, &place.path("new.db")) {
                // It writes its mark for the next server when it ends.
                server.end()?;
            }
            is_untouched(&kept, &mut finding, &format!("{name} over new.db{suffix}"));
            tried += 1;
        }
        let tasks: [(&str, &[&str]); 4] = [
            ("out.ndjson", &["export", "--database", "care.db", "--out", "out.ndjson"]),
            ("backup.db", &["backup", "backup.db", "--database", "care.db"]),
            ("restored.db", &["restore", "care.db", "--database", "restored.db"]),
            ("backup.db", &["backup", "backup.db", "--database", "care.db", "--overwrite"]),
        ];
        for (name, task) in tasks {
            let place = place(run)?;
            let kept = plant(&place, name, suffix)?;
            makes_private(&place, task, name, &mut finding)?;
            is_untouched(&kept, &mut finding, &format!("{} over {name}{suffix}", task[0]));
            tried += 1;
        }
    }
    finding.often = format!("{tried} files");
    Ok(finding)
}

fn modes(run: &Run) -> Result<Finding, Failure> {
    let mut finding =
        Finding::of("drafts planted with a foreign mode (0666)", "4 files").found("what is made has mode 0600");
    for suffix in ["-unfinished", ".unfinished"] {
        for (name, task) in [
            ("out.ndjson", &["export", "--database", "care.db", "--out", "out.ndjson"][..]),
            ("backup.db", &["backup", "backup.db", "--database", "care.db"]),
        ] {
            let place = place(run)?;
            let draft = place.path(&format!("{name}{suffix}"));
            fs::write(&draft, TREASURE)?;
            fs::set_permissions(&draft, fs::Permissions::from_mode(0o666))?;
            makes_private(&place, task, name, &mut finding)?;
        }
    }
    Ok(finding)
}

/// Makes a directory with a database.
fn place(run: &Run) -> Result<Place, Failure> {
    let place = Place::on_disk()?;
    let server = Server::start(&run.programs[0].1, &place.database())?;
    post(&mut server.port(), "/patient", r#"{"name":"Ada"}"#)?;
    server.end()?;
    Ok(place)
}

/// Plants a link to another user's file, which no process may touch.
fn plant(place: &Place, name: &str, suffix: &str) -> Result<PathBuf, Failure> {
    let kept = place.path("treasure");
    fs::write(&kept, TREASURE)?;
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o644))?;
    symlink(&kept, place.path(&format!("{name}{suffix}")))?;
    Ok(kept)
}

fn is_untouched(kept: &Path, finding: &mut Finding, circumstances: &str) {
    let is_there = fs::read_to_string(kept).is_ok_and(|content| content == TREASURE);
    finding.bar(is_there, || format!("{circumstances}: the file behind the link was changed"));
    let mode = fs::metadata(kept).map_or(0, |metadata| metadata.permissions().mode() & 0o777);
    finding.bar(mode == 0o644, || format!("{circumstances}: the file behind the link has mode {mode:o}"));
}

/// Runs a task, which may succeed or refuse. If it reports success, the file is there and only its owner can read it.
fn makes_private(place: &Place, task: &[&str], name: &str, finding: &mut Finding) -> Result<(), Failure> {
    let done = place.admin(task)?;
    let metadata = fs::symlink_metadata(place.path(name));
    let is_private =
        metadata.is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o777 == 0o600);
    finding.bar(!done.is_done() || is_private, || format!("{} leaves {name} to others", task[0]));
    Ok(())
}
