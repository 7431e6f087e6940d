//! What a server is told on its command line and in its environment.

use std::{fmt, net::SocketAddr, num::NonZero, path::PathBuf, time::Duration};

use care_core::{
    model::{Address, Invalid, UtcOffset},
    rest::Limits,
};
use clap::{CommandFactory, Parser, builder::BoolishValueParser, error::ErrorKind};
use http::HeaderName;
use zeroize::Zeroizing;

/// The Patient Care Service over HTTP.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Options {
    /// Where to listen; port 0 is any free one
    #[arg(long, env = "CARE_BIND", value_name = "ADDRESS:PORT")]
    #[arg(default_value = "127.0.0.1:8000")]
    pub bind: SocketAddr,

    /// The database, care.db unless given; made when there is none
    #[arg(long, env = "CARE_DATABASE", value_name = "FILE")]
    pub database: Option<PathBuf>,

    /// Keep everything in memory, until the server ends
    #[arg(long, env = "CARE_IN_MEMORY", value_parser = BoolishValueParser::new())]
    pub in_memory: bool,

    /// Share the database with other servers on this machine, all of them with this option
    #[arg(long, env = "CARE_SHARED", value_parser = BoolishValueParser::new())]
    pub shared: bool,

    /// What every path begins with; its last segment is the version of the interface
    #[arg(long, env = "CARE_BASE_PATH", value_name = "PATH", default_value = "/1.0.0")]
    pub base_path: String,

    /// A key that may do everything, or several with commas between them; can be repeated. Without
    /// any, and without one that care-admin issued, the server makes one up and prints it
    #[arg(long = "api-key", env = "CARE_API_KEY", value_name = "KEY", value_delimiter = ',')]
    #[arg(hide_env_values = true)]
    pub api_keys: Vec<ApiKey>,

    /// How many requests a minute from one address may lack a valid key; more are answered 429. No
    /// limit unless given
    #[arg(long, env = "CARE_MAX_FAILED_KEYS", value_name = "NUMBER")]
    pub max_failed_keys: Option<NonZero<u32>>,

    /// The header in which a proxy says where a request comes from, such as X-Forwarded-For. Only
    /// where nobody else can reach the server; without it the address of the connection counts
    #[arg(long, env = "CARE_PEER_HEADER", value_name = "NAME", value_parser = header)]
    pub peer_header: Option<HeaderName>,

    /// Serve a console for the browser too, below the base path at console/; part of --demo
    #[arg(long, env = "CARE_CONSOLE", value_parser = BoolishValueParser::new())]
    pub console: bool,

    /// Fill an empty database with an invented clinic
    #[arg(long, env = "CARE_DEMO", value_parser = BoolishValueParser::new())]
    pub demo: bool,

    /// Offer the nine operations of the interface document and no other
    #[arg(long, env = "CARE_CONTRACT_ONLY", value_parser = BoolishValueParser::new())]
    pub contract_only: bool,

    /// Write into the journal who reads which single record of a patient; each such read costs a write
    #[arg(long, env = "CARE_AUDIT_READS", value_parser = BoolishValueParser::new())]
    pub audit_reads: bool,

    /// The address of the facility, for its invoices
    #[arg(long, env = "CARE_FACILITY_ADDRESS", value_name = "TEXT", value_parser = address)]
    pub facility_address: Option<Address>,

    /// How far the facility's clocks are ahead of UTC: what "today" means
    #[arg(long, env = "CARE_UTC_OFFSET", value_name = "MINUTES", value_parser = utc_offset)]
    #[arg(default_value = "0", allow_negative_numbers = true)]
    pub utc_offset: UtcOffset,

    /// The longest body that is read
    #[arg(long, env = "CARE_BODY_LIMIT", value_name = "BYTES", default_value = "65536")]
    pub body_limit: NonZero<usize>,

    /// The longest path and query together
    #[arg(long, env = "CARE_TARGET_LIMIT", value_name = "BYTES", default_value = "16384")]
    pub target_limit: NonZero<usize>,

    /// All headers of a request together
    #[arg(long, env = "CARE_HEADER_LIMIT", value_name = "BYTES", default_value = "65536")]
    pub header_limit: NonZero<usize>,

    /// The most items of a page
    #[arg(long, env = "CARE_PAGE_LIMIT", value_name = "ITEMS", default_value = "500")]
    pub page_limit: NonZero<usize>,

    /// How many connections may be open at once, as far as the system lets the server open files. When there are more,
    /// poem-server ends those that have been idle for longest; rocket-server lets new ones wait
    #[arg(long, env = "CARE_CONNECTIONS", value_name = "CONNECTIONS", default_value = "16384")]
    pub connections: NonZero<usize>,

    /// How many requests may be under way at once; one more is 503
    #[arg(long, env = "CARE_IN_FLIGHT", value_name = "REQUESTS", default_value = "4096")]
    pub in_flight: NonZero<usize>,

    /// How many long polls may wait at once, beside the requests under way; one more is 503
    #[arg(long, env = "CARE_POLLS", value_name = "POLLS", default_value = "1024")]
    pub polls: NonZero<usize>,

    /// How many changes may wait for the database; one more is 503
    #[arg(long, env = "CARE_QUEUE", value_name = "CHANGES", default_value = "4096")]
    pub queue: NonZero<usize>,

    /// How long a request may take once all of it has arrived
    #[arg(long, env = "CARE_DEADLINE", value_name = "SECONDS", value_parser = seconds)]
    #[arg(default_value = "30")]
    pub deadline: Duration,

    /// How long a client may take to send a body
    #[arg(long, env = "CARE_BODY_TIMEOUT", value_name = "SECONDS", value_parser = seconds)]
    #[arg(default_value = "30")]
    pub body_timeout: Duration,
}

/// A key as the operator gave it. It is wiped when it is dropped, and `Debug` does not show it.
#[derive(Clone)]
pub struct ApiKey(Zeroizing<String>);

impl Options {
    /// Reads the command line and the environment.
    ///
    /// # Errors
    /// What is wrong with them, or the help that was asked for.
    pub fn read() -> Result<Self, clap::Error> {
        let options = Self::try_parse()?;
        // Not left to clap, for which a variable that says `false` is there nevertheless.
        if options.in_memory && (options.database.is_some() || options.shared) {
            let sentence = "--in-memory cannot be used with --database or --shared";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, sentence));
        }
        Ok(options)
    }

    /// Whether there is a console: a server of nothing but the contract has none.
    pub(crate) const fn serves_console(&self) -> bool {
        (self.console || self.demo) && !self.contract_only
    }

    /// The limits that they set.
    pub(crate) const fn limits(&self) -> Limits {
        Limits::new()
            .with_body(self.body_limit.get())
            .with_target(self.target_limit.get())
            .with_headers(self.header_limit.get())
            .with_page(self.page_limit.get())
            .with_in_flight(self.in_flight.get())
            .with_polls(self.polls.get())
            .with_deadline(self.deadline)
    }
}

impl ApiKey {
    /// A new one of 256 random bits.
    ///
    /// # Errors
    /// The system has no randomness to give.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bits = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *bits)?;
        let digits: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self(Zeroizing::new(digits)))
    }

    /// The key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a client can send it: as the value of a header, without anything that gets lost.
    pub fn can_be_sent(&self) -> bool {
        (1..=256).contains(&self.0.len()) && self.0.bytes().all(|byte| byte.is_ascii_graphic())
    }
}

impl From<&str> for ApiKey {
    /// Takes any text: a refusal here would print it.
    fn from(key: &str) -> Self {
        Self(Zeroizing::new(key.to_owned()))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

fn address(text: &str) -> Result<Address, Invalid> {
    Address::new(text)
}

fn utc_offset(minutes: &str) -> Result<UtcOffset, String> {
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
