//! One OpenAPI document for a program with operations of its own, described by utoipa, and those of the service.
//!
//! ```text
//! cargo run -p care-core --features openapi --example one_document
//! ```

use std::error::Error;

use care_core::{Api, CareService, MemoryStore};
use utoipa::{
    OpenApi,
    openapi::{
        OpenApi as OpenApiDocument,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

/// Says how the program is.
#[utoipa::path(get, path = "/health", responses((status = OK, description = "It is well", body = str)))]
#[expect(dead_code, reason = "only its description matters here")]
fn health() -> &'static str {
    "fine"
}

#[derive(OpenApi)]
#[openapi(info(title = "Clinic", version = "1.0.0"), paths(health))]
struct Ours;

/// Returns our document with the service's operations and records in it, where the service is mounted.
fn merged(api: &Api) -> Result<OpenApiDocument, Box<dyn Error>> {
    let mut service: OpenApiDocument = serde_json::from_str(&api.openapi())?;
    // Its paths stand below its server, and each of its operations says how a client authenticates.
    (service.servers, service.security) = (None, None);
    let mut ours = Ours::openapi();
    // How our users authenticate is ours to say: what we describe under a name stays.
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("The token of a login"));
    let components = ours.components.get_or_insert_default();
    components.add_security_scheme("host", SecurityScheme::Http(bearer.build()));
    Ok(ours.nest(api.base_path(), service))
}

fn main() -> Result<(), Box<dyn Error>> {
    let api = Api::new(CareService::new(MemoryStore::new())).with_host_principals("Bearer")?;
    println!("{}", merged(&api)?.to_pretty_json()?);
    Ok(())
}
