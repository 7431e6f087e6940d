//! A pooler in front of a server.

use std::{
    env, fmt, fs, io,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{Cluster, REQUIRED};

/// The port that names its socket.
const PORT: u16 = 6432;
/// A directory that is not on every user's path.
const SYSTEM: &str = "/usr/sbin";
/// Longest time until it answers.
const LIMIT: Duration = Duration::from_secs(30);
/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// PgBouncer in transaction mode, with a socket next to the server's. Dropping it stops it.
#[derive(Debug)]
pub struct Pooler {
    process: Child,
    directory: PathBuf,
}

/// The error when PgBouncer is not installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoPooler;

impl Pooler {
    /// Returns the path of the program.
    ///
    /// # Errors
    /// When it is not installed.
    ///
    /// # Panics
    /// When it is not installed, and the environment says that PostgreSQL must be.
    pub fn program() -> Result<PathBuf, NoPooler> {
        let path = env::var_os("PATH").unwrap_or_default();
        let directories = env::split_paths(&path).chain([PathBuf::from(SYSTEM)]);
        let found = directories.map(|directory| directory.join("pgbouncer")).find(|program| program.is_file());
        assert!(found.is_some() || env::var_os(REQUIRED).is_none(), "{NoPooler}, and {REQUIRED} is set");
        found.ok_or(NoPooler)
    }

    /// Starts PgBouncer for these users, each of whom [owns](Cluster::role) a schema, which may be created later.
    ///
    /// # Errors
    /// The failure of the system, or a pooler that does not answer.
    pub fn start(cluster: &Cluster, program: &Path, users: &[String]) -> io::Result<Self> {
        let directory = cluster.socket().to_owned();
        let list: String = users.iter().map(|user| format!("\"{user}\" \"\"\n")).collect();
        fs::write(directory.join("users.txt"), list)?;
        let settings = format!(
            "[databases]\n* = host={0}\n[pgbouncer]\nlisten_port={PORT}\nunix_socket_dir={0}\nauth_type=trust\n\
             auth_file={0}/users.txt\npool_mode=transaction\nignore_startup_parameters=options\nmax_client_conn=1000\n\
             default_pool_size=20\nserver_idle_timeout=1\nlogfile={0}/pooler.log\n",
            directory.display()
        );
        let file = directory.join("pooler.ini");
        fs::write(&file, settings)?;
        let mut command = cluster.command(program);
        command.arg("-q").arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut pooler = Self { process: command.spawn()?, directory };
        let since = Instant::now();
        while UnixStream::connect(pooler.directory.join(format!(".s.PGSQL.{PORT}"))).is_err() {
            if pooler.process.try_wait()?.is_some() || since.elapsed() > LIMIT {
                let log = fs::read_to_string(pooler.directory.join("pooler.log")).unwrap_or_default();
                return Err(io::Error::other(format!("the pooler does not answer\n{log}")));
            }
            thread::sleep(PAUSE);
        }
        Ok(pooler)
    }

    /// Returns the address of the schema of this user.
    pub fn address(&self, user: &str) -> String {
        let socket = self.directory.display().to_string().replace('/', "%2F");
        format!("postgres:///postgres?user={user}&host={socket}&port={PORT}&pooler=transaction")
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        // It may already have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl fmt::Display for NoPooler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no pgbouncer found")
    }
}

impl std::error::Error for NoPooler {}
