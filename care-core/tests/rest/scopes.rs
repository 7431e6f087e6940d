//! The scope of each operation, over the whole table.

use bytes::Bytes;
use care_core::{
    keys::{KeyRing, Scopes},
    model::Scope,
    operation::{Operation, Segment},
    rest::Api,
    service::CareService,
    store::MemoryStore,
};
use futures_executor::block_on;
use http::{Request, StatusCode};

/// Returns an API with a key for each scope, which has that scope alone.
fn with_a_key_for_each_scope() -> Api {
    let keys = Scopes::ALL.iter().fold(KeyRing::new(), |keys, scope| {
        keys.with_key(scope.as_str(), scope.as_str(), [scope].into_iter().collect::<Scopes>())
    });
    Api::new(CareService::new(MemoryStore::new())).with_keys(keys)
}

/// Returns the status of this operation's answer to the key with one scope.
fn asked(api: &Api, operation: Operation, scope: Scope) -> StatusCode {
    let path = operation.segments().map(|segment| match segment {
        Segment::Literal(text) => format!("/{text}"),
        Segment::Parameter(_) => "/1".to_owned(),
    });
    let request = Request::builder()
        .method(operation.method())
        .uri(format!("/1.0.0{}", path.collect::<String>()))
        .header("api_key", scope.as_str());
    block_on(api.handle(request.body(Bytes::new()).unwrap())).status()
}

#[test]
fn a_key_with_one_scope_reaches_the_operations_of_that_scope_alone() {
    let api = with_a_key_for_each_scope();
    for operation in Operation::all() {
        for scope in Scopes::ALL.iter() {
            let status = asked(&api, operation, scope);
            let is_open = operation.scope().is_none_or(|needed| needed == scope);
            assert_eq!(
                status != StatusCode::FORBIDDEN,
                is_open,
                "{}: {status} with {}",
                operation.id(),
                scope.as_str()
            );
            assert_ne!(status, StatusCode::UNAUTHORIZED, "{}", operation.id());
        }
    }
}
