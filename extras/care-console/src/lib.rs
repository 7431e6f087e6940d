//! The front desk of the Patient Care Service in the browser.
//!
//! The console is a client of the REST interface and nothing else: static files, compiled in as they are served, that
//! ask the service for everything they show. A host hands them to the API, which serves them at `{base}/console/`:
//!
//! ```
//! use care_console::Console;
//! use care_core::{rest::Api, service::CareService, store::MemoryStore};
//!
//! let api = Api::new(CareService::new(MemoryStore::new())).with_console(Console::new().served_by("Axum 0.8"));
//! ```
//!
//! With the feature `explorer`, [RapiDoc](https://rapidocweb.com) is served at `{base}/explorer/`: every operation of
//! the OpenAPI document, to be tried with a key.
//!
//! Users paste a key into the page; [`Console::address`] makes an address that brings the key along.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod assets;
mod bundle;

use care_core::rest::{File, Files};
use http::{HeaderName, HeaderValue, header};

/// The files of the console, and the description of their host.
#[derive(Debug, Clone, Default)]
pub struct Console {
    framework: Option<String>,
    is_nightly: bool,
}

impl Console {
    /// Returns the console of a host without a name.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name of the host's framework, which stands at the foot of every page.
    #[must_use]
    pub fn served_by(self, framework: impl Into<String>) -> Self {
        Self { framework: Some(framework.into()), ..self }
    }

    /// Lets every page say that the data is invented, and made anew each night.
    #[must_use]
    pub fn of_a_nightly_demo(self) -> Self {
        Self { is_nightly: true, ..self }
    }

    /// Returns the address that opens the console with this key, given the address of the service with its base path.
    /// The key stands in the fragment, which browsers do not send; the page removes it from the address at once.
    ///
    /// ```
    /// let address = care_console::Console::address("http://127.0.0.1:8000/1.0.0", "a-long-random-key");
    /// assert_eq!(address, "http://127.0.0.1:8000/1.0.0/console/#key=a-long-random-key");
    /// ```
    pub fn address(service: &str, key: &str) -> String {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let escaped = key.bytes().map(|byte| match plain(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        });
        format!("{service}/console/#key={}", escaped.collect::<String>())
    }

    /// Returns `about.json`, in which the page reads what its host is.
    fn about(&self) -> String {
        let mut about = serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"),
            "explorer": cfg!(feature = "explorer"),
            "nightly": self.is_nightly,
        });
        if let Some(framework) = &self.framework {
            about["framework"] = framework.as_str().into();
        }
        about.to_string()
    }
}

impl From<Console> for Files {
    fn from(console: Console) -> Self {
        let about = File::new("application/json", console.about());
        let files = Self::new().with("console/about.json", guarded(about, POLICY));
        let files = below("console", assets::console(), POLICY, files);
        #[cfg(feature = "explorer")]
        let files = below("explorer", assets::explorer(), EXPLORER_POLICY, files);
        files
    }
}

/// Returns these files below a folder; its index page is the answer for the folder itself.
fn below(
    folder: &str,
    added: impl IntoIterator<Item = (&'static str, File)>,
    policy: &'static str,
    files: Files,
) -> Files {
    added.into_iter().fold(files, |files, (path, file)| {
        let name = if path == "index.html" { "" } else { path };
        files.with(format!("{folder}/{name}"), guarded(file, policy))
    })
}

/// The content security policy of the console's pages: scripts, styles and requests of their own origin only.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'";

/// The explorer's policy: the console's, and styles within the page, which RapiDoc makes.
#[cfg(feature = "explorer")]
const EXPLORER_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'";

/// Returns a file with the headers that keep its page isolated from other sites.
fn guarded(file: File, policy: &'static str) -> File {
    [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ]
    .into_iter()
    .fold(file, |file, (name, value)| file.with_header(name, HeaderValue::from_static(value)))
}

// The code in the README is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
