//! Commits whose connection is cut: each write that is acknowledged is there, and there once.

use std::{
    io::{self, Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use care_core::{
    audit,
    store::{Journal, Limit, Seq},
};
use care_store_postgres::PostgresStore;
use futures_executor::block_on;
use tempfile::TempDir;

use super::{
    number,
    opening::put,
    scratch::{Server, Test, test},
};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("a_commit_that_is_cut_before_it_arrives_happens_once", |server| cut(server, Moment::Before)),
        test("a_commit_that_is_cut_while_it_runs_happens_once", |server| cut(server, Moment::During)),
        test("a_commit_whose_answer_is_cut_happens_once", |server| cut(server, Moment::After)),
    ]
}

/// The moment at which a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// The commit does not reach the server.
    Before,
    /// The commit reaches the server, and its connection ends at once.
    During,
    /// The commit is answered, and the answer does not arrive.
    After,
}

/// A socket in front of the server's, which cuts every other connection that commits.
struct Proxy {
    directory: TempDir,
    cuts: Arc<AtomicUsize>,
}

impl Proxy {
    fn before(server: &Path, moment: Moment) -> io::Result<Self> {
        let directory = TempDir::new()?;
        let listener = UnixListener::bind(directory.path().join(".s.PGSQL.5432"))?;
        let target = server.join(".s.PGSQL.5432");
        // The statements that open the store are spared.
        let cuts = Arc::new(AtomicUsize::new(1));
        let counted = Arc::clone(&cuts);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = UnixStream::connect(&target) else {
                    continue;
                };
                let counted = Arc::clone(&counted);
                // It ends with its connection.
                thread::spawn(move || relay(client, server, moment, &counted));
            }
        });
        Ok(Self { directory, cuts })
    }
}

fn relay(mut client: UnixStream, mut server: UnixStream, moment: Moment, cuts: &AtomicUsize) -> io::Result<()> {
    let (mut answers, mut back) = (server.try_clone()?, client.try_clone()?);
    let is_silent = Arc::new(AtomicUsize::new(0));
    let silenced = Arc::clone(&is_silent);
    let returning = thread::spawn(move || {
        let mut bytes = [0; 1 << 16];
        while let Ok(count @ 1..) = answers.read(&mut bytes) {
            if silenced.load(Ordering::SeqCst) == 1 {
                break;
            }
            if back.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _ = back.shutdown(std::net::Shutdown::Both);
    });
    let mut bytes = [0; 1 << 16];
    while let Ok(count @ 1..) = client.read(&mut bytes) {
        let has_commit = bytes[..count].windows(7).any(|window| window == b"COMMIT\0");
        let is_cut = has_commit && cuts.fetch_add(1, Ordering::SeqCst).is_multiple_of(2);
        match moment {
            Moment::Before if is_cut => break,
            Moment::During if is_cut => {
                server.write_all(&bytes[..count])?;
                break;
            }
            Moment::After if is_cut => {
                is_silent.store(1, Ordering::SeqCst);
                server.write_all(&bytes[..count])?;
                // It ends when the first answer to the commit has come and was thrown away.
                let _ = returning.join();
                let _ = server.shutdown(std::net::Shutdown::Both);
                return Ok(());
            }
            _ => server.write_all(&bytes[..count])?,
        }
    }
    let _ = server.shutdown(std::net::Shutdown::Both);
    let _ = client.shutdown(std::net::Shutdown::Both);
    let _ = returning.join();
    Ok(())
}

/// Writes through a proxy that cuts commits, and counts.
fn cut(server: &Server, moment: Moment) {
    let address = server.schema();
    drop(PostgresStore::open(&address).expect("an empty schema"));
    let proxy = Proxy::before(server.cluster().socket(), moment).expect("a socket");
    let socket = |path: &Path| path.display().to_string().replace('/', "%2F");
    let proxied = address.replace(&socket(server.cluster().socket()), &socket(proxy.directory.path()));
    assert_ne!(proxied, address, "the address names the socket");
    let store = PostgresStore::options().open(&proxied).expect("the proxy passes what is no commit");
    proxy.cuts.store(0, Ordering::SeqCst);
    let mut last = 0;
    while proxy.cuts.load(Ordering::SeqCst) < 2 * number("CARE_CUTS", 12) {
        last += 1;
        let seq = put(&store, last).expect("the outcome is found out").expect("an entry");
        assert_eq!(seq, Seq::new(last.unsigned_abs()), "no write happens twice, and none is lost");
    }
    drop(store);
    let store = PostgresStore::open(&address).expect("the schema");
    let entries = block_on(store.journal(Seq::ZERO, Limit::ALL)).expect("the journal").items;
    assert_eq!(entries.len() as i64, last);
    block_on(store.check()).expect("every row is as it was written");
    block_on(audit::verify(&store)).expect("records and journal agree");
    drop(proxy);
}
