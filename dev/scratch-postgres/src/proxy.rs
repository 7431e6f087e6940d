//! A proxy in front of a server's socket, where a rule decides what happens to each statement.

use std::{
    collections::HashMap,
    io::{self, BufReader, Write},
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use tempfile::TempDir;

use crate::{
    Cluster,
    messages::{self, Request},
};

/// The port that names a socket.
const PORT: &str = "5432";
/// The name of the socket in its directory.
const SOCKET: &str = ".s.PGSQL.5432";

/// The treatment of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Pass it to the server, and the answer to the client.
    Pass,
    /// Make the server run this instead, and pass its answer to the client.
    Replace(String),
    /// Answer the client with this SQLSTATE as a fatal error, and tell the server nothing.
    Refuse(&'static str),
    /// Close the connection before the statement reaches the server.
    CutBefore,
    /// Close the connection as soon as the server has the statement.
    CutDuring,
    /// Close the connection when the server has answered, and drop the answer.
    CutAfter,
}

/// A statement on its way to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The number of its connection.
    pub connection: u64,
    /// The text of a query; `prepare` and the text, when it is prepared; `startup` for a connection's first message.
    pub text: String,
}

/// A function that decides what happens to a statement.
pub type Rule = dyn Fn(&Statement) -> Deed + Send + Sync;

/// A socket in front of a server. Dropping it stops accepting connections.
#[derive(Debug)]
pub struct Proxy {
    directory: TempDir,
    is_over: Arc<AtomicBool>,
}

impl Proxy {
    /// Opens a socket in front of this server's.
    ///
    /// # Errors
    /// The failure of the system.
    pub fn before(server: &Cluster, rule: impl Fn(&Statement) -> Deed + Send + Sync + 'static) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("care-pg-").tempdir()?;
        let listener = UnixListener::bind(directory.path().join(SOCKET))?;
        let target = server.socket().join(SOCKET);
        let rule: Arc<Rule> = Arc::new(rule);
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        thread::spawn(move || {
            for (connection, client) in (0..).zip(listener.incoming().map_while(Result::ok)) {
                if ends.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(server) = UnixStream::connect(&target) else {
                    continue;
                };
                let rule = Arc::clone(&rule);
                // Each thread ends with its connection.
                thread::spawn(move || Connection::relay(connection, client, server, &*rule));
            }
        });
        Ok(Self { directory, is_over })
    }

    /// Returns the address of a schema behind this socket.
    pub fn address(&self, schema: &str) -> String {
        crate::cluster::address([(self.directory.path(), PORT)].into_iter(), schema)
    }

    /// Returns the directory with the socket.
    pub fn socket(&self) -> &Path {
        self.directory.path()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for connections.
        let _ = UnixStream::connect(self.directory.path().join(SOCKET));
    }
}

/// A connection through a proxy.
struct Connection {
    number: u64,
    client: UnixStream,
    server: UnixStream,
    /// The number of answers to let through, [`u64::MAX`] for all.
    answers: Arc<AtomicU64>,
}

impl Connection {
    /// Passes messages on until either side or the rule ends the connection.
    fn relay(number: u64, client: UnixStream, server: UnixStream, rule: &Rule) {
        let answers = Arc::new(AtomicU64::new(u64::MAX));
        if let (Ok(from), Ok(to)) = (server.try_clone(), client.try_clone()) {
            let let_through = Arc::clone(&answers);
            let returning = thread::spawn(move || {
                // When it ends, the connection ends.
                let _ = answer(&from, &to, &let_through);
                end(&from, &to);
            });
            let mut connection = Self { number, client, server, answers };
            // A failure ends the connection too.
            if !matches!(connection.ask(rule), Ok(Ending::WithItsAnswer)) {
                end(&connection.server, &connection.client);
            }
            let _ = returning.join();
        }
    }

    /// Passes on the client's requests.
    fn ask(&mut self, rule: &Rule) -> io::Result<Ending> {
        let mut asked = BufReader::new(self.client.try_clone()?);
        let mut prepared = HashMap::new();
        // The server reports once for each of them that it is ready.
        let mut sent = 0;
        loop {
            let Some(Request { bytes, text }) = Request::read(&mut asked, sent == 0, &mut prepared)? else {
                return Ok(Ending::AtOnce);
            };
            sent += 1;
            match rule(&Statement { connection: self.number, text }) {
                Deed::Pass => self.server.write_all(&bytes)?,
                Deed::Replace(sql) => self.server.write_all(&messages::query(&sql))?,
                Deed::Refuse(state) => {
                    self.client.write_all(&messages::fatal(state))?;
                    return Ok(Ending::AtOnce);
                }
                Deed::CutBefore => return Ok(Ending::AtOnce),
                Deed::CutDuring => {
                    self.server.write_all(&bytes)?;
                    return Ok(Ending::AtOnce);
                }
                Deed::CutAfter => {
                    self.answers.store(sent - 1, Ordering::SeqCst);
                    self.server.write_all(&bytes)?;
                    return Ok(Ending::WithItsAnswer);
                }
            }
        }
    }
}

/// The end of a connection.
enum Ending {
    AtOnce,
    /// After the server has answered the last statement.
    WithItsAnswer,
}

/// Passes on the server's answers, up to a number of answers. The next one is awaited and dropped.
fn answer(server: &UnixStream, mut client: &UnixStream, answers: &AtomicU64) -> io::Result<()> {
    let mut server = BufReader::new(server);
    let (mut answered, mut bytes) = (0, Vec::new());
    loop {
        let kind = messages::read(&mut server, &mut bytes)?;
        let is_passed = answered < answers.load(Ordering::SeqCst);
        if kind == messages::READY {
            answered += 1;
            if !is_passed {
                return Ok(());
            }
        }
        // Messages that arrived together are sent together.
        let is_last = kind == messages::READY || server.buffer().is_empty();
        if is_passed && is_last {
            client.write_all(&bytes)?;
            bytes.clear();
        }
    }
}

fn end(one: &UnixStream, other: &UnixStream) {
    // Either side may already have closed it.
    let _ = one.shutdown(Shutdown::Both);
    let _ = other.shutdown(Shutdown::Both);
}
