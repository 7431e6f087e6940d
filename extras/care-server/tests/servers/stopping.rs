//! A server that is told to stop answers the requests that have arrived, and ends.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_testkit::{ProgramEnd, sent};
use rustix::process::Signal;
use tempfile::tempdir;

use crate::{
    database::{Load, patients},
    process::Bin,
};

fn assert_in_time(ended: &ProgramEnd) {
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(ended.after < Duration::from_secs(10), "{ended:?}");
}

on_both! {
    fn each_signal_ends_it_and_a_second_one_changes_nothing(bin: Bin) {
        for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
            let directory = tempdir().unwrap();
            let server = bin.start(directory.path(), &[]);
            assert_eq!(server.answer(&sent("GET", "/1.0.0/patient")).status, 200);
            let begun = Instant::now();
            server.signal(signal);
            server.signal(Signal::HUP);
            server.signal(signal);
            let ended = server.ended(begun).unwrap();
            assert_in_time(&ended);
            assert!(ended.after < Duration::from_secs(3), "{ended:?}");
        }
    }

    fn under_load_nothing_is_lost_and_nobody_left_alone(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &[]);
        let load = Load::on(server.address);
        load.run();
        let begun = Instant::now();
        server.signal(Signal::TERM);
        assert_in_time(&server.ended(begun).unwrap());
        let account = load.account();
        assert!(account.unanswered.iter().all(|sent| *sent > begun), "{account:?}");
        let server = bin.start(directory.path(), &[]);
        assert!(patients(&server).is_superset(&account.acknowledged));
    }

    fn a_request_that_was_sent_before_is_answered(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &[]);
        let mut kept: Vec<_> = (0..4).map(|_| server.wire()).collect();
        for wire in &mut kept {
            assert_eq!(sent("GET", "/1.0.0/patient").over(wire).status, 200);
        }
        let mut new: Vec<_> = (0..4).map(|_| server.wire()).collect();
        for wire in kept.iter_mut().chain(&mut new) {
            wire.send(sent("POST", "/1.0.0/patient").body("{}").written());
        }
        let begun = Instant::now();
        server.signal(Signal::TERM);
        for wire in kept.iter_mut().chain(&mut new) {
            assert_eq!(wire.answer().status, 201);
            assert!(wire.is_over());
        }
        assert_in_time(&server.ended(begun).unwrap());
    }

    fn a_body_that_is_still_coming_is_waited_for(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &[]);
        let request = sent("POST", "/1.0.0/patient").body(r#"{"name": "Ada Example"}"#);
        let written = request.written();
        let starts = [request.head().len(), request.head().len() + 18];
        let mut wires = starts.map(|start| {
            let mut wire = server.wire();
            wire.send(&written[..start]);
            wire
        });
        // Both heads must arrive before the signal does.
        thread::sleep(Duration::from_millis(200));
        let begun = Instant::now();
        server.signal(Signal::TERM);
        thread::sleep(Duration::from_secs(1));
        for (wire, start) in wires.iter_mut().zip(starts) {
            wire.send(&written[start..]);
            assert_eq!(wire.answer().status, 201);
        }
        assert_in_time(&server.ended(begun).unwrap());
    }

    fn slow_clients_do_not_keep_it(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &["--demo"]);
        let mut idle = server.wire();
        assert_eq!(sent("GET", "/1.0.0/patient").over(&mut idle).status, 200);
        let silent = server.wire();
        let mut half_a_head = server.wire();
        half_a_head.send("GET /1.0.0/pat");
        let request = sent("PUT", "/1.0.0/patient").body(r#"{"patientId": 1, "age": 40}"#);
        let mut no_body = server.wire();
        no_body.send(request.head());
        let mut half_a_body = server.wire();
        half_a_body.send(&request.written()[..request.head().len() + 18]);
        // The answer is far larger than the buffers between the server and a client that does not read.
        let mut deaf = server.wire();
        let page = sent("GET", "/1.0.0/journal?limit=500").written();
        deaf.send(page.repeat(100));
        thread::sleep(Duration::from_millis(200));

        let begun = Instant::now();
        server.signal(Signal::HUP);
        server.signal(Signal::TERM);
        // The client that still reads gets its answer.
        assert_eq!(half_a_body.answer().status, 408);
        assert_in_time(&server.ended(begun).unwrap());
        drop((idle, silent, half_a_head, no_body, deaf));
    }

    fn a_poll_for_news_is_answered_at_the_stop(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &["--in-memory"]);
        let mut wire = server.wire();
        wire.send(sent("GET", "/1.0.0/journal?wait=30").written());
        thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        server.signal(Signal::TERM);
        assert_eq!(wire.answer().status, 200);
        assert!(begun.elapsed() < Duration::from_secs(10));
        assert_in_time(&server.ended(begun).unwrap());
    }
}
