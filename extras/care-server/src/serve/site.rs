//! The parts of a server: a store, the service on top of it, and its keys.

use std::{num::NonZero, sync::Arc, time::Duration};

use care_console::Console;
use care_core::{
    keys::{KeyManager, KeyRing, Scopes, StoredKeys},
    rest::{Api, Limits, Throttle},
    service::{CareService, Clock, Facility, SystemClock},
    store::{ApiKeys, MemoryStore},
};
#[cfg(feature = "fhir")]
use care_fhir::Fhir;
#[cfg(feature = "postgres")]
use care_store_postgres::{Options as PostgresOptions, PostgresStore};
use care_store_sqlite::SqliteStore;
use http::{HeaderName, HeaderValue};
use tokio::task::spawn_blocking;

#[cfg(feature = "postgres")]
use crate::database::open_postgres;
use crate::{
    DatabaseAddress, Options, StartError,
    database::ServedStore,
    demo::{self, NotFilled},
    options::ApiKey,
};

/// The service, and the key to print.
pub(crate) struct Site {
    pub(crate) care: CareService,
    pub(crate) store: Arc<dyn ServedStore>,
    pub(crate) api: Api,
    /// A key with all scopes; `None` if only stored keys are valid.
    pub(crate) key: Option<ApiKey>,
    /// Whether the server generated the key and therefore has to print it.
    pub(crate) key_is_new: bool,
}

impl Site {
    pub(crate) async fn open(options: &Options, framework: &str) -> Result<Self, StartError> {
        if !options.api_keys.iter().all(ApiKey::can_be_sent) {
            return Err(StartError::ApiKey);
        }
        // The options are checked before the database is touched.
        let bare = Api::new(CareService::new(MemoryStore::new()));
        bare.clone().with_base_path(base_path(options))?;
        #[cfg(feature = "fhir")]
        if let Some(url) = &options.public_url {
            bare.with_public_url(url)?;
        }

        // Opening runs on a thread of its own: it may wait for others, and a signal must end the server meanwhile.
        let opening = opening(options);
        let opened = spawn_blocking(opening).await.map_err(|ended| StartError::System(ended.into()))?;
        let store = opened?;
        let facility = Facility {
            name: options.facility_name.clone(),
            address: options.facility_address.clone(),
            prints_allergies: options.print_allergies,
            utc_offset: options.utc_offset,
            highest_price: options.highest_price(),
        };
        let care = CareService::new(Arc::clone(&store)).with_facility(facility);
        if options.demo {
            fill(&care).await?;
        }
        let stored: Arc<dyn ApiKeys> = Arc::new(Arc::clone(&store));
        let (keys, key, key_is_new) = keys(&options.api_keys, has_stored_key(Arc::clone(&stored)).await?)?;
        let mut api = Api::new(care.clone())
            .with_base_path(base_path(options))?
            .with_keys((StoredKeys::new(stored), keys))
            .with_limits(limits(options));
        if let Some(failures) = options.max_failed_keys {
            api = api.with_throttle(throttle(failures, options));
        }
        if options.audit_reads {
            api = api.with_read_audit();
        }
        let mut console = Console::new().served_by(framework);
        if options.demo_nightly {
            console = console.of_a_nightly_demo();
            api = api.with_header(HeaderName::from_static("care-demo"), HeaderValue::from_static("nightly"));
            // Every visitor has the same key.
            api = api.with_addresses_apart(options.peer_header.clone());
        }
        if options.serves_console() {
            api = api.with_console(console);
        }
        #[cfg(feature = "fhir")]
        if options.fhir {
            let fhir = Fhir::new();
            api = api.with_facade(match &options.facility_uri {
                Some(uri) => fhir.with_facility_uri(uri.as_str()),
                None => fhir,
            });
        }
        #[cfg(feature = "fhir")]
        if let Some(url) = &options.public_url {
            api = api.with_public_url(url)?;
        }
        if options.contract_only {
            api = api.contract_only();
        }
        Ok(Self { care, store, api, key, key_is_new })
    }
}

/// Returns a closure that opens the store which the options name.
fn opening(options: &Options) -> impl FnOnce() -> Result<Arc<dyn ServedStore>, StartError> + Send + 'static {
    let address = (!options.in_memory).then(|| options.database.clone().unwrap_or_default());
    let (is_shared, queue) = (options.shared, options.queue);
    #[cfg(feature = "postgres")]
    let requires_synchronous = options.require_synchronous;
    move || match address {
        None => Ok(Arc::new(MemoryStore::new())),
        Some(DatabaseAddress::File(file)) => {
            let settings = SqliteStore::options().shared(is_shared).queue(queue.get());
            Ok(Arc::new(settings.open(file)?))
        }
        #[cfg(feature = "postgres")]
        Some(DatabaseAddress::Postgres(url)) => {
            let settings = PostgresStore::options().queue(queue).require_synchronous(requires_synchronous);
            Ok(Arc::new(open_postgres(settings, &url)?))
        }
        #[cfg(not(feature = "postgres"))]
        Some(DatabaseAddress::Postgres(_)) => Err(StartError::NoPostgres),
        Some(DatabaseAddress::Misspelt) => Err(StartError::Misspelt),
    }
}

/// Returns the limits of requests. PostgreSQL works elsewhere, so as many long requests run as it has connections.
fn limits(options: &Options) -> Limits {
    #[cfg(feature = "postgres")]
    if let Some(DatabaseAddress::Postgres(_)) = options.database {
        return options.limits().with_long_work(PostgresOptions::READERS.get());
    }
    options.limits()
}

fn throttle(failures: NonZero<u32>, options: &Options) -> Throttle {
    let throttle = Throttle::new(failures, Duration::from_secs(60));
    match &options.peer_header {
        Some(header) => throttle.client_address_header(header.clone()),
        None => throttle,
    }
}

/// Returns the base path. Operators often write `/` for the root, which is empty here.
fn base_path(options: &Options) -> &str {
    match options.base_path.as_str() {
        "/" => "",
        base => base,
    }
}

/// Returns whether the database holds a valid key.
async fn has_stored_key(stored: Arc<dyn ApiKeys>) -> Result<bool, StartError> {
    let keys = KeyManager::new(stored).keys().await.map_err(care_core::error::Error::from)?;
    Ok(keys.iter().any(|key| key.is_valid_at(SystemClock.now())))
}

/// Returns the key ring, one of its keys, and whether the server generated that key. It generates one if there would be
/// none otherwise.
fn keys(given: &[ApiKey], has_stored: bool) -> Result<(KeyRing, Option<ApiKey>, bool), StartError> {
    let is_new = given.is_empty() && !has_stored;
    let made_up = if is_new { vec![ApiKey::random()?] } else { Vec::new() };
    let all = given.iter().chain(&made_up);
    let ring = (1..)
        .zip(all.clone())
        .fold(KeyRing::new(), |ring, (number, key)| ring.with_key(key.as_str(), format!("key-{number}"), Scopes::ALL));
    Ok((ring, all.into_iter().next().cloned(), is_new))
}

/// Fills the database with the demo clinic, unless it has records.
async fn fill(care: &CareService) -> Result<(), StartError> {
    match demo::fill(care).await {
        Ok(_) => Ok(()),
        Err(NotFilled::NotEmpty) => {
            eprintln!("the database is not empty, so the demo was not added");
            Ok(())
        }
        Err(NotFilled::Failed(error)) => Err(error.into()),
    }
}
