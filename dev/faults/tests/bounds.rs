//! The cost of one client to the others, in short; the long runs are on demand.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

mod short;

use std::time::Duration;

use care_faults::{
    Run,
    abuse::{BARS, Bars},
};

/// Much longer than anything takes that ends.
const AT_LAST: Duration = Duration::from_secs(60);

/// Here everything must end, and the long runs hold it to times: programs that are not optimised share a machine with
/// other tests. Three visits are few for the pages of a file.
const GENEROUS: Bars = Bars {
    wait: AT_LAST,
    probe: AT_LAST,
    voiding: AT_LAST,
    stop: AT_LAST,
    revoke: AT_LAST,
    growth: 16.0,
    pages: 30.0,
    ..BARS
};

/// Makes each part a test.
macro_rules! parts {
    ($(fn $name:ident() = $part:literal;)*) => {
        $(#[test]
        fn $name() {
            short::hold("abuse", $part, &Run { bars: GENEROUS, ..short::run(1, 1) });
        })*
    };
}

parts! {
    fn links_and_modes_that_others_planted_do_no_harm() = "planted";
    fn a_crowd_in_any_stage_of_a_request_keeps_no_client_with_a_key_out() = "crowds";
    fn bursts_without_a_key_keep_no_client_with_a_key_out_and_no_probe() = "bursts";
    fn the_file_and_the_memory_of_pages_grow_no_faster_than_what_is_sent() = "growth";
    fn a_request_stores_what_it_changes_and_not_what_stands_beside() = "stored";
    fn reports_and_refused_voidings_keep_no_write_waiting() = "reports";
    fn a_key_is_revoked_and_the_server_ends_in_time_whatever_runs() = "runaway";
    fn readers_of_the_longest_reports_keep_no_client_waiting() = "readers";
    fn readers_of_pages_in_fhir_keep_no_client_waiting() = "pages";
    fn a_key_that_asks_for_all_it_can_keeps_no_other_waiting() = "fairness";
    fn polls_that_wait_or_have_left_keep_no_client_with_a_key_out() = "polls";
    fn a_throttle_remembers_little_and_logs_less() = "throttle";
    fn receivers_that_answer_without_end_keep_no_event_and_no_probe_waiting() = "receivers";
}
