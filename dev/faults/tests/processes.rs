//! The servers as processes, in short: the long runs are on demand.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

use std::path::Path;

use care_faults::{
    Program, clients, files, kill, panics, payment,
    planted::Frontend::{Poem, Rocket},
    relay, slow, soak, stop, syscall,
};

/// Makes each check a test of both servers.
macro_rules! on_both {
    ($(fn $name:ident($program:ident: &Program) $body:block)*) => {
        $(fn $name($program: &Program) $body)*

        mod poem {
            $(#[test]
            fn $name() {
                super::$name(&super::Program::poem().unwrap());
            })*
        }

        mod rocket {
            $(#[test]
            fn $name() {
                super::$name(&super::Program::rocket().unwrap());
            })*
        }
    };
}

on_both! {
    fn a_kill_at_any_moment_loses_nothing(program: &Program) {
        let kills = kill::kill(program, 4, 1).unwrap();
        assert!(kills.acknowledged > 60, "{kills:?}");
    }

    fn a_kill_at_a_system_call_loses_nothing(program: &Program) {
        if !syscall::is_possible() {
            println!("left out: strace cannot trace here");
            return;
        }
        let calls = syscall::kill(program, 2, 3).unwrap();
        assert!(calls.reached > 0, "{calls:?}");
        let calls = syscall::fail(program, 2, 8).unwrap();
        assert!(calls.reached > 0, "{calls:?}");
    }

    fn a_payment_and_its_refund_are_done_once_wherever_they_are_killed(program: &Program) {
        if !syscall::is_possible() {
            println!("left out: strace cannot trace here");
            return;
        }
        let kills = payment::each_call(program, 9).unwrap();
        assert!(kills > 3, "{kills}");
    }

    fn a_stop_under_load_loses_nothing(program: &Program) {
        stop::stop(program, 1, 4).unwrap();
    }

    fn clients_who_leave_do_no_harm(program: &Program) {
        clients::leave(program, 200, 5).unwrap();
    }

    fn slow_clients_do_no_harm_and_are_let_go(program: &Program) {
        let slowed = slow::hold(program, 60, 1).unwrap();
        assert_eq!(slowed.answered, 500, "{slowed:?}");
    }

    fn memory_does_not_grow_in_a_long_run(program: &Program) {
        let soaked = soak::soak(program, 4000, 9).unwrap();
        assert!(soaked.requests >= 4000 && soaked.acknowledged > 200, "{soaked:?}");
    }

    fn racing_payments_count_once(program: &Program) {
        clients::race(program, 10).unwrap();
    }

    fn a_file_that_somebody_else_has(program: &Program) {
        files::locked(program).unwrap();
        files::owned(program).unwrap();
    }

    fn a_disk_that_is_full_or_can_only_be_read(program: &Program) {
        if !files::can_mount() {
            println!("left out: nothing can be mounted here");
            return;
        }
        files::full(program, 6).unwrap();
        files::full_beside_probes(program).unwrap();
        files::read_only(program).unwrap();
    }
}

#[test]
fn a_relay_that_is_killed_delivers_everything_in_order() {
    let relayed = relay::kill(&Program::poem().unwrap(), 10, 11).unwrap();
    assert!(relayed.events > 100 && relayed.restarts == 1, "{relayed:?}");
}

#[test]
fn a_panic_costs_one_answer_and_nothing_else() {
    let harness = Path::new(env!("CARGO_BIN_EXE_care-faults"));
    for frontend in [Poem, Rocket] {
        panics::panic(harness, frontend, 10, 7).unwrap();
    }
}
