//! The parts of a server: a store, the service on it, and its keys.

use std::{num::NonZero, path::Path, sync::Arc, time::Duration};

use care_console::Console;
use care_core::{
    keys::{KeyManager, KeyRing, Scopes, StoredKeys},
    rest::{Api, Throttle},
    service::{CareService, Clock, Facility, SystemClock},
    store::{ApiKeys, MemoryStore},
};
use care_store_sqlite::SqliteStore;

use crate::{
    Options, StartError,
    demo::{self, NotFilled},
    options::ApiKey,
};

/// The service, and the key to print.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) care: CareService,
    pub(crate) api: Api,
    /// A key with all scopes; `None` when only stored keys are valid.
    pub(crate) key: Option<ApiKey>,
    /// Whether the key was made up, so that it must be printed.
    pub(crate) key_is_new: bool,
}

impl Site {
    pub(crate) async fn open(options: &Options, framework: &str) -> Result<Self, StartError> {
        if !options.api_keys.iter().all(ApiKey::can_be_sent) {
            return Err(StartError::ApiKey);
        }
        // Options are checked before the database is touched.
        let bare = Api::new(CareService::new(MemoryStore::new()));
        bare.with_base_path(base_path(options))?;

        let (care, stored) = store(options)?;
        let care =
            care.with_facility(Facility { address: options.facility_address.clone(), utc_offset: options.utc_offset });
        if options.demo {
            fill(&care).await?;
        }
        let (keys, key, key_is_new) = keys(&options.api_keys, has_stored_key(Arc::clone(&stored)).await?)?;
        let mut api = Api::new(care.clone())
            .with_base_path(base_path(options))?
            .with_keys((StoredKeys::new(stored), keys))
            .with_limits(options.limits());
        if let Some(failures) = options.max_failed_keys {
            api = api.with_throttle(throttle(failures, options));
        }
        if options.audit_reads {
            api = api.with_read_audit();
        }
        if options.serves_console() {
            api = api.with_console(Console::new().served_by(framework));
        }
        if options.contract_only {
            api = api.contract_only();
        }
        Ok(Self { care, api, key, key_is_new })
    }
}

/// Returns the service on the store that the options name, and that store as a store of keys.
fn store(options: &Options) -> Result<(CareService, Arc<dyn ApiKeys>), StartError> {
    if options.in_memory {
        let store = Arc::new(MemoryStore::new());
        return Ok((CareService::new(Arc::clone(&store)), store));
    }
    let file = options.database.as_deref().unwrap_or(Path::new("care.db"));
    let store = Arc::new(SqliteStore::options().shared(options.shared).queue(options.queue.get()).open(file)?);
    Ok((CareService::new(Arc::clone(&store)), store))
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

/// Returns the ring, one of its keys, and whether that was made up. A key is made up when there would be none
/// otherwise.
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
            eprintln!("the database is not empty, so the demo was left out");
            Ok(())
        }
        Err(NotFilled::Failed(error)) => Err(error.into()),
    }
}
