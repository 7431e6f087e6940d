//! A proxy in front of the server's socket, through which a test watches a store's connections.

use std::{
    io::{self, Read, Write},
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    sync::Arc,
    thread,
};

use tempfile::TempDir;

use super::scratch::Server;

/// The watcher of one connection.
pub(super) trait Watch: Send + Sync + 'static {
    /// Sees a client's bytes before the server receives them.
    fn sent(&self, bytes: &[u8]);

    /// Sees that the server has answered. The answer is passed on when this returns.
    fn answered(&self);
}

/// A socket in front of the server's.
pub(super) struct Proxy {
    directory: TempDir,
}

impl Proxy {
    /// Listens, and makes a watcher for each connection.
    pub(super) fn before<W: Watch>(server: &Path, mut watcher: impl FnMut() -> W + Send + 'static) -> io::Result<Self> {
        let directory = TempDir::new()?;
        let listener = UnixListener::bind(directory.path().join(".s.PGSQL.5432"))?;
        let target = server.join(".s.PGSQL.5432");
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = UnixStream::connect(&target) else {
                    continue;
                };
                let watch = Arc::new(watcher());
                // This thread ends with its connection.
                thread::spawn(move || relay(client, server, &watch));
            }
        });
        Ok(Self { directory })
    }

    /// Returns the address of a server's schema, routed through the proxy.
    pub(super) fn address(&self, server: &Server, address: &str) -> String {
        let socket = |path: &Path| path.display().to_string().replace('/', "%2F");
        let proxied = address.replace(&socket(server.cluster().socket()), &socket(self.directory.path()));
        assert_ne!(proxied, address, "the address names the socket");
        proxied
    }
}

fn relay<W: Watch>(mut client: UnixStream, mut server: UnixStream, watch: &Arc<W>) -> io::Result<()> {
    let (mut answers, mut back) = (server.try_clone()?, client.try_clone()?);
    let watched = Arc::clone(watch);
    let returning = thread::spawn(move || {
        let mut bytes = [0; 1 << 16];
        while let Ok(count @ 1..) = answers.read(&mut bytes) {
            watched.answered();
            if back.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _ = back.shutdown(Shutdown::Both);
    });
    let mut bytes = [0; 1 << 16];
    while let Ok(count @ 1..) = client.read(&mut bytes) {
        watch.sent(&bytes[..count]);
        server.write_all(&bytes[..count])?;
    }
    let _ = server.shutdown(Shutdown::Both);
    let _ = client.shutdown(Shutdown::Both);
    let _ = returning.join();
    Ok(())
}
