//! The files that are opened, and those that are refused and left unchanged.

use std::{
    error::Error,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use care_core::store::Change;
use care_store_sqlite::{OpenErrorKind, SqliteStore};

use crate::bench::{Bench, commit, has, large_patient, patient, seqs};

/// Opens the bench's database, with its lock file and without one. It must be refused for this reason, in one sentence,
/// and left unchanged, without a new file beside it.
fn refused(bench: &Bench, kind: OpenErrorKind) {
    refused_once(bench, kind);
    let _ = fs::remove_file(bench.path("care.db.lock"));
    refused_once(bench, kind);
}

fn refused_once(bench: &Bench, kind: OpenErrorKind) {
    let path = bench.database();
    let before = (bench.files(), fs::read(&path).ok());
    let error = SqliteStore::open(&path).unwrap_err();
    assert_eq!(error.kind(), kind);
    assert_eq!(error.path(), path);
    let sentence = error.to_string();
    assert!(sentence.contains(path.to_str().unwrap()), "{sentence}");
    assert!(!sentence.contains('\n'), "{sentence}");
    assert!(before.1 == fs::read(&path).ok(), "the file was touched");
    assert_eq!(bench.files(), before.0);
}

/// Returns a bench with a sound database of some pages, cleanly closed.
fn filled() -> Bench {
    let bench = Bench::new();
    let store = bench.open();
    commit(&store, (1..=50).map(|n| Change::put(large_patient(n))).collect()).unwrap();
    drop(store);
    bench
}

fn overwrite(path: &Path, at: usize, bytes: &[u8]) {
    let mut content = fs::read(path).unwrap();
    content[at..at + bytes.len()].copy_from_slice(bytes);
    fs::write(path, content).unwrap();
}

#[test]
fn an_absent_file_is_made_and_found_again() {
    let bench = Bench::new();
    let store = bench.open();
    commit(&store, vec![Change::put(patient(1))]).unwrap();
    drop(store);
    assert_eq!(bench.files(), ["care.db", "care.db.lock"]);
    assert!(has(&bench.open(), 1));
}

#[test]
fn a_relative_path_is_found() {
    let bench = Bench::new();
    let name = bench.path("a %20 b?mode=memory#ü.db");
    drop(SqliteStore::open(&name).unwrap());
    assert!(name.is_file());
    let dotted = bench.path("x/../care.db");
    fs::create_dir(bench.path("x")).unwrap();
    drop(SqliteStore::open(dotted).unwrap());
    assert!(bench.database().is_file());
}

#[test]
fn an_empty_file_is_refused() {
    let bench = Bench::new();
    fs::write(bench.database(), "").unwrap();
    refused(&bench, OpenErrorKind::Empty);
}

#[test]
fn something_else_is_refused() {
    let bench = Bench::new();
    for content in ["x", "SQLite format 3", &"not a database\n".repeat(1000)] {
        fs::write(bench.database(), content).unwrap();
        refused(&bench, OpenErrorKind::Foreign);
    }
}

#[test]
fn a_database_of_something_else_is_refused() {
    for setting in ["", "PRAGMA application_id = 7", "PRAGMA user_version = 1"] {
        let bench = Bench::new();
        let conn = bench.stranger();
        conn.execute_batch(&format!("CREATE TABLE patient (id); {setting};")).unwrap();
        drop(conn);
        refused(&bench, OpenErrorKind::Foreign);
    }
}

#[test]
fn a_database_that_was_never_finished_is_refused() {
    let bench = filled();
    bench.stranger().execute_batch("PRAGMA user_version = 0").unwrap();
    refused(&bench, OpenErrorKind::Foreign);
}

#[test]
fn a_newer_database_is_refused() {
    let bench = filled();
    bench.stranger().execute_batch("PRAGMA user_version = 2000").unwrap();
    refused(&bench, OpenErrorKind::Newer);
}

#[test]
fn a_newer_database_is_refused_while_only_its_log_says_so() {
    let bench = filled();
    let conn = bench.stranger();
    conn.execute_batch("PRAGMA user_version = 2000").unwrap();
    let killed = bench.as_killed();
    drop(conn);
    let log = fs::read(killed.path("care.db-wal")).unwrap();
    let before = fs::read(killed.database()).unwrap();
    let error = SqliteStore::open(killed.database()).unwrap_err();
    assert_eq!(error.kind(), OpenErrorKind::Newer);
    assert!(before == fs::read(killed.database()).unwrap());
    assert!(log == fs::read(killed.path("care.db-wal")).unwrap());
}

#[test]
fn a_damaged_page_is_refused_wherever_it_is() {
    let sound = filled();
    let content = fs::read(sound.database()).unwrap();
    let pages = content.len() / 4096;
    assert!(pages > 20, "{pages}");
    for page in 1..pages {
        let bench = Bench::new();
        fs::write(bench.database(), &content).unwrap();
        overwrite(&bench.database(), page * 4096, &[0xA5; 64]);
        refused(&bench, OpenErrorKind::Damaged);
    }
}

#[test]
fn a_damaged_schema_is_refused() {
    let bench = filled();
    overwrite(&bench.database(), 100, &[0xA5; 32]);
    refused(&bench, OpenErrorKind::Damaged);
}

#[test]
fn a_truncated_file_is_refused() {
    let sound = filled();
    let content = fs::read(sound.database()).unwrap();
    for length in [4096, content.len() / 2, content.len() - 4096] {
        let bench = Bench::new();
        fs::write(bench.database(), &content[..length]).unwrap();
        refused(&bench, OpenErrorKind::Damaged);
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let bench = Bench::new();
    fs::create_dir(bench.database()).unwrap();
    refused(&bench, OpenErrorKind::NotAFile);
}

#[test]
fn nothing_is_opened_through_a_link() {
    for target in ["sound.db", "nowhere", "care.db"] {
        let bench = filled();
        fs::rename(bench.database(), bench.path("sound.db")).unwrap();
        symlink(bench.path(target), bench.database()).unwrap();
        refused(&bench, OpenErrorKind::Link);
    }
    // Links among the directories are the operator's choice.
    let bench = filled();
    symlink(bench.path(""), bench.path("link")).unwrap();
    assert!(has(&SqliteStore::open(bench.path("link/care.db")).unwrap(), 50));
}

#[test]
fn a_planted_lock_file_is_refused_and_what_it_leads_to_is_kept() {
    type Plant = fn(&Path, &Path) -> std::io::Result<()>;
    let plants: [Plant; 2] = [|precious, lock| symlink(precious, lock), |precious, lock| fs::hard_link(precious, lock)];
    for plant in plants {
        let (bench, elsewhere) = (filled(), Bench::new());
        let precious = elsewhere.path("precious");
        fs::write(&precious, "precious").unwrap();
        fs::remove_file(bench.path("care.db.lock")).unwrap();
        plant(&precious, &bench.path("care.db.lock")).unwrap();
        refused_once(&bench, OpenErrorKind::Inaccessible);
        assert_eq!(fs::read(&precious).unwrap(), b"precious");
    }
    // A file that others could use is made private.
    let bench = filled();
    fs::set_permissions(bench.path("care.db.lock"), PermissionsExt::from_mode(0o666)).unwrap();
    drop(bench.open());
    assert_eq!(fs::metadata(bench.path("care.db.lock")).unwrap().permissions().mode() & 0o7777, 0o600);
}

#[test]
fn a_planted_log_or_index_is_not_written_through() {
    for name in ["care.db-wal", "care.db-shm"] {
        let (bench, elsewhere) = (filled(), Bench::new());
        let precious = elsewhere.path("precious");
        fs::write(&precious, "precious").unwrap();
        symlink(&precious, bench.path(name)).unwrap();
        assert!(SqliteStore::open(bench.database()).is_err(), "{name}");
        assert_eq!(fs::read(&precious).unwrap(), b"precious", "{name}");
    }
}

#[test]
fn a_schema_with_anything_of_others_is_refused() {
    for foreign in [
        "CREATE TRIGGER evil AFTER INSERT ON patient BEGIN DELETE FROM journal; END",
        "CREATE VIEW evil AS SELECT * FROM patient",
        "CREATE TABLE evil (name)",
        "CREATE INDEX evil ON patient (age)",
        "DROP INDEX patient_by_name",
        "ALTER TABLE patient ADD COLUMN evil TEXT",
    ] {
        let bench = filled();
        bench.stranger().execute_batch(foreign).unwrap();
        refused(&bench, OpenErrorKind::Altered);
        let beside = SqliteStore::options().beside(true).open(bench.database());
        assert_eq!(beside.unwrap_err().kind(), OpenErrorKind::Altered, "{foreign}");
        assert_eq!(bench.files(), ["care.db"], "{foreign}");
    }
}

#[test]
fn a_table_of_the_host_is_named_with_what_to_do() {
    let bench = filled();
    bench
        .stranger()
        .execute_batch("CREATE TABLE visits (id INTEGER PRIMARY KEY AUTOINCREMENT, day TEXT UNIQUE)")
        .unwrap();
    let error = SqliteStore::open(bench.database()).unwrap_err();
    let said = error.to_string();
    let what = "has a schema that is not this service's: it holds the table visits; the file is the service's alone, \
                so move what is yours to a file of your own (for a table, with .dump in the program sqlite3) and drop \
                it here";
    assert!(said.starts_with("the database ") && said.ends_with(&format!("care.db {what}")), "{said}");
    assert!(error.source().is_none());
    let sql = "CREATE TABLE a (b); CREATE INDEX by_b ON a (b); CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END";
    bench.stranger().execute_batch(sql).unwrap();
    let said = SqliteStore::open(bench.database()).unwrap_err().to_string();
    assert!(said.contains(": it holds the table a, the index by_b, the trigger t, the table visits; "), "{said}");
    // SQLite keeps a table for AUTOINCREMENT, and nothing drops it.
    bench.stranger().execute_batch("DROP TABLE visits; DROP TABLE a").unwrap();
    drop(bench.open());
}

#[test]
fn an_object_of_ours_that_is_not_as_it_should_be_is_named() {
    for change in
        ["DROP INDEX patient_by_name", "DROP INDEX patient_by_name; CREATE INDEX patient_by_name ON patient (age)"]
    {
        let bench = filled();
        bench.stranger().execute_batch(change).unwrap();
        let said = SqliteStore::open(bench.database()).unwrap_err().to_string();
        assert!(
            said.ends_with(" has a schema that is not this service's: patient_by_name is not as it should be"),
            "{said}"
        );
    }
}

#[test]
fn what_cannot_be_reached_is_refused_with_the_cause() {
    let absent = Bench::new().path("no/such/care.db");
    let error = SqliteStore::open(&absent).unwrap_err();
    assert_eq!(error.kind(), OpenErrorKind::Inaccessible);
    assert!(error.source().is_some());
    assert!(SqliteStore::open("").is_err() && SqliteStore::open("/").is_err());
}

#[test]
fn what_a_kill_leaves_is_recovered() {
    let bench = Bench::new();
    let store = bench.open();
    for number in 1..=20 {
        commit(&store, vec![Change::put(patient(number))]).unwrap();
    }
    let killed = bench.as_killed();
    drop(store);
    let store = killed.open();
    assert_eq!(seqs(&store), (1..=20).collect::<Vec<_>>());
    assert!(has(&store, 20));
    drop(store);
    assert_eq!(killed.files(), ["care.db", "care.db.lock"]);
}

#[test]
fn a_log_that_a_kill_cut_short_is_recovered_up_to_there() {
    let bench = Bench::new();
    let store = bench.open();
    for number in 1..=20 {
        commit(&store, vec![Change::put(patient(number))]).unwrap();
    }
    let killed = bench.as_killed();
    drop(store);
    let log = fs::read(killed.path("care.db-wal")).unwrap();
    fs::write(killed.path("care.db-wal"), &log[..log.len() - 1000]).unwrap();
    assert_eq!(seqs(&killed.open()), (1..=19).collect::<Vec<_>>());
}

#[test]
fn an_interrupted_creation_is_no_obstacle() {
    let bench = Bench::new();
    let left = bench.path("care.db-unfinished-0123456789abcdef");
    fs::create_dir(&left).unwrap();
    for name in ["claim", "database", "database-journal"] {
        fs::write(left.join(name), "half").unwrap();
    }
    fs::write(bench.path("care.db.lock"), "half").unwrap();
    drop(bench.open());
    assert_eq!(bench.files(), ["care.db", "care.db.lock"]);
}

#[test]
fn a_log_without_its_database_is_set_aside() {
    let bench = Bench::new();
    let store = bench.open();
    commit(&store, vec![Change::put(patient(1))]).unwrap();
    let killed = bench.as_killed();
    fs::remove_file(killed.database()).unwrap();
    let store = killed.open();
    assert!(!has(&store, 1));
    commit(&store, vec![Change::put(patient(2))]).unwrap();
    drop(store);
    assert!(has(&killed.open(), 2));
    assert!(killed.files().contains(&"care.db-wal.orphan".to_owned()));
}

#[test]
fn a_copy_with_another_journal_mode_is_taken_in() {
    let bench = filled();
    let conn = bench.stranger();
    conn.execute_batch("PRAGMA journal_mode = delete").unwrap();
    drop(conn);
    assert!(has(&bench.open(), 50));
}

#[test]
#[cfg(target_os = "linux")]
fn no_rollback_journal_is_ever_made_beside_a_database() {
    use std::{ffi::OsStr, mem::MaybeUninit, os::unix::ffi::OsStrExt};

    use care_store_sqlite::DatabaseCopy;
    use rustix::{
        fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init},
        io::Errno,
    };

    // A kill would leave it, and the database would then be refused as foreign.
    let bench = filled();
    let backup = bench.path("backup.db");
    DatabaseCopy::backup(bench.database(), &backup, false).unwrap().put().unwrap();
    let made = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
    add_watch(&made, bench.path(""), WatchFlags::CREATE).unwrap();
    // A copy begins to be used, is replaced after a kill and while it is at rest, and is replaced by a file that is no
    // database in use.
    fs::copy(&backup, bench.database()).unwrap();
    drop(bench.open());
    for _ in 0..2 {
        DatabaseCopy::restore(&backup, bench.database(), true).unwrap().put().unwrap();
        let store = bench.open();
        commit(&store, vec![Change::put(patient(51))]).unwrap();
        let killed = bench.as_killed();
        drop(store);
        fs::copy(killed.path("care.db-wal"), bench.path("care.db-wal")).unwrap();
    }
    DatabaseCopy::backup(bench.database(), &backup, true).unwrap().put().unwrap();

    let (mut room, mut names) = ([MaybeUninit::uninit(); 4096], Vec::new());
    let mut events = Reader::new(&made, &mut room);
    loop {
        match events.next() {
            Ok(event) => names.extend(event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()).to_owned())),
            Err(Errno::AGAIN) => break,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(names.contains(&"care.db-wal".into()), "{names:?}");
    assert!(!names.iter().any(|name| name.to_string_lossy().ends_with("-journal")), "{names:?}");
}

#[test]
fn a_database_in_another_encoding_is_refused() {
    let bench = filled();
    let rebuilt = bench.path("rebuilt.db");
    let conn = rusqlite::Connection::open(&rebuilt).unwrap();
    let wide = "PRAGMA encoding = 'UTF-16le'; PRAGMA page_size = 4096; CREATE TABLE wide (x); DROP TABLE wide;";
    conn.execute_batch(wide).unwrap();
    conn.execute_batch("PRAGMA application_id = 1128354373; PRAGMA user_version = 1; PRAGMA journal_mode = wal;")
        .unwrap();
    drop(conn);
    fs::rename(&rebuilt, bench.database()).unwrap();
    refused(&bench, OpenErrorKind::Encoding);
}
