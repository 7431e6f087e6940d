//! What is served: a store, the service on it, and the keys to it.

use std::path::Path;

use care_core::{
    rest::{Api, KeyRing, Scopes},
    service::{CareService, Facility},
    store::{MemoryStore, Seq},
};
use care_store_sqlite::SqliteStore;

use crate::{Options, StartError, demo, options::ApiKey};

/// What a server serves.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) care: CareService,
    pub(crate) api: Api,
    /// A key that opens it.
    pub(crate) key: ApiKey,
    /// Whether the key was made up, so that nobody knows it yet.
    pub(crate) key_is_new: bool,
}

impl Site {
    pub(crate) async fn open(options: &Options) -> Result<Self, StartError> {
        let (keys, key, key_is_new) = keys(&options.api_keys)?;
        // Before the database is touched, like all that only depends on the options.
        let bare = Api::new(CareService::new(MemoryStore::new()));
        bare.with_base_path(base_path(options))?;

        let care = store(options)?
            .with_facility(Facility { address: options.facility_address.clone(), utc_offset: options.utc_offset });
        if options.demo {
            fill(&care).await?;
        }
        let mut api =
            Api::new(care.clone()).with_base_path(base_path(options))?.with_keys(keys).with_limits(options.limits());
        if options.contract_only {
            api = api.contract_only();
        }
        Ok(Self { care, api, key, key_is_new })
    }
}

fn store(options: &Options) -> Result<CareService, StartError> {
    if options.in_memory {
        return Ok(CareService::new(MemoryStore::new()));
    }
    let file = options.database.as_deref().unwrap_or(Path::new("care.db"));
    let store = SqliteStore::options().shared(options.shared).queue(options.queue.get()).open(file)?;
    Ok(CareService::new(store))
}

/// The root is written `/` by most people.
fn base_path(options: &Options) -> &str {
    match options.base_path.as_str() {
        "/" => "",
        base => base,
    }
}

/// The ring, one of its keys, and whether that was made up.
fn keys(given: &[ApiKey]) -> Result<(KeyRing, ApiKey, bool), StartError> {
    if !given.iter().all(ApiKey::can_be_sent) {
        return Err(StartError::ApiKey);
    }
    let made_up = match given {
        [] => vec![ApiKey::random()?],
        _ => Vec::new(),
    };
    let all = given.iter().chain(&made_up);
    let ring = (1..)
        .zip(all.clone())
        .fold(KeyRing::new(), |ring, (number, key)| ring.with_key(key.as_str(), format!("key-{number}"), Scopes::ALL));
    let first = all.into_iter().next().cloned().ok_or(StartError::ApiKey)?;
    Ok((ring, first, given.is_empty()))
}

/// Fills the database with the demonstration, unless something is in it.
async fn fill(care: &CareService) -> Result<(), StartError> {
    let store = care.store();
    let entries = store.journal(Seq::ZERO, 1).await;
    if entries.map_err(care_core::error::Error::from)?.is_empty() {
        demo::fill(care).await?;
    } else {
        eprintln!("the database is not empty, so the demo was left out");
    }
    Ok(())
}
