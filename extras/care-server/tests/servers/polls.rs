//! Long polls beside other requests.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_testkit::sent;
use tempfile::tempdir;

use crate::process::Bin;

/// Tests that a poll in Poem ends with its client. Rocket does not report the disconnection, so there the poll ends
/// when its wait does.
#[test]
fn in_poem_a_poll_leaves_its_place_with_its_client() {
    let directory = tempdir().unwrap();
    let server = Bin::POEM.start(directory.path(), &["--in-memory", "--polls", "1", "--api-key", "other"]);
    let poll = sent("GET", "/1.0.0/news?wait=30").without_key().header("api_key", "other");
    let mut waiting = server.wire();
    waiting.send(poll.written());
    thread::sleep(Duration::from_millis(300));
    let short = sent("GET", "/1.0.0/news?wait=1");
    assert_eq!(server.answer(&short).status, 503);
    // Ordinary requests still get places.
    assert_eq!(server.answer(&sent("GET", "/1.0.0/patient")).status, 200);
    drop(waiting);
    let begun = Instant::now();
    while server.answer(&short).status != 200 {
        assert!(begun.elapsed() < Duration::from_secs(10));
        thread::sleep(Duration::from_millis(50));
    }
}
