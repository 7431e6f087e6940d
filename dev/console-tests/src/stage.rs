//! The surroundings of a check: a server, its keys and its database.

use std::{fs, iter, path::PathBuf, process::Command, time::Duration};

use care_testkit::{RawRequest, Wire, within};
use serde_json::Value;
use tempfile::TempDir;

use crate::Answer;

/// Medicines in several strengths, some of whose names are parts of others, as a table for the import.
pub(crate) const MEDICINES: &str = include_str!("../../../extras/care-console/tests/medicines.csv");

/// A key with every scope.
pub(crate) const KEY: &str = "the-key-of-the-tests-0123456789";

/// The paths of the programs, the source of axe-core, and the server under test.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) folder: PathBuf,
    pub(crate) axe: String,
    pub(crate) server: &'static str,
    /// Whether it is the first of the two servers.
    pub(crate) is_first: bool,
    /// The folder for the pictures.
    pub(crate) pictures: PathBuf,
}

/// A server of the service, which can be ended and started again at the same port.
#[derive(Debug)]
pub(crate) struct Clinic {
    program: PathBuf,
    admin: PathBuf,
    options: Vec<String>,
    folder: TempDir,
    running: Option<care_testkit::Server>,
    port: u16,
}

impl Clinic {
    /// Starts the server with these options. `DATABASE` stands for a file of its own.
    pub(crate) fn start(stage: &Stage, options: &str) -> Answer<Self> {
        let folder = TempDir::new()?;
        let database = folder.path().join("care.db").display().to_string();
        let options = options.split(' ').map(|option| option.replace("DATABASE", &database)).collect();
        let (program, admin) = (stage.folder.join(stage.server), stage.folder.join("care-admin"));
        let mut clinic = Self { program, admin, options, folder, running: None, port: 0 };
        clinic.again(KEY)?;
        Ok(clinic)
    }

    /// Starts the server anew, at the same port and with this key.
    pub(crate) fn again(&mut self, key: &str) -> Answer<()> {
        let mut command = Command::new(&self.program);
        command.args(["--bind", &format!("127.0.0.1:{}", self.port), "--api-key", key]).args(&self.options);
        let server = care_testkit::Server::start(&mut command)?;
        self.port = server.address.port();
        self.running = Some(server);
        Ok(())
    }

    /// Kills the server.
    pub(crate) fn end(&mut self) {
        self.running = None;
    }

    /// Returns the running server.
    pub(crate) fn server(&self) -> Answer<&care_testkit::Server> {
        self.running.as_ref().ok_or_else(|| "the server has ended".into())
    }

    /// Sends a request without a browser.
    pub(crate) fn ask(&self, key: &str, method: &str, path: &str, body: Option<&Value>) -> Answer<(u16, Value)> {
        let methods = ["GET", "POST", "PUT", "DELETE"];
        let method = methods.into_iter().find(|one| *one == method).ok_or_else(|| format!("no method {method:?}"))?;
        let mut request = RawRequest { method, target: format!("/1.0.0{path}"), headers: Vec::new(), body: None };
        request = request.header("api_key", key);
        if let Some(body) = body {
            request = request.body(&body.to_string());
        }
        let mut wire = Wire::try_open(self.server()?.address)?;
        wire.try_send(request.written())?;
        let answer = wire.try_answer()?;
        Ok((answer.status, serde_json::from_str(&answer.body).unwrap_or_default()))
    }

    fn admin(&self, arguments: &[&str]) -> Answer<String> {
        let mut command = Command::new(&self.admin);
        command.args(arguments).arg("--database").arg(self.folder.path().join("care.db"));
        let done = command.output()?;
        match done.status.success() {
            true => Ok(String::from_utf8(done.stdout)?),
            false => Err(String::from_utf8_lossy(&done.stderr).into()),
        }
    }

    /// Issues a key with these scopes, and returns it once the server knows it.
    pub(crate) fn issue(&self, name: &str, scopes: &str) -> Answer<String> {
        let mut arguments = vec!["keys", "issue", "--name", name];
        arguments.extend(scopes.split(", ").flat_map(|scope| ["--scope", scope]));
        let said = self.admin(&arguments)?;
        let key = said.split_whitespace().find(|word| word.starts_with("care_")).ok_or("no key was issued")?;
        let known = within(Duration::from_secs(10), || match self.ask(key, "GET", "/key", None) {
            Ok((401, _)) => None,
            other => Some(other.map(drop)),
        });
        known.ok_or("the server does not learn of the key")??;
        Ok(key.to_owned())
    }

    /// Revokes a key.
    pub(crate) fn revoke(&self, key: &str) -> Answer<()> {
        let id = key.split('_').nth(1).ok_or("what is revoked is no key")?;
        self.admin(&["keys", "revoke", id]).map(drop)
    }

    /// Imports this many patients into the database, whose server has ended.
    pub(crate) fn crowd(&self, count: usize) -> Answer<()> {
        let row = |number| format!("Patient {number:05} Example,4416329{number:05},patient{number}@example.org");
        self.import("import-patients", "name,phone,email", (0..count).map(row))
    }

    /// Imports this many medicines into the database, whose server has ended, or those of [`MEDICINES`].
    pub(crate) fn stack(&self, what: &str) -> Answer<()> {
        if let Some((head, rows)) = MEDICINES.split_once('\n').filter(|_| what == "medicines") {
            return self.import("import-medicines", head, rows.lines().map(str::to_owned));
        }
        let count: usize = what.parse()?;
        self.import("import-medicines", "medicine", (1..=count).map(|number| format!("Medicine {number:05}")))
    }

    fn import(&self, task: &str, head: &str, rows: impl Iterator<Item = String>) -> Answer<()> {
        let table = self.folder.path().join("table.csv");
        let lines: Vec<String> = iter::once(head.to_owned()).chain(rows).collect();
        fs::write(&table, lines.join("\n"))?;
        self.admin(&[task, table.to_str().ok_or("a path in Unicode")?]).map(drop)
    }
}
