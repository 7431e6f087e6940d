//! The files that tasks write: each option and argument for one, from the command line's own tree.

use std::{any::TypeId, fs, os::unix::fs::symlink};

use care_server::{OutputFile, admin::Admin};
use care_store_sqlite::SqliteStore;
use clap::{Command, CommandFactory};

use crate::bench::Bench;

/// A task and its argument for a file that it writes.
#[derive(Debug)]
struct Output {
    task: Vec<String>,
    /// The option; `None` for an argument without a name.
    option: Option<String>,
}

impl Output {
    /// Returns all of them.
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        Self::enter(&mut all, &[], &Admin::command());
        assert!(all.len() >= 3, "{all:?}");
        all
    }

    fn enter(all: &mut Vec<Self>, task: &[String], command: &Command) {
        let outputs =
            command.get_arguments().filter(|it| it.get_value_parser().type_id() == TypeId::of::<OutputFile>());
        for output in outputs {
            let others =
                command.get_arguments().filter(|other| other.is_required_set() && other.get_id() != output.get_id());
            assert_eq!(others.count(), 0, "{task:?} needs another argument here");
            assert!(command.get_arguments().any(|it| it.get_long() == Some("overwrite")), "{task:?}");
            all.push(Self { task: task.to_vec(), option: output.get_long().map(|name| format!("--{name}")) });
        }
        for command in command.get_subcommands() {
            Self::enter(all, &[task, &[command.get_name().to_owned()]].concat(), command);
        }
    }

    /// Returns the arguments with which the task writes to this file.
    fn to<'a>(&'a self, file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let named = self.option.iter().map(String::as_str).chain([file]);
        self.task.iter().map(String::as_str).chain(named).chain(more.iter().copied()).collect()
    }

    fn is_backup(&self) -> bool {
        self.task == ["backup"]
    }
}

/// Returns the names and the contents of the files in the directory.
fn contents(bench: &Bench) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(bench.path("")).unwrap().map(Result::unwrap);
    let files = files.filter(|file| file.file_type().unwrap().is_file());
    let mut files: Vec<_> =
        files.map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap())).collect();
    files.sort();
    files
}

/// Returns a clinic in `care.db`, another database, and files of other kinds.
fn bench() -> Bench {
    let bench = Bench::with_clinic();
    fs::copy(bench.path("care.db"), bench.path("other.db")).unwrap();
    rusqlite::Connection::open(bench.path("foreign.db")).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
    bench.write("precious.txt", "precious");
    fs::create_dir(bench.path("folder")).unwrap();
    symlink(bench.path(""), bench.path("alias")).unwrap();
    bench
}

#[test]
fn no_task_writes_over_a_database_or_a_file_that_belongs_to_one() {
    const OWN: &str =
        "is a database, or belongs to one (-wal, -shm, -journal, .lock), and care-admin does not write there";
    let bench = bench();
    // As a server does, which keeps all of its files.
    for is_open in [false, true] {
        let store = is_open.then(|| bench.store("care.db"));
        let _ = fs::remove_file(bench.path("hard.db"));
        let _ = fs::remove_file(bench.path("hard.log"));
        fs::hard_link(bench.path("care.db"), bench.path("hard.db")).unwrap();
        if is_open {
            fs::hard_link(bench.path("care.db-wal"), bench.path("hard.log")).unwrap();
        }
        let before = contents(&bench);
        for output in Output::all() {
            let own = ["care.db", "./care.db", "folder/../care.db", "alias/care.db", "hard.db"];
            let sides = ["", "alias/"]
                .map(|way| ["-wal", "-shm", "-journal", ".lock"].map(|side| format!("{way}care.db{side}")));
            let beside_others = ["-wal", "-shm", "-journal", ".lock"].map(|side| format!("other.db{side}"));
            let files = own.into_iter().chain(sides.iter().flatten().map(String::as_str));
            let files = files.chain(beside_others.iter().map(String::as_str)).chain(is_open.then_some("hard.log"));
            for file in files {
                for more in [&[][..], &["--overwrite"]] {
                    let arguments = output.to(file, more);
                    let said = bench.admin(&arguments).refused();
                    assert_eq!(said, format!("care-admin: {file} {OWN}\n"), "{arguments:?}");
                    assert!(contents(&bench) == before, "{arguments:?}");
                }
            }
        }
        drop(store);
    }
}

#[test]
fn no_task_replaces_a_file_unless_it_is_told_to_and_a_database_only_by_a_backup() {
    let bench = bench();
    let foreign = SqliteStore::options().beside(true).open(bench.path("foreign.db"));
    assert!(foreign.is_err());
    let before = contents(&bench);
    for output in Output::all() {
        for file in ["precious.txt", "other.db", "foreign.db"] {
            let said = bench.admin(&output.to(file, &[])).refused();
            assert_eq!(said, format!("care-admin: {file} already exists; --overwrite replaces it\n"), "{output:?}");
        }
        bench.admin(&output.to("foreign.db", &["--overwrite"])).refused();
        bench.admin(&output.to("folder", &["--overwrite"])).refused();
        bench.admin(&output.to("alias", &["--overwrite"])).refused();
        assert!(contents(&bench) == before, "{output:?}");
        match output.is_backup() {
            true => {
                bench.admin(&output.to("precious.txt", &["--overwrite"])).refused();
                let store = bench.store("other.db");
                bench.admin(&output.to("other.db", &["--overwrite"])).refused();
                drop(store);
                assert_eq!(bench.read("precious.txt"), "precious");
                bench.admin(&output.to("other.db", &["--overwrite"])).done();
            }
            false => {
                bench.admin(&output.to("other.db", &["--overwrite"])).refused();
                assert!(contents(&bench) == before, "{output:?}");
                bench.admin(&output.to("precious.txt", &["--overwrite"])).done();
                assert_ne!(bench.read("precious.txt"), "precious");
                bench.write("precious.txt", "precious");
            }
        }
    }
}

#[test]
fn a_pipe_is_written_to_as_standard_output_is() {
    for output in Output::all().iter().filter(|output| !output.is_backup()) {
        let bench = Bench::with_clinic();
        let expected = bench.admin(&output.task.iter().map(String::as_str).collect::<Vec<_>>()).done();
        rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe"), rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)
            .unwrap();
        let pipe = bench.path("pipe");
        let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
        let arguments = output.to("pipe", &[]);
        assert!(bench.raw(&arguments, "").is_success);
        assert_eq!(reader.join().unwrap(), expected);
    }
}
