//! A pooler in front of a server.

use std::{
    env, fs, io,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
};

use care_testkit::{PATIENCE, Program, until};

use crate::{Cluster, Missing, REQUIRED};

/// The port that names its socket.
const PORT: u16 = 6432;
/// A directory that is not on every user's path.
const SYSTEM: &str = "/usr/sbin";

/// PgBouncer in transaction mode, with a socket next to the server's. Dropping it stops it.
#[derive(Debug)]
pub struct Pooler {
    _program: Program,
    directory: PathBuf,
}

impl Pooler {
    /// Returns the path of the program.
    ///
    /// # Errors
    /// When it is not installed.
    ///
    /// # Panics
    /// When it is not installed, and the environment says that PostgreSQL must be.
    pub fn program() -> Result<PathBuf, Missing> {
        let path = env::var_os("PATH").unwrap_or_default();
        let directories = env::split_paths(&path).chain([PathBuf::from(SYSTEM)]);
        let found = directories.map(|directory| directory.join("pgbouncer")).find(|program| program.is_file());
        let missing = Missing("pgbouncer");
        assert!(found.is_some() || env::var_os(REQUIRED).is_none(), "{missing}, and {REQUIRED} is set");
        found.ok_or(missing)
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
             default_pool_size=20\nserver_idle_timeout=1\n",
            directory.display()
        );
        let file = directory.join("pooler.ini");
        fs::write(&file, settings)?;
        let pooler = Program::start(cluster.command(program).arg(&file))?;
        let socket = directory.join(format!(".s.PGSQL.{PORT}"));
        let mut answers = false;
        until(PATIENCE, || {
            answers = UnixStream::connect(&socket).is_ok();
            answers || pooler.has_ended().unwrap_or(true)
        });
        match answers {
            true => Ok(Self { _program: pooler, directory }),
            false => Err(io::Error::other(format!("the pooler does not answer\n{}", pooler.log.text()))),
        }
    }

    /// Returns the address of the schema of this user.
    pub fn address(&self, user: &str) -> String {
        let socket = self.directory.display().to_string().replace('/', "%2F");
        format!("postgres:///postgres?user={user}&host={socket}&port={PORT}&pooler=transaction")
    }
}
