//! Keys that care-admin issues and revokes while a server is running.

use std::{
    path::Path,
    process::Output,
    thread,
    time::{Duration, Instant},
};

use care_testkit::{RawRequest, Wire, sent};
use tempfile::tempdir;

use crate::process::{Bin, admin, started};

/// The time within which a server must follow: a second is promised, and a machine busy with tests gets more.
const SOON: Duration = Duration::from_secs(5);

fn keys(directory: &Path, arguments: &[&str]) -> Output {
    admin(directory, &[&["keys"], arguments].concat())
}

/// Returns the standard output, and checks that nothing else was printed.
fn said(directory: &Path, arguments: &[&str]) -> String {
    let output = keys(directory, arguments);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the key from the output, where it has a line of its own.
fn key(directory: &Path, arguments: &[&str]) -> String {
    let said = said(directory, arguments);
    let key = said.strip_suffix('\n').unwrap();
    assert!(key.starts_with("care_") && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{key}");
    key.to_owned()
}

fn id(key: &str) -> &str {
    key.split('_').nth(1).unwrap()
}

fn ask(key: &str) -> RawRequest {
    sent("GET", "/1.0.0/patient/1").without_key().header("api_key", key)
}

/// Waits until the server answers the key with this status, over one open connection, at most for the promised time.
fn becomes(wire: &mut Wire, key: &str, status: u16) {
    let begun = Instant::now();
    loop {
        let answer = ask(key).over(wire);
        if answer.status == status {
            return;
        }
        assert!(begun.elapsed() < SOON, "{answer:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

on_both! {
    fn keys_are_followed_over_an_open_connection(bin: Bin) {
        let directory = tempdir().unwrap();
        let directory = directory.path();
        let server = bin.start(directory, &["--database", "care.db"]);
        let mut wire = server.wire();
        becomes(&mut wire, "secret", 404);

        let desk = key(directory, &["issue", "--name", "front desk", "--scope", "patient:read,patient:write"]);
        becomes(&mut wire, &desk, 404);
        assert_eq!(sent("GET", "/1.0.0/journal").without_key().header("api_key", &desk).over(&mut wire).status, 403);

        let next = key(directory, &["rotate", id(&desk), "--overlap", "3600"]);
        becomes(&mut wire, &next, 404);
        assert_eq!(ask(&desk).over(&mut wire).status, 404, "both are valid for a while");
        said(directory, &["revoke", id(&desk)]);
        becomes(&mut wire, &desk, 401);
        let last = key(directory, &["rotate", id(&next), "--overlap", "0"]);
        becomes(&mut wire, &next, 401);
        becomes(&mut wire, &last, 404);
        // The server's own keys are unchanged.
        becomes(&mut wire, "secret", 404);

        let revoked = ask(&desk).over(&mut wire);
        assert_eq!(revoked.status, 401);
        assert_eq!(revoked, ask("unknown").over(&mut wire));
        assert!(!server.terminate().unwrap().log.contains(&desk));
    }

    fn a_stored_key_is_enough_to_start_with(bin: Bin) {
        let directory = tempdir().unwrap();
        let directory = directory.path();
        bin.start(directory, &[]).terminate().unwrap();
        let issued = key(directory, &["--database", "care.db", "issue", "--name", "desk", "--scope", "all"]);
        let server = started(&mut bin.command(directory, &[]));
        assert_eq!(server.answer(&ask(&issued)).status, 404);
        // The server generated no key, so it printed none.
        assert_eq!(server.terminate().unwrap().out, [] as [String; 0]);
        said(directory, &["revoke", id(&issued)]);
        let server = started(&mut bin.command(directory, &[]));
        assert!(server.out.next().unwrap().starts_with("api key: "));
    }
}
