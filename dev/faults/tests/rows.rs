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
    fn a_stop_under_load_loses_nothing() = "stop" 1 4;
    fn clients_who_leave_do_no_harm() = "clients" 200 5;
    fn slow_clients_do_no_harm_and_are_let_go() = "slow" 1 1;
    fn memory_does_not_grow_in_a_long_run() = "soak" 4000 9;
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
    fn after_a_power_cut_everything_acknowledged_is_there() = "power" "" 24 1;
    fn a_failing_disk_causes_no_false_answer() = "io" "" 9 3;
    fn damage_is_noticed_or_does_not_matter() = "damage" "" 30 4;
    fn a_clock_that_jumps_does_no_harm() = "clock" "" 1 5;
    fn a_clock_that_travels_by_decades_does_no_harm() = "operate" "travel" 1 5;
    fn a_restore_ends_with_the_backup_or_with_what_was_there() = "operate" "restores" 9 1;
    fn a_full_or_read_only_disk_is_reported_clearly() = "operate" "disks" 1 1;
    fn a_person_is_erased_beside_writers() = "operate" "erasures" 4 6;
    fn a_task_killed_at_any_call_leaves_the_old_or_the_new_file() = "operate" "each-call" 12 1;
    fn two_services_that_share_a_file() = "linear" "file" 5 2;
    fn a_crowd_in_any_stage_of_a_request_keeps_no_client_with_a_key_out() = "abuse" "crowds" 1 1;
    fn bursts_without_a_key_keep_no_client_with_a_key_out_and_no_probe() = "abuse" "bursts" 1 1;
    fn a_request_stores_what_it_changes_and_not_what_stands_beside() = "abuse" "stored" 1 1;
    fn reports_keep_no_write_waiting() = "abuse" "reports" 1 1;
    fn a_key_is_revoked_and_the_server_ends_in_time_whatever_runs() = "abuse" "runaway" 1 1;
    fn readers_of_the_longest_reports_keep_no_client_waiting() = "abuse" "readers" 1 1;
    fn a_key_that_asks_for_all_it_can_keeps_no_other_waiting() = "abuse" "fairness" 1 1;
    fn no_operation_that_a_key_asks_for_keeps_another_waiting() = "abuse" "shares" 1 1;
    fn polls_that_wait_keep_no_client_with_a_key_out() = "abuse" "polls" 1 1;
}
