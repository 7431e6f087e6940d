//! The cases, one file for each subject, and the only list of them.

mod asking;
mod deciding;
mod keeping;

pub(super) use asking::{filters, finding, keys, names, pages, people, selections, snapshots};
pub(super) use deciding::{changes, commits, decisions, futures, races, refusals, together, walks};
pub(super) use keeping::{api_keys, journal, maintenance, owners, records, reopening, replays, values};

/// Passes the list of all cases to another macro, after that macro's own arguments. The tests of a store and the table
/// of functions are both made from it.
#[doc(hidden)]
#[macro_export]
macro_rules! __store_cases {
    ([$($then:tt)+] [$($own:tt)*]) => {
        $($then)+! {
            [$($own)*]
            keys {
                the_prescriptions_of_a_patient_are_all_of_them
                the_free_number_passes_over_a_long_run
                no_number_is_free_above_the_last
            }
            names {
                a_medicine_is_found_in_any_spelling
                similar_medicines_stay_apart
                items_come_in_the_order_of_their_folded_names
            }
            records {
                every_form_of_every_kind_reads_back
                each_field_of_a_patient_reads_back_alone
                consultations_keep_their_prescriptions_in_order
            }
            values {
                texts_read_back_to_the_letter
                weights_read_back_to_the_bit
                dates_read_back
                values_are_read_that_todays_rules_refuse
            }
            changes {
                changes_are_applied_in_order
                put_then_removed_leaves_nothing
                a_read_is_written_down_and_changes_nothing
                a_decision_of_a_thousand_changes_is_whole
            }
            refusals {
                a_refusal_writes_nothing
                a_refusal_comes_back_as_it_is
                a_decision_without_changes_writes_nothing
                a_panic_writes_nothing
                a_question_that_refuses_is_answered_so
                a_question_that_panics_costs_only_itself
                a_selection_of_records_that_are_written_late_is_refused
            }
            decisions {
                sixty_keys_are_answered_one_after_another
                keys_asked_for_together_are_answered_each
                a_decision_that_asks_without_end_is_refused
                a_decision_that_comes_too_late_is_not_run
                a_decision_ends_once_nobody_waits_for_it
                only_the_last_run_counts
            }
            pages {
                a_list_ends_with_its_bytes
                the_journal_ends_with_its_bytes
                more_is_said_of_a_list_and_of_the_journal
                pages_put_together_are_the_list
                pages_stay_while_others_write
            }
            filters {
                all_filters_of_prescriptions_must_hold
                all_filters_of_invoices_must_hold
                all_filters_of_movements_must_hold
            }
            people {
                patients_by_the_beginning_of_their_name
                a_prefix_is_no_pattern
                a_prefix_may_end_with_the_last_code_point
            }
            finding {
                patients_by_the_words_of_their_name
                patients_whose_names_resemble_a_text
                patients_by_their_numbers_and_mail_addresses
                a_phone_number_is_found_behind_up_to_three_first_digits
                whole_words_come_before_beginnings_and_these_before_numbers
                what_is_found_follows_changes
                more_matches_than_are_looked_at_are_not_hidden
                words_of_many_digits_find_those_that_have_them
                a_single_letter_looks_at_one_page
                a_name_of_very_many_words_is_found_by_the_first
            }
            journal {
                an_entry_says_who_did_what_and_when
                an_entry_holds_the_changes_to_the_letter
                every_entry_is_linked_to_the_one_before
                the_journal_is_read_from_anywhere
                the_journal_takes_any_cursor_and_limit
                journal_pages_stay_while_entries_are_added
                skip_pointers_lead_to_versions_of_the_last_life
                a_service_is_told_of_an_entry_that_it_has_not_made
            }
            replays {
                a_replayed_journal_makes_the_same_store
                a_replay_goes_on_where_the_journal_ends
                decisions_go_on_where_a_replay_ends
                a_replay_of_nothing_writes_nothing
                a_replay_after_a_gap_is_refused
                a_replay_of_what_is_there_is_refused
                a_replay_that_breaks_off_writes_nothing
                an_entry_that_changes_nothing_is_not_replayed
                a_replay_that_does_not_follow_the_chain_is_refused
                racers_replay_once
                a_replay_is_there_after_reopening
            }
            selections {
                every_selection_is_answered_and_every_index_answers_one
            }
            races {
                every_increment_of_a_hot_record_counts
                one_racer_creates_a_record
                racers_take_from_the_lots_as_the_one_before_left_them
                exactly_what_was_accepted_is_there
                racers_on_different_records_all_succeed
                what_was_answered_is_seen_by_everybody
            }
            together {
                a_stock_that_comes_and_goes_is_what_the_one_before_left
                a_reply_that_was_just_replaced_is_not_an_old_one
            }
            commits {
                one_refusal_refuses_all_use_cases_in_one_commit
                use_cases_in_one_commit_may_ask_their_own_service_alone
            }
            snapshots {
                a_question_sees_one_moment
                a_question_sees_one_moment_of_what_changes_apart
                a_list_sees_one_moment
                a_large_decision_appears_at_once
                the_journal_grows_without_gaps
                a_question_under_way_sees_all_of_a_later_write_or_nothing
                reads_pass_a_decision_under_way
            }
            futures {
                a_future_never_polled_is_whole_or_nothing
                a_dropped_write_is_whole_or_nothing
                dropped_writes_among_others_harm_nobody
                dropped_reads_harm_nobody
                one_task_awaits_many_writes
                a_future_may_wait_before_it_is_polled
            }
            reopening {
                an_empty_store_reopens_empty
                the_epoch_is_there_after_reopening
                every_answer_is_the_same_after_reopening
                the_journal_goes_on_after_reopening
                what_did_not_happen_is_not_there_after_reopening
            }
            api_keys {
                a_fresh_store_has_no_key
                keys_read_back_by_id
                a_key_kept_again_is_replaced_and_the_others_stay
                a_panic_about_keys_writes_nothing
                racers_lose_no_change_of_a_key
                keys_and_their_entry_are_kept_together
                a_panic_about_the_entry_of_keys_writes_nothing
                a_replay_brings_no_keys
                keys_are_no_records
                keys_are_there_after_reopening
            }
            owners {
                a_voiding_takes_what_each_kind_says_that_it_takes
                nothing_that_a_kind_calls_personal_outlives_an_erasure
            }
            maintenance {
                work_is_kept_whole_or_not_at_all
                after_its_own_failure_a_transaction_is_not_kept
                work_sees_what_it_has_done
                decisions_handed_over_together_run_in_their_order
                use_cases_together_are_one_commit
                what_is_rewritten_stands_in_its_place
                an_erased_person_is_in_no_record_and_in_no_entry
                what_stands_again_is_named_and_erased_again
                a_scrubbed_store_is_as_it_was
                nothing_of_an_erased_person_is_left
            }
            walks {
                random_walk_1
                random_walk_2
                random_walk_3
                random_walk_4
                random_walk_5
                random_walk_6
            }
        }
    };
}
