//! TLS connections: a trusted certificate, untrusted ones, and a server without TLS.

mod scratch;

use std::{io, net::TcpListener, path::PathBuf, process::ExitCode};

use care_core::store::{Journal, Seq};
use care_scratch_postgres::{Cluster, Durability};
use care_store_postgres::{OpenError, OpenErrorKind, PostgresStore};
use futures_executor::block_on;
use scratch::{Server, test};

/// Self-signed certificates, each with its file name and its host name.
const CERTIFICATES: [(&str, &str); 3] = [("here", "localhost"), ("elsewhere", "db.example"), ("other", "localhost")];

/// Fails unless a store is connected over TLS.
const OVER_TLS: &str = "DO $$ BEGIN IF NOT EXISTS ( \
         SELECT FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND application_name = 'care' \
     ) THEN RAISE EXCEPTION 'no connection is over TLS'; END IF; END $$";

/// Creates a role that has to log in with a password, and its schema.
const WITH_PASSWORD: &str = "CREATE ROLE desk LOGIN PASSWORD 'sesame'; CREATE SCHEMA desk AUTHORIZATION desk; \
     ALTER ROLE desk SET search_path = desk; DO $$ BEGIN \
     EXECUTE format('COPY (SELECT ''host all desk all scram-sha-256'' UNION ALL SELECT ''local all all trust'') TO \
         %L', current_setting('hba_file')); \
     PERFORM pg_reload_conf(); PERFORM pg_sleep(0.5); END $$";

fn main() -> ExitCode {
    scratch::run(|_| {
        vec![
            test("a_verified_certificate_is_talked_to", |server| {
                let network = Network::start(server, "here");
                let store = network.open(&format!("sslmode=require&{}", network.roots("here")));
                let store = store.expect("the certificate is trusted");
                assert_eq!(block_on(store.last()).expect("a read"), Seq::ZERO);
                network.cluster.execute(OVER_TLS).expect("TLS is in use");
                drop(store);
                drop(network.open(&network.roots("here")).expect("TLS is preferred"));
                drop(network.open("sslmode=disable").expect("the server takes plain connections, too"));
            }),
            test("a_certificate_that_is_not_trusted_is_refused", |server| {
                let network = Network::start(server, "here");
                assert_eq!(network.refusal("sslmode=require"), OpenErrorKind::Tls, "the system does not trust it");
                for mode in ["require", "prefer"] {
                    let wrong = network.refusal(&format!("sslmode={mode}&{}", network.roots("other")));
                    assert_eq!(wrong, OpenErrorKind::Tls, "another issued it");
                }
            }),
            test("a_certificate_is_not_verified_where_tls_is_merely_preferred", |server| {
                for certificate in ["here", "elsewhere"] {
                    let network = Network::start(server, certificate);
                    let store = network.open("sslmode=prefer").expect("any certificate will do");
                    network.cluster.execute(OVER_TLS).expect("TLS is in use");
                    drop(store);
                }
            }),
            test("a_certificate_of_another_host_is_refused", |server| {
                let network = Network::start(server, "elsewhere");
                let refused = network.refusal(&format!("sslmode=require&{}", network.roots("elsewhere")));
                assert_eq!(refused, OpenErrorKind::Tls);
            }),
            test("a_server_without_tls_is_refused_where_it_is_required", |server| {
                let network = Network::start(server, "");
                assert_eq!(network.refusal("sslmode=require"), OpenErrorKind::Tls);
                drop(network.open("sslmode=prefer").expect("a plain connection"));
                let socket = format!("{}&sslmode=require", server.schema());
                let refused = PostgresStore::open(&socket).expect_err("there is no TLS over a socket");
                assert_eq!(refused.kind(), OpenErrorKind::Tls);
            }),
            test("a_password_goes_over_verified_tls_or_where_it_is_allowed", |server| {
                let network = Network::start(server, "here");
                network.cluster.execute(WITH_PASSWORD).expect("a role with a password");
                let open = |parameters: &str| {
                    let options = PostgresStore::options().password("sesame");
                    options.open(&format!("postgres://desk@localhost:{}/postgres?{parameters}", network.port))
                };
                let roots = network.roots("here");
                for allowed in
                    [format!("sslmode=require&{roots}"), "auth=plain".into(), "sslmode=disable&auth=plain".into()]
                {
                    drop(open(&allowed).expect("the password is sent"));
                }
                for other in [String::new(), "sslmode=prefer".into(), "sslmode=disable".into(), roots] {
                    let refused = open(&other).expect_err("the password is not sent");
                    assert_eq!(refused.kind(), OpenErrorKind::PasswordAsked, "{other}");
                }
            }),
            test("a_file_without_certificates_is_refused", |server| {
                let network = Network::start(server, "here");
                for name in ["nowhere", "here.key"] {
                    let refused = network.refusal(&format!("sslmode=require&{}", network.roots(name)));
                    assert_eq!(refused, OpenErrorKind::RootCertificates, "{name}");
                }
            }),
        ]
    })
}

/// A server that listens on a port of 127.0.0.1.
struct Network {
    cluster: Cluster,
    port: u16,
}

impl Network {
    /// Starts a server with this certificate, or without one.
    fn start(server: &Server, certificate: &str) -> Self {
        // The port is free for now; there is no better way to ask for one.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        let settings = ["listen_addresses=127.0.0.1", &format!("port={port}")];
        let cluster = Cluster::start(server.installation(), Durability::None, &settings).expect("PostgreSQL starts");
        let mut network = Self { cluster, port };
        if !certificate.is_empty() {
            network.make_certificates().expect("openssl makes certificates");
            let files = ["ssl_cert_file", "ssl_key_file"].into_iter().zip(["", ".key"]);
            for (setting, ending) in files {
                let path = network.file(&format!("{certificate}{ending}"));
                let alter = format!("ALTER SYSTEM SET {setting} = '{}'", path.display());
                network.cluster.execute(&alter).expect("a setting");
            }
            network.cluster.execute("ALTER SYSTEM SET ssl = on").expect("a setting");
            network.cluster.stop().expect("the server ends");
            network.cluster.restart().expect("the server starts with the settings");
        }
        network
    }

    /// Generates the certificates as the server's user, who must own the keys.
    fn make_certificates(&self) -> io::Result<()> {
        for (name, host) in CERTIFICATES {
            let mut openssl = self.cluster.command("openssl");
            openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]);
            openssl.args([
                "-days",
                "2",
                "-subj",
                &format!("/CN={host}"),
                "-addext",
                &format!("subjectAltName=DNS:{host}"),
            ]);
            openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
            openssl.arg("-keyout").arg(self.file(&format!("{name}.key"))).arg("-out").arg(self.file(name));
            let made = openssl.output()?;
            if !made.status.success() {
                return Err(io::Error::other(String::from_utf8_lossy(&made.stderr).into_owned()));
            }
        }
        Ok(())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.cluster.socket().join(name)
    }

    /// Returns the parameter that trusts the certificates in this file.
    fn roots(&self, name: &str) -> String {
        format!("sslrootcert={}", self.file(name).display().to_string().replace('/', "%2F"))
    }

    fn open(&self, parameters: &str) -> Result<PostgresStore, OpenError> {
        PostgresStore::open(&format!("postgres://postgres@localhost:{}/postgres?{parameters}", self.port))
    }

    fn refusal(&self, parameters: &str) -> OpenErrorKind {
        self.open(parameters).expect_err("no connection to talk over").kind()
    }
}
