//! A server with its data directory.

use std::{
    env,
    ffi::OsStr,
    fs, io, iter,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
};

use care_testkit::{PATIENCE, Signal, until, within};
use tempfile::TempDir;
use tokio_postgres::NoTls;

use crate::{Installation, user::User};

/// Whether a crash of the machine may lose committed data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing waits for the disk: for tests of anything but durability.
    None,
    /// As in production.
    Full,
}

/// A running server. Dropping it stops the server and removes its files.
#[derive(Debug)]
pub struct Cluster {
    pub(crate) installation: Installation,
    pub(crate) user: User,
    pub(crate) directory: TempDir,
    pub(crate) settings: Vec<String>,
    pub(crate) server: Option<Child>,
    pub(crate) schemas: AtomicU64,
}

impl Cluster {
    /// Creates a server's files and starts it, with these additional settings (`name=value`).
    ///
    /// # Errors
    /// The failure of the system, of `initdb` or of the server.
    pub fn start(installation: &Installation, durability: Durability, settings: &[&str]) -> io::Result<Self> {
        let user = User::find()?;
        let directory = tempfile::Builder::new().prefix("care-pg-").tempdir()?;
        user.give(directory.path())?;
        let mut initdb = Command::new(installation.program("initdb"));
        initdb.arg("-D").arg(directory.path().join("data"));
        initdb.args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]);
        let made = user.run(&mut initdb).current_dir(directory.path()).output()?;
        if !made.status.success() {
            return Err(io::Error::other(format!("initdb: {}", String::from_utf8_lossy(&made.stderr))));
        }
        let mut settings: Vec<_> = settings.iter().map(|setting| (*setting).to_owned()).collect();
        if durability == Durability::None {
            settings.extend(["fsync=off", "synchronous_commit=off", "full_page_writes=off"].map(str::to_owned));
        }
        let schemas = AtomicU64::new(0);
        let mut cluster = Self { installation: installation.clone(), user, directory, settings, server: None, schemas };
        cluster.restart()?;
        Ok(cluster)
    }

    /// Shuts the server down cleanly.
    ///
    /// # Errors
    /// The failure of the system.
    pub fn stop(&mut self) -> io::Result<()> {
        self.signal(Signal::INT);
        match self.server.take() {
            Some(mut server) => server.wait().map(drop),
            None => Ok(()),
        }
    }

    /// Starts the server on its files if it has ended, and waits until it answers.
    ///
    /// # Errors
    /// The failure of the system, or a server that does not answer.
    pub fn restart(&mut self) -> io::Result<()> {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.log())?;
        let mut postgres = Command::new(self.installation.program("postgres"));
        postgres.arg("-D").arg(self.data()).arg("-k").arg(self.directory.path());
        postgres.args(["-c", "listen_addresses=", "-c", "max_connections=300", "-c", "shared_buffers=64MB"]);
        for setting in &self.settings {
            postgres.args(["-c", setting]);
        }
        postgres.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).current_dir(self.directory.path());
        let mut server = self.user.run(&mut postgres).spawn()?;
        let answered = within(PATIENCE, || match self.execute("SELECT 1") {
            Err(_) if matches!(server.try_wait(), Ok(None)) => None,
            answered => Some(answered),
        });
        self.server = Some(server);
        answered.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into())).map_err(|error| {
            let log = fs::read_to_string(self.log()).unwrap_or_default();
            io::Error::other(format!("the server does not answer: {error}\n{log}"))
        })
    }

    /// Returns a command that runs as the server's user, in the server's directory, with its programs on the path.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        self.user.run(&mut command).current_dir(self.directory.path());
        let programs = self.installation.program("");
        let others = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths(iter::once(programs).chain(env::split_paths(&others)));
        command.env("PATH", path.unwrap_or(others));
        command
    }

    /// Returns the directory with the server's socket.
    pub fn socket(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the address of a schema in the server's only database.
    pub fn address(&self, schema: &str) -> String {
        Self::address_of(&[self], schema)
    }

    /// Returns the address of a schema on these servers, whichever of them accepts writes.
    pub fn address_of(servers: &[&Self], schema: &str) -> String {
        address(servers.iter().map(|server| (server.socket(), server.port().unwrap_or("5432"))), schema)
    }

    /// Returns the port from the settings, which also names the socket.
    fn port(&self) -> Option<&str> {
        self.settings.iter().find_map(|setting| setting.strip_prefix("port="))
    }

    /// Creates an empty schema, and a user of the same name who owns it and has it first in the search path. Returns
    /// the name.
    ///
    /// # Errors
    /// The failure of the server.
    pub fn role(&self) -> io::Result<String> {
        let name = self.schema()?;
        self.execute(&format!(
            "CREATE ROLE {name} LOGIN; ALTER SCHEMA {name} OWNER TO {name}; \
             ALTER ROLE {name} SET search_path = {name}; GRANT pg_read_all_stats TO {name}"
        ))?;
        Ok(name)
    }

    /// Returns the names of the first `count` schemas, whether they exist yet or not.
    pub fn names(count: u64) -> Vec<String> {
        (0..count).map(name).collect()
    }

    /// Creates an empty schema. Returns its name.
    ///
    /// # Errors
    /// The failure of the server.
    pub fn schema(&self) -> io::Result<String> {
        let name = name(self.schemas.fetch_add(1, Ordering::Relaxed));
        self.execute(&format!("CREATE SCHEMA {name}"))?;
        Ok(name)
    }

    /// Runs a script on the server.
    ///
    /// # Errors
    /// The failure of the server.
    pub fn execute(&self, script: &str) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let done = runtime.block_on(async {
            let config: tokio_postgres::Config = self.address("public").parse()?;
            let (client, connection) = config.connect(NoTls).await?;
            let driven = tokio::spawn(connection);
            client.batch_execute(script).await?;
            drop(client);
            // This closes the connection cleanly.
            let _ = driven.await;
            Ok::<_, tokio_postgres::Error>(())
        });
        done.map_err(|error| {
            let detail = error.as_db_error().map(ToString::to_string).unwrap_or_default();
            io::Error::other(format!("{error} {detail}"))
        })
    }

    /// Checks that this condition holds.
    ///
    /// # Errors
    /// It does not hold, or the failure of the server.
    pub fn holds(&self, condition: &str) -> io::Result<()> {
        self.execute(&format!("DO $$ BEGIN ASSERT {condition}; END $$"))
    }

    /// Waits until this condition holds.
    ///
    /// # Errors
    /// It does not hold in time.
    pub fn until(&self, condition: &str) -> io::Result<()> {
        let mut last = Ok(());
        until(PATIENCE, || {
            last = self.holds(condition);
            last.is_ok()
        });
        last
    }

    /// Waits until the session with this application name has come to its `pg_sleep`.
    ///
    /// # Errors
    /// It does not come there in time.
    pub fn until_asleep(&self, application: &str) -> io::Result<()> {
        self.until(&format!(
            "EXISTS (SELECT FROM pg_stat_activity WHERE application_name = '{application}' AND wait_event = 'PgSleep')"
        ))
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    fn log(&self) -> PathBuf {
        self.directory.path().join("log")
    }
}

/// Returns the name of the schema with this number.
fn name(number: u64) -> String {
    format!("care_{number}")
}

/// Returns the address of a schema on the servers with sockets in these directories and with these ports.
pub(crate) fn address<'a>(servers: impl Iterator<Item = (&'a Path, &'a str)>, schema: &str) -> String {
    let encoded = |(socket, port): (&Path, &'a str)| (socket.display().to_string().replace('/', "%2F"), port);
    let (sockets, ports): (Vec<_>, Vec<_>) = servers.map(encoded).unzip();
    // A list with commas would count as one path.
    let (hosts, ports) = (sockets.join("&host="), ports.join(","));
    format!("postgres:///postgres?user=postgres&host={hosts}&port={ports}&options=-csearch_path%3D{schema}")
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // It ends at once, because nothing of it is needed. A stopped process receives no other signal.
        self.go_on();
        self.signal(Signal::QUIT);
        if let Some(server) = &mut self.server {
            until(PATIENCE, || !matches!(server.try_wait(), Ok(None)));
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}
