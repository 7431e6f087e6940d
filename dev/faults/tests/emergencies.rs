//! Operators' tasks in an emergency, in short: the long runs are on demand.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

use care_faults::{Program, files, operate, syscall};

fn both() -> [(&'static str, Program); 2] {
    [("Poem", Program::poem().unwrap()), ("Rocket", Program::rocket().unwrap())]
}

#[test]
fn a_restore_ends_with_the_backup_or_with_what_was_there() {
    operate::restores(9, 1, &both()).unwrap();
}

#[test]
fn a_backup_during_writes_is_complete_or_absent() {
    operate::backups(6, 2, &both()).unwrap();
}

#[test]
fn an_import_that_was_cut_off_goes_on() {
    operate::imports(4, 3, &both()).unwrap();
}

#[test]
fn a_rotation_that_is_cut_off_leaves_one_valid_key() {
    operate::rotations(6, 4, &both()).unwrap();
}

#[test]
fn nothing_is_acknowledged_that_is_not_in_the_file_at_its_path() {
    operate::thefts(14, 5, &both()).unwrap();
}

#[test]
fn a_full_or_read_only_disk_is_reported_clearly() {
    if !files::can_mount() {
        println!("left out: nothing can be mounted here");
        return;
    }
    operate::disks().unwrap();
}

#[test]
fn a_person_is_erased_beside_writers() {
    operate::erasures(4, 3000, 6, &both()).unwrap();
}

#[test]
fn a_task_killed_at_any_call_leaves_the_old_or_the_new_file() {
    if !syscall::is_possible() {
        println!("left out: strace cannot trace here");
        return;
    }
    operate::each_call(12).unwrap();
}
