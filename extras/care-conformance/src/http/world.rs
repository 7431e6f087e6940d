//! The small world that every case begins in.

use std::{
    num::NonZero,
    sync::{Arc, LazyLock},
    time::Duration,
};

use care_core::{
    audit::{self, AuditError},
    keys::{KeyRing, Scope, Scopes, StoredKeys},
    model::{Address, Name, Patient, Price, UtcOffset},
    rest::{Api, File, Files, Limits, Throttle},
    service::{CareService, Facility},
    store::{ApiKeys, CareStore, Entry, Epoch, Limit, MemoryStore, Seq},
};
use futures_executor::block_on;

use super::fixture::{furnish, noon, store_keys, store_withdrawn, track};

/// The epoch of every world, with which its entity tags begin.
pub const EPOCH: Epoch = Epoch::new(0x5eed_5eed);

/// A service with a few records in it, the same every time. Its clock always shows 2026-03-15T12:00:00Z.
///
/// - Keys: `full` has every scope, `none` has none, `patient:read` and so on have the scope they are named by, and
///   `all but patient:read` and so on every other. Each is the name of its principal, too.
/// - The key `namesake`, with every scope, which has the name of the first stored key.
/// - Stored keys, all with the secret `5ca1ab1e` eight times: `stored000000` has every scope, `revoked00000` was
///   revoked, `expired00000` expires at this very moment and `dated0000000` a millisecond later. They are named by the
///   first part of their ids.
/// - Patients: 1 is Ada Example with every field, 2 is Ben Sparse without any other, 3 has not even a name, 4 was
///   voided.
/// - Inventory: `Ibuprofen 400` (available, 4 EUR, tablet, not regular), `Metformin` (available, 9 GBP, regular),
///   `Paracetamol` (not available, 2 EUR). `Codeine` was removed.
/// - Consultation 1, of Ada on 10/03/2026 with `Influenza`, is open: prescription 1 is `Ibuprofen 400`, prescription 2
///   `Metformin`, regular; both active.
/// - Prescription 3 (consultation 2) is Ada's `Paracetamol`, active, with the unpaid invoice 1.
/// - Consultation 3, of Ben on 01/03/2026 with `Asthma`, `Eczema`, `Gout` and `Migraine`, is completed.
/// - Prescription 4 (consultation 4) is Ben's `Ibuprofen 400`, completed by the paid invoice 2 of 15/03/2026.
/// - Prescription 5 (consultation 5) is Ben's `Aspirin`, active, which the inventory does not know.
/// - Prescription 6 was withdrawn, invoice 3 (of prescription 1) cancelled.
///
/// Ada has no visits, and Ben has two.
#[derive(Debug)]
pub struct World {
    care: CareService,
    api: Api,
}

/// The variable parts of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The base path.
    pub base: String,
    /// The limit for bodies in bytes; `None` is the usual one.
    pub body_limit: Option<usize>,
    /// The facility's offset from UTC in minutes.
    pub utc_offset: i16,
    /// The number of requests an hour from one address that may lack a valid key; `None` is no limit.
    pub failures: Option<NonZero<u32>>,
    /// The header that holds the address of the client; `None` for the peer's.
    pub address_header: Option<String>,
    /// Whether every read of a single record writes a journal entry.
    pub audits_reads: bool,
    /// Whether there are the static files `desk/`, a page, and `desk/main.js`; and `bench/`, a page whose modules
    /// import others.
    pub static_files: bool,
    /// Whether the operations that the interface document does not show are missing.
    pub contract_only: bool,
    /// With `Ibuprofen 400` tracked and empty, and 3 units of `Metformin` tracked.
    pub tracked_stock: bool,
    /// The highest price that a request may set; `None` is the highest of all.
    pub highest_price: Option<i64>,
    /// With `Salep` in the inventory for 5 BGN, a currency that was withdrawn since it was stored.
    pub withdrawn_currency: bool,
    /// A further patient, as a document in JSON.
    pub patient: Option<String>,
}

impl Setting {
    /// Returns whether a world of this setting begins with the records of the default one.
    fn has_usual_records(&self) -> bool {
        let Self {
            utc_offset,
            tracked_stock,
            withdrawn_currency,
            patient,
            base: _,
            body_limit: _,
            failures: _,
            address_header: _,
            audits_reads: _,
            static_files: _,
            contract_only: _,
            highest_price: _,
        } = self;
        *utc_offset == 0 && !tracked_stock && !withdrawn_currency && patient.is_none()
    }
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            base: "/1.0.0".to_owned(),
            body_limit: None,
            utc_offset: 0,
            failures: None,
            address_header: None,
            audits_reads: false,
            static_files: false,
            contract_only: false,
            tracked_stock: false,
            highest_price: None,
            withdrawn_currency: false,
            patient: None,
        }
    }
}

impl World {
    /// Returns a new world in memory.
    ///
    /// # Panics
    /// When the service refuses the records, or the setting's base path or offset is invalid.
    pub fn new(setting: &Setting) -> Self {
        // Most cases begin with these records, which take longer to make than the case takes to run.
        static USUAL: LazyLock<MemoryStore> = LazyLock::new(|| {
            let store = Arc::new(MemoryStore::new().with_epoch(EPOCH));
            World::on(Arc::clone(&store), &Setting::default());
            (*store).clone()
        });
        match setting.has_usual_records() {
            true => Self::again(USUAL.clone(), setting),
            false => Self::on(MemoryStore::new().with_epoch(EPOCH), setting),
        }
    }

    /// Returns a new world in an empty store.
    ///
    /// Entity tags begin with the epoch of the store, which is [`EPOCH`] where two worlds are compared.
    ///
    /// # Panics
    /// When the store fails, the service refuses the records, or the setting's base path or offset is invalid.
    pub fn on(store: impl CareStore + ApiKeys + 'static, setting: &Setting) -> Self {
        let store = Arc::new(store);
        // The prices of the fixture are stored before a highest one is set.
        let mut world = Self::again(Arc::clone(&store), &Setting { highest_price: None, ..setting.clone() });
        block_on(furnish(&world.care)).expect("the records of the fixture are sound");
        if setting.tracked_stock {
            block_on(track(&world.care)).expect("the stock of the fixture is sound");
        }
        if setting.withdrawn_currency {
            block_on(store_withdrawn(&world.care)).expect("the item of the fixture is sound");
        }
        if let Some(document) = &setting.patient {
            let patient: Patient = serde_json::from_str(document).expect("a patient");
            block_on(world.care.register_patient_as(patient.patient_id, patient.into())).expect("a sound patient");
        }
        block_on(store_keys(&*store)).expect("the store does not fail");
        if setting.highest_price.is_some() {
            world = Self::again(store, setting);
        }
        world
    }

    /// Returns the world of a store that already holds the records and keys of one. [`on`](Self::on) made them, for a
    /// setting with the same stock and offset.
    ///
    /// # Panics
    /// When the setting's base path or offset is invalid.
    pub fn again(store: impl CareStore + ApiKeys + 'static, setting: &Setting) -> Self {
        let offset = UtcOffset::from_minutes(setting.utc_offset);
        let facility = Facility {
            name: Name::new("Sample Clinic").ok(),
            address: Address::new("Sample Clinic, 1 Hospital Road").ok(),
            prints_allergies: false,
            utc_offset: offset.expect("an offset of at most 18 hours"),
            highest_price: Price::clamped(setting.highest_price.unwrap_or(Price::MAX)),
        };
        let store = Arc::new(store);
        let care = CareService::new(Arc::clone(&store)).with_clock(noon).with_facility(facility).acting_as("fixture");
        let api = Api::new(care.clone()).with_keys((StoredKeys::new(store).with_clock(noon), keys()));
        let api = api.with_base_path(&setting.base).expect("a base path");
        let api = match setting.body_limit {
            Some(limit) => api.with_limits(Limits::new().with_body(limit)),
            None => api,
        };
        let api = match setting.failures {
            Some(failures) => api.with_throttle(throttle(failures, setting.address_header.as_deref())),
            None => api,
        };
        let api = match setting.audits_reads {
            true => api.with_read_audit(),
            false => api,
        };
        let api = match setting.static_files {
            true => api.with_console(desk()),
            false => api,
        };
        let api = match setting.contract_only {
            true => api.contract_only(),
            false => api,
        };
        Self { care, api }
    }

    /// Returns the API of this world.
    pub fn api(&self) -> Api {
        self.api.clone()
    }

    /// Returns the service of this world.
    pub(crate) const fn care(&self) -> &CareService {
        &self.care
    }

    /// Checks that the records and the journal agree.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn verify(&self) -> Result<(), AuditError> {
        block_on(audit::verify(self.care.store())).map(drop)
    }

    /// Returns all changes after this entry; `Seq::ZERO` is before the first.
    ///
    /// # Panics
    /// Never: the memory store does not fail.
    pub fn journal(&self, after: Seq) -> Vec<Entry> {
        let journal = self.care.store().journal(after, Limit::ALL);
        block_on(journal).expect("the store does not fail").items
    }
}

/// A page with a module that imports others.
const BENCH: &str = "<!doctype html><html><head><title>Bench</title>\n\
    <script type=\"module\" src=\"main.js\"></script>\n</head><body></body></html>";

fn desk() -> Files {
    let policy = http::HeaderValue::from_static("default-src 'none'");
    let page = File::new("text/html; charset=utf-8", "<!doctype html><title>Desk</title>");
    let page = page.with_header(http::header::CONTENT_SECURITY_POLICY, policy);
    Files::new()
        .with("desk/", page)
        .with("desk/main.js", File::new("text/javascript; charset=utf-8", "export const desk = 1;"))
        .with("patient", File::new("text/plain", "an operation is in its place"))
        .with("bench/", File::new("text/html; charset=utf-8", BENCH))
        .with("bench/main.js", File::new("text/javascript", "import \"./parts/saw.js\";\nimport(\"./late.js\");\n"))
        .with("bench/parts/saw.js", File::new("text/javascript", "import { teeth } from \"../teeth.js\";\n"))
        .with("bench/teeth.js", File::new("text/javascript", "export const teeth = 24;\n".repeat(50)))
        .with("bench/late.js", File::new("text/javascript", "export {};\n"))
}

fn throttle(failures: NonZero<u32>, address_header: Option<&str>) -> Throttle {
    let throttle = Throttle::new(failures, Duration::from_secs(3600));
    match address_header {
        Some(header) => throttle.client_address_header(header.parse().expect("the name of a header")),
        None => throttle,
    }
}

fn keys() -> KeyRing {
    let scopes: Vec<Scope> = Scopes::ALL.iter().collect();
    let ring = KeyRing::new().with_key("full", "full", Scopes::ALL).with_key("none", "none", Scopes::NONE);
    let ring = ring.with_key("namesake", "stored", Scopes::ALL);
    scopes.iter().fold(ring, |ring, scope| {
        let only: Scopes = [*scope].into_iter().collect();
        let others: Scopes = scopes.iter().copied().filter(|other| other != scope).collect();
        let but = format!("all but {}", scope.as_str());
        ring.with_key(scope.as_str(), scope.as_str(), only).with_key(&but, but.clone(), others)
    })
}
