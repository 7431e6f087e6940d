//! Resolving the names of endpoints to addresses that are allowed.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hyper_util::client::legacy::connect::dns::Name;
use tower_service::Service;

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

/// A resolver that passes on addresses that the policy admits: all of a name's, or none. Without a policy it passes on
/// every one.
#[derive(Clone)]
pub(crate) struct CheckedLookup {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) policy: Option<AddressPolicy>,
}

/// The reason why a name's addresses are not passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an address is not allowed")]
pub(crate) struct AddressRefused;

impl Service<Name> for CheckedLookup {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let Self { lookup, policy } = self.clone();
        Box::pin(async move {
            let addresses = lookup.lookup(name.as_str()).await?;
            if let Some(policy) = policy
                && !addresses.iter().all(|&address| policy.admits(address))
            {
                return Err(io::Error::other(AddressRefused));
            }
            let addresses: Vec<_> = addresses.into_iter().map(|address| SocketAddr::new(address, 0)).collect();
            Ok(addresses.into_iter())
        })
    }
}
