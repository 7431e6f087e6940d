//! Defects of a store, each with the case that must find it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use care_conformance::store::run;

use super::Replica;

macro_rules! faults {
    ($($fault:ident $test:ident by $case:ident)*) => {
        /// A defect of a store.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Defect {
            None,
            $($fault,)*
        }

        $(#[test]
        fn $test() {
            let proven = catch_unwind(AssertUnwindSafe(|| {
                run(Replica(Defect::$fault), stringify!($case));
            }));
            assert!(proven.is_err(), "the case let it pass");
        })*
    };
}

faults! {
    LosesReads a_lost_read_is_caught by a_read_is_written_down_and_changes_nothing
    LosesTheLastChange a_lost_change_is_caught by random_walk_1
    ReversesChanges a_wrong_order_of_changes_is_caught by changes_are_applied_in_order
    SkipsRemovals a_skipped_removal_is_caught by put_then_removed_leaves_nothing
    EntersRefusals an_entry_for_a_refusal_is_caught by a_refusal_writes_nothing
    EntersEmptyDecisions an_entry_for_nothing_is_caught by a_decision_without_changes_writes_nothing
    StopsAfterAPanic a_store_stopped_by_a_panic_is_caught by a_panic_writes_nothing
    LoadsKeyByKey keys_that_are_not_loaded_together_are_caught by keys_asked_for_together_are_answered_each
    ForgetsDeadlines a_late_decision_is_caught by a_decision_that_comes_too_late_is_not_run
    DecidesOnOldNews a_lost_update_is_caught by every_increment_of_a_hot_record_counts
    DecidesByHalves half_a_decision_is_caught by a_dropped_write_is_whole_or_nothing
    AnswersBeforeItShows a_stale_read_is_caught by random_walk_1
    ReadsKeyByKey a_torn_read_is_caught by a_question_under_way_sees_all_of_a_later_write_or_nothing
    ReadsWait a_waiting_read_is_caught by reads_pass_a_decision_under_way
    IgnoresLimits a_list_beyond_its_limit_is_caught by random_walk_1
    IgnoresBytes a_list_beyond_its_bytes_is_caught by a_list_ends_with_its_bytes
    IgnoresBytesOfEntries a_journal_beyond_its_bytes_is_caught by the_journal_ends_with_its_bytes
    SaysThereIsMore a_list_that_never_ends_is_caught by more_is_said_of_a_list_and_of_the_journal
    IgnoresCursors a_list_before_its_cursor_is_caught by pages_put_together_are_the_list
    TellsNobody a_store_that_tells_nobody_is_caught by a_service_is_told_of_an_entry_that_it_has_not_made
    IncludesTheCursor a_list_from_its_cursor_is_caught by random_walk_1
    IgnoresPhones an_ignored_filter_is_caught by random_walk_1
    ListsBackwards a_list_out_of_order_is_caught by random_walk_1
    ListsOldVersions a_wrong_version_is_caught by random_walk_1
    ForgetsTheActor a_forgotten_actor_is_caught by an_entry_says_who_did_what_and_when
    LosesSpellings a_folded_spelling_is_caught by an_entry_holds_the_changes_to_the_letter
    ForgetsWhatItReplaced a_forgotten_version_is_caught by random_walk_1
    LosesLinks a_lost_link_is_caught by every_entry_is_linked_to_the_one_before
    LinksReplaysAnew a_chain_that_is_made_anew_is_caught by a_replay_that_does_not_follow_the_chain_is_refused
    RepeatsTheEntry a_journal_from_its_cursor_is_caught by the_journal_is_read_from_anywhere
    ReplaysByHalves half_a_replay_is_caught by a_replay_that_breaks_off_writes_nothing
    ReplaysWhatIsMissing a_repeated_replay_is_caught by a_replay_of_what_is_there_is_refused
    ForgetsWhereItWas a_lost_place_in_a_scan_is_caught by random_walk_1
    ForgetsRevocations a_forgotten_revocation_is_caught by a_key_kept_again_is_replaced_and_the_others_stay
    KeepsOneKey a_lost_key_is_caught by keys_read_back_by_id
    DecidesOnOldKeys a_lost_change_of_a_key_is_caught by racers_lose_no_change_of_a_key
    StopsAfterAKeyPanic keys_stopped_by_a_panic_are_caught by a_panic_about_keys_writes_nothing
    EntersKeys an_entry_for_a_key_is_caught by keys_are_no_records
    ForgetsKeysWhenReopened forgotten_keys_are_caught by keys_are_there_after_reopening
    ForgetsWhenReopened a_forgetful_store_is_caught by every_answer_is_the_same_after_reopening
}
