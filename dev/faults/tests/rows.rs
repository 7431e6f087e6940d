//! The rows of the tables, in short; the long runs are on demand.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

mod short;

use short::{hold, run};

/// Makes each row a test of both servers.
macro_rules! on_both {
    ($(fn $name:ident() = $task:literal $rounds:literal $seed:literal;)*) => {
        mod poem {
            $(#[test]
            fn $name() {
                super::on(0, $task, $rounds, $seed);
            })*
        }

        mod rocket {
            $(#[test]
            fn $name() {
                super::on(1, $task, $rounds, $seed);
            })*
        }
    };
}

fn on(server: usize, task: &str, rounds: u64, seed: u64) {
    let mut run = run(rounds, seed);
    run.programs = vec![run.programs.swap_remove(server)];
    hold(task, "", &run);
}

on_both! {
    fn a_kill_at_any_moment_loses_nothing() = "kill" 4 1;
    fn a_kill_at_a_system_call_loses_nothing() = "syscall" 2 3;
    fn a_failing_system_call_causes_no_false_answer() = "calls" 2 8;
    fn a_payment_and_its_refund_are_done_once_wherever_they_are_killed() = "payment" 9 1;
    fn a_stop_under_load_loses_nothing() = "stop" 1 4;
    fn clients_who_leave_do_no_harm() = "clients" 200 5;
    fn slow_clients_do_no_harm_and_are_let_go() = "slow" 1 1;
    fn memory_does_not_grow_in_a_long_run() = "soak" 4000 9;
    fn racing_payments_count_once() = "race" 10 1;
    fn a_file_that_somebody_else_has() = "files" 1 1;
    fn a_disk_that_is_full_or_can_only_be_read() = "full" 1 6;
}

/// Makes each row a test.
macro_rules! rows {
    ($(fn $name:ident() = $task:literal $part:literal $rounds:literal $seed:literal;)*) => {
        $(#[test]
        fn $name() {
            hold($task, $part, &run($rounds, $seed));
        })*
    };
}

rows! {
    fn a_relay_that_is_killed_delivers_everything_in_order() = "relay" "" 10 11;
    fn a_panic_costs_one_answer_and_nothing_else() = "panic" "" 20 7;
    fn after_a_power_cut_everything_acknowledged_is_there() = "power" "" 24 1;
    fn a_failing_disk_causes_no_false_answer() = "io" "" 9 3;
    fn damage_is_noticed_or_does_not_matter() = "damage" "" 30 4;
    fn a_clock_that_jumps_does_no_harm() = "clock" "" 1 5;
    fn a_clock_that_travels_by_decades_does_no_harm() = "operate" "travel" 1 5;
    fn a_restore_ends_with_the_backup_or_with_what_was_there() = "operate" "restores" 9 1;
    fn a_backup_during_writes_is_complete_or_absent() = "operate" "backups" 6 2;
    fn an_import_that_was_cut_off_goes_on() = "operate" "imports" 4 3;
    fn a_rotation_that_is_cut_off_leaves_one_valid_key() = "operate" "rotations" 6 4;
    fn nothing_is_acknowledged_that_is_not_in_the_file_at_its_path() = "operate" "thefts" 14 5;
    fn a_full_or_read_only_disk_is_reported_clearly() = "operate" "disks" 1 1;
    fn a_person_is_erased_beside_writers() = "operate" "erasures" 4 6;
    fn a_task_killed_at_any_call_leaves_the_old_or_the_new_file() = "operate" "each-call" 12 1;
    fn two_services_that_share_a_file() = "linear" "file" 5 2;
}
