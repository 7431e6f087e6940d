//! A directory with databases, and the program under test.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, OnceLock},
};

use care_core::{
    model::{PatientDetails, PatientId},
    service::{CareService, ExpectedVersion, Idempotency},
    store::{Entry, Journal, Limit, MemoryStore, Seq},
};
use care_server::demo;
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;
use tempfile::TempDir;

pub(crate) struct Bench(TempDir);

/// The exit status and the output of the program.
#[derive(Debug)]
pub(crate) struct ProgramEnd {
    pub(crate) is_success: bool,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Makes a directory with a clinic in `care.db`, closed: the first weeks of the demo, with a record of every kind.
    pub(crate) fn with_clinic() -> Self {
        static CLINIC: OnceLock<Vec<u8>> = OnceLock::new();
        Self::with(CLINIC.get_or_init(|| clinic(weeks(demo()))))
    }

    /// Makes a directory with the clinic after a busy year, for what takes its time.
    pub(crate) fn with_clinic_after_a_year() -> Self {
        static CLINIC: OnceLock<Vec<u8>> = OnceLock::new();
        Self::with(CLINIC.get_or_init(|| clinic(demo())))
    }

    fn with(database: &[u8]) -> Self {
        let bench = Self::new();
        bench.write("care.db", database);
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs the program in the directory.
    pub(crate) fn admin(&self, arguments: &[&str]) -> ProgramEnd {
        self.admin_reading(arguments, "")
    }

    pub(crate) fn admin_reading(&self, arguments: &[&str], input: &str) -> ProgramEnd {
        let end = self.raw(arguments, input);
        if end.is_success && arguments.contains(&"export") {
            let out = arguments.iter().position(|argument| *argument == "--out");
            let exported = out.map(|place| self.read(arguments[place + 1]));
            assert_chained(exported.as_ref().unwrap_or(&end.out));
        }
        end
    }

    /// Runs the program, and reads nothing that it writes to files.
    pub(crate) fn raw(&self, arguments: &[&str], input: &str) -> ProgramEnd {
        let mut child = command(self.0.path(), arguments);
        let mut stdin = child.stdin.take().unwrap();
        // The program may end without reading all of its input.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        ProgramEnd {
            is_success: output.status.success(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs the program, does something once it has begun to print, and then reads what else it prints. One that prints
    /// more than a pipe holds is not yet done then.
    pub(crate) fn admin_meanwhile(&self, arguments: &[&str], meanwhile: impl FnOnce()) -> ProgramEnd {
        let mut child = command(self.0.path(), arguments);
        let mut stdout = child.stdout.take().unwrap();
        let mut out = vec![0];
        stdout.read_exact(&mut out).unwrap();
        meanwhile();
        stdout.read_to_end(&mut out).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        ProgramEnd { is_success: output.status.success(), out: text(out), err: text(output.stderr) }
    }

    /// Runs the program with a standard output that has no room, and returns its exit code and its error message.
    pub(crate) fn admin_without_room(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = program(self.0.path(), arguments).stdout(full).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    /// Runs the program with a standard output that leads nowhere, and returns its error message.
    pub(crate) fn admin_to_nobody(&self, arguments: &[&str]) -> String {
        let output = program(self.0.path(), arguments).stdout(std::process::Stdio::null()).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    }

    pub(crate) fn store(&self, name: &str) -> SqliteStore {
        SqliteStore::open(self.path(name)).unwrap()
    }
}

impl ProgramEnd {
    /// Returns the standard output of a successful run.
    pub(crate) fn done(self) -> String {
        assert!(self.is_success, "{self:?}");
        assert_eq!(self.err, "");
        self.out
    }

    /// Returns the error message of a refused run.
    pub(crate) fn refused(self) -> String {
        assert!(!self.is_success, "{self:?}");
        assert_eq!(self.out, "");
        self.err
    }
}

/// Checks an export like [`chain_of`]. Most are equal to an earlier one, of which the verdict is known.
fn assert_chained(export: &str) {
    static SOUND: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SOUND.lock().unwrap().contains(export) {
        return;
    }
    if let Some(Err(fault)) = chain_of(export) {
        panic!("{fault}");
    }
    SOUND.lock().unwrap().insert(export.to_owned());
}

/// Checks an export with a program that shares no code with the project, and returns the head that it finds, or the
/// fault. Returns `None` on a machine without Python, where that program cannot run.
pub(crate) fn chain_of(export: &str) -> Option<Result<String, String>> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("export.ndjson");
    fs::write(&file, export).unwrap();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/chain.py");
    let output = Command::new("python3").arg(program).arg(file).output();
    let output = match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        output => output.unwrap(),
    };
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Some(match output.status.success() {
        true => Ok(text(output.stdout).trim_end().to_owned()),
        false => Err(text(output.stderr)),
    })
}

fn command(directory: &Path, arguments: &[&str]) -> std::process::Child {
    let (input, output, errors) = (Stdio::piped(), Stdio::piped(), Stdio::piped());
    program(directory, arguments).stdin(input).stdout(output).stderr(errors).spawn().unwrap()
}

fn program(directory: &Path, arguments: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_care-admin"));
    program.args(arguments).current_dir(directory);
    program
}

pub(crate) fn entries(store: &(impl Journal + ?Sized)) -> Vec<Entry> {
    block_on(store.journal(Seq::ZERO, Limit::ALL)).unwrap().items
}

/// Returns the journal of the demo's year.
fn demo() -> Vec<Entry> {
    let care = CareService::new(MemoryStore::new());
    block_on(demo::fill(&care)).unwrap();
    entries(care.store())
}

/// Returns the beginning of the year, up to the first record of the last kind that it has. The patient who is voided
/// leaves late.
fn weeks(mut year: Vec<Entry>) -> Vec<Entry> {
    let mut first = BTreeMap::new();
    for (place, entry) in year.iter().enumerate() {
        for change in entry.changes() {
            first.entry(change.kind()).or_insert(place);
        }
    }
    first.remove("Voided");
    year.truncate(1 + first.into_values().max().unwrap());
    year
}

/// Returns a database with this journal and a voided patient, whose registration has a stored reply.
fn clinic(journal: Vec<Entry>) -> Vec<u8> {
    let bench = Bench::new();
    let store = bench.store("care.db");
    block_on(store.replay(journal)).unwrap();
    let care = CareService::new(store);
    let last = PatientId::try_from(i64::MAX).unwrap();
    let once = Idempotency::new("once").unwrap();
    block_on(care.once(once).register_patient_as(last, PatientDetails::default())).unwrap();
    block_on(care.void_patient(last, ExpectedVersion::Any)).unwrap();
    drop(care);
    fs::read(bench.path("care.db")).unwrap()
}
