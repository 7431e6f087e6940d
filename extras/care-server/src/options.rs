//! The options of a server, from the command line and the environment.

use std::{error::Error, fmt, net::SocketAddr, num::NonZero, time::Duration};

use crate::{
    DatabaseAddress,
    logs::{LogFormat, RequestLog},
};
use care_core::{
    model::{Address, Invalid, Name, Price, UtcOffset},
    rest::Limits,
};
use clap::{
    CommandFactory, FromArgMatches as _, Parser,
    builder::BoolishValueParser,
    error::{ContextKind, ErrorKind},
};
use http::HeaderName;
use zeroize::Zeroizing;

/// The Patient Care Service over HTTP.
#[derive(Debug, Parser)]
#[command(version = crate::VERSION)]
pub struct Options {
    /// Address to listen on; port 0 picks a free one.
    #[arg(long, env = "CARE_BIND", value_name = "ADDRESS:PORT")]
    #[arg(default_value = "127.0.0.1:8000")]
    pub bind: SocketAddr,

    /// Database: care.db unless given, created if it does not exist. A file, or a postgres:// URL without a password,
    /// which comes from PGPASSWORD or the file that PGPASSFILE names.
    #[arg(long, env = "CARE_DATABASE", value_name = "FILE|URL", hide_env_values = true)]
    pub database: Option<DatabaseAddress>,

    /// Keep all records in memory until the server ends.
    #[arg(long, env = "CARE_IN_MEMORY", value_parser = BoolishValueParser::new())]
    pub in_memory: bool,

    /// Share the database with other servers on this machine, all of which need this option.
    #[arg(long, env = "CARE_SHARED", value_parser = BoolishValueParser::new())]
    pub shared: bool,

    /// Start only if PostgreSQL makes each commit wait for a standby and one is connected, and write only while they
    /// wait.
    #[arg(long, env = "CARE_REQUIRE_SYNCHRONOUS", value_parser = BoolishValueParser::new())]
    pub require_synchronous: bool,

    /// Address that serves Prometheus metrics at /metrics, /alive and /ready for probes, and /writer for load
    /// balancers. None unless given. It asks for no key.
    #[arg(long, env = "CARE_METRICS", value_name = "ADDRESS:PORT")]
    pub metrics: Option<SocketAddr>,

    /// Format of the log: lines of text, or of JSON.
    #[arg(long, env = "CARE_LOG_FORMAT", value_name = "FORMAT", value_enum, default_value_t)]
    pub log_format: LogFormat,

    /// Requests that get a line in the log: refused ones unless given; RUST_LOG takes precedence.
    #[arg(long, env = "CARE_REQUEST_LOG", value_name = "WHICH", value_enum)]
    pub request_log: Option<RequestLog>,

    /// Base path of every operation. Its last segment is the version of the interface.
    #[arg(long, env = "CARE_BASE_PATH", value_name = "PATH", default_value = "/1.0.0")]
    pub base_path: String,

    /// Key with all scopes; separate several with commas, or repeat the option. Without one, and without a key that
    /// care-admin issued, the server generates a key and prints it.
    #[arg(long = "api-key", env = "CARE_API_KEY", value_name = "KEY", value_delimiter = ',')]
    #[arg(hide_env_values = true)]
    pub api_keys: Vec<ApiKey>,

    /// Requests a minute that one address may send with a wrong key. Beyond it, a key that was not valid from there
    /// within the hour before is answered with 429. No limit unless given.
    #[arg(long, env = "CARE_MAX_FAILED_KEYS", value_name = "NUMBER")]
    pub max_failed_keys: Option<NonZero<u32>>,

    /// Header in which a proxy passes the client's address, such as X-Forwarded-For. Use it only if every request comes
    /// through the proxy. Without it, the address of the connection counts.
    #[arg(long, env = "CARE_PEER_HEADER", value_name = "NAME", value_parser = header)]
    pub peer_header: Option<HeaderName>,

    /// Serve the browser console too, at console/ below the base path; --demo includes it.
    #[arg(long, env = "CARE_CONSOLE", value_parser = BoolishValueParser::new())]
    pub console: bool,

    /// Serve the records to FHIR R4 clients too, read-only, at fhir/ below the base path.
    #[cfg(feature = "fhir")]
    #[arg(long, env = "CARE_FHIR", value_parser = BoolishValueParser::new())]
    pub fhir: bool,

    /// URI below which the facility's numbers are unique, for the identifiers of patients and invoices in FHIR; they
    /// have none unless it is given.
    #[cfg(feature = "fhir")]
    #[arg(long, env = "CARE_FACILITY_URI", value_name = "URI", value_parser = namespace)]
    pub facility_uri: Option<String>,

    /// Address under which clients reach the base path, base path included, for absolute links; the host that a
    /// request names unless given.
    #[cfg(feature = "fhir")]
    #[arg(long, env = "CARE_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,

    /// Fill an empty database with an invented clinic.
    #[arg(long, env = "CARE_DEMO", value_parser = BoolishValueParser::new())]
    pub demo: bool,

    /// Say in the console, and in the header Care-Demo of each answer, that the data is invented and made anew each
    /// night, as it is when a timer restarts a server with --in-memory and --demo. Limits for one client
    /// then count by key and address, since all visitors have one key.
    #[arg(long, env = "CARE_DEMO_NIGHTLY", value_parser = BoolishValueParser::new())]
    pub demo_nightly: bool,

    /// Offer only the nine operations of the interface document.
    #[arg(long, env = "CARE_CONTRACT_ONLY", value_parser = BoolishValueParser::new())]
    pub contract_only: bool,

    /// Write a journal entry for every read of a patient's single record; each such read then costs a write.
    #[arg(long, env = "CARE_AUDIT_READS", value_parser = BoolishValueParser::new())]
    pub audit_reads: bool,

    /// Name of the facility, for what its console prints.
    #[arg(long, env = "CARE_FACILITY_NAME", value_name = "TEXT", value_parser = name)]
    pub facility_name: Option<Name>,

    /// Address of the facility, for its invoices.
    #[arg(long, env = "CARE_FACILITY_ADDRESS", value_name = "TEXT", value_parser = address)]
    pub facility_address: Option<Address>,

    /// Print the allergies of a patient on a visit's papers.
    #[arg(long, env = "CARE_PRINT_ALLERGIES", value_parser = BoolishValueParser::new())]
    pub print_allergies: bool,

    /// Offset of the facility's clocks from UTC, which decides which day is "today".
    #[arg(long, env = "CARE_UTC_OFFSET", value_name = "MINUTES", value_parser = utc_offset)]
    #[arg(default_value = "0", allow_negative_numbers = true)]
    pub utc_offset: UtcOffset,

    /// Highest price that a request may set, in whole units of the currency: 9007199254740991 unless given, 1000000
    /// with
    /// --demo. A higher one is answered with 422.
    #[arg(long, env = "CARE_HIGHEST_PRICE", value_name = "PRICE")]
    pub highest_price: Option<Price>,

    /// Longest request body in bytes.
    #[arg(long, env = "CARE_BODY_LIMIT", value_name = "BYTES", default_value = "65536")]
    pub body_limit: NonZero<usize>,

    /// Longest path and query together, in bytes.
    #[arg(long, env = "CARE_TARGET_LIMIT", value_name = "BYTES", default_value = "16384")]
    pub target_limit: NonZero<usize>,

    /// Longest headers of a request, all together, in bytes.
    #[arg(long, env = "CARE_HEADER_LIMIT", value_name = "BYTES", default_value = "65536")]
    pub header_limit: NonZero<usize>,

    /// Most items in a page.
    #[arg(long, env = "CARE_PAGE_LIMIT", value_name = "ITEMS", default_value = "500")]
    pub page_limit: NonZero<usize>,

    /// Most open connections, as far as the system allows that many open files. At the limit, care-server closes the
    /// connections that have been idle longest, and care-server-rocket makes new ones wait.
    #[arg(long, env = "CARE_CONNECTIONS", value_name = "CONNECTIONS", default_value = "16384")]
    pub connections: NonZero<usize>,

    /// Most requests in progress; one more is answered with 503. A key alone has 15 of 16.
    #[arg(long, env = "CARE_IN_FLIGHT", value_name = "REQUESTS", default_value = "4096")]
    pub in_flight: NonZero<usize>,

    /// Most waiting long polls, in addition to the requests in progress; one more is answered with 503. The 129th of a
    /// key ends its oldest.
    #[arg(long, env = "CARE_POLLS", value_name = "POLLS", default_value = "1024")]
    pub polls: NonZero<usize>,

    /// Most mebibytes of answers that are made or that clients have not read yet; beyond that, a long answer waits,
    /// and is
    /// 503 after two seconds.
    #[arg(long, env = "CARE_UNREAD", value_name = "MIB", default_value = "128")]
    pub unread: NonZero<u16>,

    /// Most changes that wait for the database; one more is answered with 503.
    #[arg(long, env = "CARE_QUEUE", value_name = "CHANGES", default_value = "4096")]
    pub queue: NonZero<usize>,

    /// Longest time to answer a request once all of it has arrived.
    #[arg(long, env = "CARE_DEADLINE", value_name = "SECONDS", value_parser = seconds)]
    #[arg(default_value = "30")]
    pub deadline: Duration,

    /// Longest time that a client may take to send a body.
    #[arg(long, env = "CARE_BODY_TIMEOUT", value_name = "SECONDS", value_parser = seconds)]
    #[arg(default_value = "30")]
    pub body_timeout: Duration,
}

/// A key from the operator. It is wiped when it is dropped, and `Debug` does not show it.
#[derive(Clone)]
pub struct ApiKey(Zeroizing<String>);

/// The highest price of the demo clinic, whose visitors may type any.
const DEMO_PRICE: i64 = 1_000_000;

impl Options {
    /// Parses the command line and the environment of the program with this name.
    ///
    /// # Errors
    /// When they are invalid, or when help was asked for.
    pub fn read(name: &'static str) -> Result<Self, clap::Error> {
        let options = Self::from_arg_matches(&Self::command().name(name).try_get_matches()?)?;
        // Clap would take a variable that says `false` for a flag that is set.
        if options.in_memory && (options.database.is_some() || options.shared) {
            let sentence = "--in-memory cannot be used with --database or --shared";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, sentence));
        }
        if options.require_synchronous && !matches!(options.database, Some(DatabaseAddress::Postgres(_))) {
            let sentence = "--require-synchronous needs a postgres:// URL in --database";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, sentence));
        }
        if options.demo_nightly && !(options.in_memory && options.demo) {
            let sentence = "--demo-nightly needs --in-memory and --demo";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, sentence));
        }
        Ok(options)
    }

    /// Returns whether the server has a console. A server of the nine operations has none.
    pub(crate) const fn serves_console(&self) -> bool {
        (self.console || self.demo) && !self.contract_only
    }

    /// Returns the highest price that a request may set.
    pub(crate) fn highest_price(&self) -> Price {
        let usual = if self.demo { DEMO_PRICE } else { Price::MAX };
        self.highest_price.unwrap_or(Price::clamped(usual))
    }

    /// Returns the limits from these options.
    pub(crate) const fn limits(&self) -> Limits {
        Limits::new()
            .with_body(self.body_limit.get())
            .with_target(self.target_limit.get())
            .with_headers(self.header_limit.get())
            .with_page(self.page_limit.get())
            .with_in_flight(self.in_flight.get())
            .with_polls(self.polls.get())
            .with_unread(self.unread.get() as usize * 1024 * 1024)
            .with_deadline(self.deadline)
    }
}

impl ApiKey {
    /// Generates a key of 256 random bits.
    ///
    /// # Errors
    /// When the system provides no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bits = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *bits)?;
        let digits: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self(Zeroizing::new(digits)))
    }

    /// Returns the text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether a header can carry the key unchanged.
    pub fn can_be_sent(&self) -> bool {
        (1..=256).contains(&self.0.len()) && self.0.bytes().all(|byte| byte.is_ascii_graphic())
    }
}

impl From<&str> for ApiKey {
    /// Accepts any text, because clap would print a text that it refuses.
    fn from(key: &str) -> Self {
        Self(Zeroizing::new(key.to_owned()))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

/// Returns the message about arguments that may hold a password. It shows none of them, and names the option whose
/// value
/// is not understood.
pub fn unshown(wrong: &clap::Error) -> String {
    let option = wrong.get(ContextKind::InvalidArg).filter(|_| wrong.kind() == ErrorKind::ValueValidation);
    let option = option.map(ToString::to_string).filter(|option| option.starts_with("--"));
    match option.as_deref().and_then(|option| option.split(' ').next()) {
        Some(option) => {
            let rule = wrong.source().map(|rule| format!(": it {rule}")).unwrap_or_default();
            format!(
                "error: the value of {option} is not understood, and not shown, because it may hold a password{rule}"
            )
        }
        None => "error: an argument is not understood; it is not shown, because it may hold a password".to_owned(),
    }
}

fn name(text: &str) -> Result<Name, Invalid> {
    Name::new(text)
}

fn address(text: &str) -> Result<Address, Invalid> {
    Address::new(text)
}

/// Reads an absolute URI without a slash at the end.
#[cfg(feature = "fhir")]
fn namespace(text: &str) -> Result<String, &'static str> {
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte));
    let has_scheme = text.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
            && !rest.is_empty()
    });
    match is_visible && has_scheme && !text.ends_with('/') {
        true => Ok(text.to_owned()),
        false => Err("must be an absolute URI without a slash at the end"),
    }
}

pub(crate) fn utc_offset(minutes: &str) -> Result<UtcOffset, String> {
    let minutes = minutes.parse().map_err(|_| "must be whole minutes")?;
    UtcOffset::from_minutes(minutes).map_err(|invalid| invalid.to_string())
}

fn header(name: &str) -> Result<HeaderName, &'static str> {
    name.parse().map_err(|_| "must be the name of a header")
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    match text.parse() {
        Ok(seconds @ 1..=86_400) => Ok(Duration::from_secs(seconds)),
        _ => Err("must be 1 to 86400 seconds"),
    }
}
