//! Backups and restores.

use std::{
    fs,
    path::Path,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use care_core::{
    model::{PatientDetails, PatientId},
    service::CareService,
    store::{Journal, Seq},
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;
use rusqlite::Connection;

use crate::bench::{Bench, entries};

/// Returns the names of all files in the directory.
fn files(bench: &Bench) -> Vec<String> {
    let files = fs::read_dir(bench.path("")).unwrap();
    let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn register(care: &CareService) -> PatientId {
    block_on(care.register_patient(PatientDetails::default())).unwrap().patient_id
}

#[test]
fn a_backup_beside_a_busy_server_holds_what_was_answered_before() {
    let bench = Bench::with_clinic();
    let care = CareService::new(bench.store("care.db"));
    let over = AtomicBool::new(false);
    let last = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                register(&care);
            }
        });
        let last = register(&care);
        let made = bench.admin(&["backup", "backup.db"]);
        over.store(true, Ordering::SeqCst);
        writer.join().unwrap();
        assert!(made.done().contains(" agree, and are now in backup.db"));
        last
    });
    bench.admin(&["verify", "--database", "backup.db"]).done();
    let backup = bench.store("backup.db");
    let (kept, all) = (entries(&backup), entries(care.store()));
    assert!(kept.len() < all.len() && kept[..] == all[..kept.len()], "the backup is a beginning of it all");
    assert!(block_on(CareService::new(backup).patient(last)).is_ok());
}

#[test]
fn a_backup_is_one_private_file() {
    let bench = Bench::with_clinic();
    bench.admin(&["backup", "backup.db"]).done();
    assert_eq!(files(&bench), ["backup.db", "care.db"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(bench.path("backup.db")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn nothing_is_replaced_without_overwrite() {
    let bench = Bench::with_clinic();
    bench.write("backup.db", "precious");
    let said = bench.admin(&["backup", "backup.db"]).refused();
    assert_eq!(said, "care-admin: backup.db already exists; --overwrite replaces it\n");
    assert_eq!(bench.read("backup.db"), "precious");
    let said = bench.admin(&["backup", "backup.db", "--overwrite"]).refused();
    assert!(said.starts_with("care-admin: the database backup.db is not a database of this service"), "{said}");
    assert_eq!(bench.read("backup.db"), "precious");
    fs::remove_file(bench.path("backup.db")).unwrap();
    bench.admin(&["backup", "backup.db"]).done();
    bench.admin(&["backup", "backup.db", "--overwrite"]).done();
    let before = fs::read(bench.path("care.db")).unwrap();
    let said = bench.admin(&["restore", "backup.db"]).refused();
    assert_eq!(said, "care-admin: care.db already exists; --overwrite replaces it\n");
    assert_eq!(fs::read(bench.path("care.db")).unwrap(), before);
    let said = bench.admin(&["restore", "none.db", "--database", "new.db"]).refused();
    assert_eq!(said, "care-admin: the database none.db does not exist\n");
    assert!(!bench.path("new.db").exists());
}

#[test]
fn a_restored_database_is_the_backup_and_nothing_since() {
    let bench = Bench::with_clinic();
    bench.admin(&["keys", "issue", "--name", "desk", "--scope", "all"]).done();
    bench.admin(&["backup", "backup.db"]).done();
    let (backed_up, keys) =
        (bench.admin(&["export", "--database", "care.db"]).done(), bench.admin(&["keys", "list"]).done());
    let care = CareService::new(bench.store("care.db"));
    register(&care);
    // As after a crash: a database's last writes are only in its log, which must not be mistaken for the backup's log.
    for file in ["care.db", "care.db-wal"] {
        fs::copy(bench.path(file), bench.path(&file.replace("care", "crashed"))).unwrap();
    }
    drop(care);
    // The other database has lost everything but its log.
    fs::copy(bench.path("crashed.db-wal"), bench.path("lost.db-wal")).unwrap();
    let restored = bench.admin(&["restore", "backup.db", "--database", "lost.db"]);
    assert!(restored.is_success && restored.err.contains("set aside a log"), "{restored:?}");
    for database in ["care.db", "crashed.db", "new.db"] {
        bench.admin(&["restore", "backup.db", "--database", database, "--overwrite"]).done();
    }
    for database in ["care.db", "crashed.db", "new.db", "lost.db"] {
        assert_eq!(bench.admin(&["export", "--database", database]).done(), backed_up, "{database}");
        assert_eq!(bench.admin(&["keys", "list", "--database", database]).done(), keys);
        bench.admin(&["verify", "--database", database]).done();
    }
    // The restored database continues where the backup ended.
    let care = CareService::new(bench.store("care.db"));
    register(&care);
    let all = entries(care.store());
    assert_eq!(all.last().unwrap().seq, Seq::new(backed_up.lines().count() as u64 + 1));
}

#[test]
fn a_database_in_use_is_not_replaced() {
    let bench = Bench::with_clinic();
    bench.admin(&["backup", "backup.db"]).done();
    let care = CareService::new(bench.store("care.db"));
    let id = register(&care);
    let said = bench.admin(&["restore", "backup.db", "--overwrite"]).refused();
    assert_eq!(
        said,
        "care-admin: nothing was restored, and care.db is unchanged: the database care.db is in use by another \
         process\n"
    );
    assert!(block_on(care.patient(id)).is_ok());
    register(&care);
    drop(care);
    assert!(!files(&bench).iter().any(|file| file.contains("unfinished")), "{:?}", files(&bench));
    bench.admin(&["verify", "--database", "care.db"]).done();
}

#[test]
fn a_damaged_backup_is_not_put_in_place() {
    let bench = Bench::with_clinic();
    bench.admin(&["backup", "backup.db"]).done();
    let before = bench.admin(&["export", "--database", "care.db"]).done();
    let whole = fs::read(bench.path("backup.db")).unwrap();
    // A truncated backup, a file that is no backup, and one that SQLite accepts but the service does not.
    bench.write("cut.db", &whole[..whole.len() / 2]);
    bench.write("other.db", "something else");
    bench.write("changed.db", &whole);
    let conn = Connection::open(bench.path("changed.db")).unwrap();
    conn.execute("UPDATE patient SET phone = 1 WHERE patient_id = 1", []).unwrap();
    conn.close().unwrap();
    for backup in ["cut.db", "other.db", "changed.db"] {
        bench.admin(&["restore", backup, "--overwrite"]).refused();
        bench.admin(&["restore", backup, "--database", "new.db"]).refused();
    }
    assert!(!bench.path("new.db").exists());
    assert!(!files(&bench).iter().any(|file| file.contains("unfinished")), "{:?}", files(&bench));
    assert_eq!(bench.admin(&["export", "--database", "care.db"]).done(), before);
    // A damaged database gets no backup.
    fs::copy(bench.path("changed.db"), bench.path("care.db")).unwrap();
    bench.admin(&["backup", "worthless.db"]).refused();
    assert!(!bench.path("worthless.db").exists());
    // A sound backup takes the place of a damaged database.
    bench.write("care.db", &whole[..whole.len() / 2]);
    bench.admin(&["restore", "backup.db", "--overwrite"]).done();
    assert_eq!(bench.admin(&["export", "--database", "care.db"]).done(), before);
}

#[test]
fn a_restored_database_has_another_epoch() {
    let bench = Bench::with_clinic();
    bench.admin(&["backup", "backup.db"]).done();
    let epoch = |name: &str| bench.store(name).epoch();
    let before = epoch("care.db");
    // A backup has the same history until it is written to.
    assert_eq!((epoch("care.db"), epoch("backup.db")), (before, before));
    bench.admin(&["restore", "backup.db", "--overwrite"]).done();
    bench.admin(&["restore", "backup.db", "--database", "new.db"]).done();
    let (restored, new) = (epoch("care.db"), epoch("new.db"));
    assert!(restored != before && new != before && new != restored);
}

#[test]
fn a_database_is_not_replaced_under_a_guest() {
    let bench = Bench::with_clinic();
    bench.admin(&["backup", "backup.db"]).done();
    let guest = SqliteStore::options().beside(true).open(bench.path("care.db")).unwrap();
    let said = bench.admin(&["restore", "backup.db", "--overwrite"]).refused();
    assert!(said.ends_with("the database care.db is in use by another process\n"), "{said}");
    drop(guest);
    bench.admin(&["restore", "backup.db", "--overwrite"]).done();
}

#[test]
fn the_documented_drill_works() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md");
    let document = fs::read_to_string(document).unwrap();
    let (_, drill) = document.split_once("```sh drill\n").unwrap();
    let (drill, _) = drill.split_once("```").unwrap();
    let bench = Bench::with_clinic();
    let programs = Path::new(env!("CARGO_BIN_EXE_care-admin")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let shell = Command::new("sh")
        .args(["-e", "-c", drill])
        .current_dir(bench.path(""))
        .env("PATH", format!("{}:{path}", programs.display()))
        .output()
        .unwrap();
    assert!(shell.status.success(), "{shell:?}");
    // No server is running, so no tool leaves a lock file behind.
    assert_eq!(files(&bench), ["care.db"]);
}

#[test]
fn a_log_beside_a_backup_is_refused() {
    let bench = Bench::with_clinic();
    bench.admin(&["keys", "issue", "--name", "ward", "--scope", "patient:read"]).done();
    bench.admin(&["backup", "backup.db"]).done();
    // An attacker plants a log beside the unchanged backup, in which the key has all scopes.
    fs::copy(bench.path("backup.db"), bench.path("planted.db")).unwrap();
    let conn = Connection::open(bench.path("planted.db")).unwrap();
    conn.execute_batch("PRAGMA journal_mode = wal; UPDATE api_key SET scopes = 'patient:read patient:write'").unwrap();
    fs::copy(bench.path("planted.db-wal"), bench.path("backup.db-wal")).unwrap();
    let beside = "the database backup.db has a log or a journal beside it (-wal, -journal), and a backup has none";
    let refused = |log: &str| {
        let said = bench.admin(&["restore", "backup.db", "--database", "new.db"]).refused();
        assert_eq!(said, format!("care-admin: nothing was restored, and new.db is unchanged: {beside}\n"));
        let said = bench.admin(&["verify", "--backup", "backup.db"]).refused();
        assert_eq!(said, format!("care-admin: {beside}\n"));
        assert!(!bench.path("new.db").exists());
        fs::remove_file(bench.path(log)).unwrap();
    };
    refused("backup.db-wal");
    bench.write("backup.db-journal", "a journal");
    refused("backup.db-journal");

    // The backup itself is sound, and is neither changed nor joined by a file.
    let (before, all) = (fs::read(bench.path("backup.db")).unwrap(), files(&bench));
    let said = bench.admin(&["verify", "--backup", "backup.db"]).done();
    assert!(said.ends_with(" records agree\n"), "{said}");
    assert_eq!((fs::read(bench.path("backup.db")).unwrap(), files(&bench)), (before, all));
    let said = bench.admin(&["verify", "--backup", "none.db"]).refused();
    assert_eq!(said, "care-admin: the database none.db does not exist\n");
    drop(conn);
}

#[test]
fn a_restore_names_the_keys_that_are_valid() {
    let bench = Bench::with_clinic();
    for name in ["desk", "ward \u{202e}3"] {
        bench.admin(&["keys", "issue", "--name", name, "--scope", "all"]).done();
    }
    let revoked = bench.admin(&["keys", "issue", "--name", "gone", "--scope", "all"]).done();
    bench.admin(&["keys", "revoke", revoked.split('_').nth(1).unwrap()]).done();
    bench.admin(&["backup", "backup.db"]).done();
    let said = bench.admin(&["restore", "backup.db", "--database", "new.db"]).done();
    assert_eq!(said.lines().count(), 3, "{said}");
    assert!(said.contains(" of desk is valid\n") && said.contains(" of ward \\u{202e}3 is valid\n"), "{said}");
}
