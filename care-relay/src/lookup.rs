//! Resolving the names of endpoints to addresses that are allowed.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::policy::AddressPolicy;

/// A source of the addresses behind names.
#[async_trait::async_trait]
pub trait Lookup: Send + Sync + 'static {
    /// Returns all addresses of this name.
    ///
    /// # Errors
    /// The name has none, or they are unknown for now.
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

#[async_trait::async_trait]
impl Lookup for SystemLookup {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// A resolver that passes on addresses that the policy admits: all of a name's, or none.
pub(crate) struct CheckedLookup {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) policy: AddressPolicy,
}

/// The reason why a name's addresses are not passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an address is not allowed")]
pub(crate) struct AddressRefused;

impl Resolve for CheckedLookup {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookup, policy) = (Arc::clone(&self.lookup), self.policy.clone());
        Box::pin(async move {
            let addresses = lookup.lookup(name.as_str()).await?;
            if !addresses.iter().all(|&address| policy.admits(address)) {
                return Err(AddressRefused.into());
            }
            let addresses = addresses.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}
