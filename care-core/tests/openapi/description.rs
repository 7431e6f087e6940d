//! The parsed document.

use std::sync::LazyLock;

use care_core::{rest::Api, service::CareService, store::MemoryStore};
use serde_json::Value;

/// The document of an API with default settings.
pub(crate) static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let text = Api::new(CareService::new(MemoryStore::new())).openapi();
    serde_json::from_str(&text).unwrap()
});

/// An operation in the document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Described {
    pub(crate) path: &'static str,
    pub(crate) method: &'static str,
    pub(crate) node: &'static Value,
}

/// Returns every operation in the document.
pub(crate) fn operations() -> Vec<Described> {
    operations_of(&DOCUMENT)
}

pub(crate) fn operations_of(document: &'static Value) -> Vec<Described> {
    let paths = document["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        let methods = methods.filter(|(name, _)| !name.starts_with("x-"));
        methods.map(|(method, node)| Described { path, method, node })
    });
    operations.collect()
}

/// Returns the operation with this identifier.
pub(crate) fn operation(id: &str) -> Described {
    *operations().iter().find(|operation| operation.id() == id).unwrap()
}

/// Returns the target of a node that is a reference, and the node itself otherwise.
pub(crate) fn resolve(node: &'static Value) -> &'static Value {
    match node["$ref"].as_str() {
        Some(target) => DOCUMENT.pointer(target.strip_prefix('#').unwrap()).unwrap(),
        None => node,
    }
}

impl Described {
    pub(crate) fn id(self) -> &'static str {
        self.node["operationId"].as_str().unwrap()
    }

    /// Returns the parameters of this place, such as `query`.
    pub(crate) fn parameters(self, place: &str) -> Vec<&'static Value> {
        let parameters = self.node["parameters"].as_array().unwrap().iter().map(resolve);
        parameters.filter(|parameter| parameter["in"] == place).collect()
    }

    /// Returns the described statuses.
    pub(crate) fn statuses(self) -> Vec<u16> {
        let responses = self.node["responses"].as_object().unwrap();
        responses.keys().map(|status| status.parse().unwrap()).collect()
    }

    /// Returns the response with this status.
    pub(crate) fn response(self, status: u16) -> Option<&'static Value> {
        self.node["responses"].get(status.to_string()).map(resolve)
    }
}
