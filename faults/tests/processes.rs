//! The servers as processes, in short: the long runs are on demand.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use care_faults::{Program, kill, stop, syscall};

#[test]
fn poem_killed_at_any_moment_has_lost_nothing() {
    let kills = kill::kill(&Program::poem().unwrap(), 6, 1).unwrap();
    assert!(kills.acknowledged > 100, "{kills:?}");
}

#[test]
fn rocket_killed_at_any_moment_has_lost_nothing() {
    let kills = kill::kill(&Program::rocket().unwrap(), 6, 2).unwrap();
    assert!(kills.acknowledged > 100, "{kills:?}");
}

#[test]
fn poem_killed_at_a_system_call_has_lost_nothing() {
    killed_at_a_system_call(&Program::poem().unwrap());
}

#[test]
fn rocket_killed_at_a_system_call_has_lost_nothing() {
    killed_at_a_system_call(&Program::rocket().unwrap());
}

fn killed_at_a_system_call(program: &Program) {
    if !syscall::is_possible() {
        println!("left out: strace cannot trace here");
        return;
    }
    let kills = syscall::kill(program, 3, 3).unwrap();
    assert!(kills.acknowledged > 30, "{kills:?}");
}

#[test]
fn poem_told_to_stop_under_load_loses_nothing() {
    stop::stop(&Program::poem().unwrap(), 2, 4).unwrap();
}

#[test]
fn rocket_told_to_stop_under_load_loses_nothing() {
    stop::stop(&Program::rocket().unwrap(), 2, 5).unwrap();
}
