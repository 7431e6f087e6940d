//! The small world that every case begins in.

use std::{num::NonZero, sync::Arc, time::Duration};

use care_core::{
    audit::{self, AuditError},
    error::Error,
    keys::{KeyRing, Scope, Scopes, StoredKeys},
    model::{
        Address, ApiKey, Currency, Date, Disease, Item, ItemDetails, KeyId, KeyName, LotId, MedicineName, Name,
        Patient, PatientDetails, PatientId, PrescriptionDetails, PrescriptionId, Price, Scalar, SecretDigest,
        ShortText, StockDetails, Timestamp, UnitName, UtcOffset,
    },
    operation::Operation,
    rest::{Api, File, Files, Limits, Throttle},
    service::{CareService, ExpectedVersion, Facility, NewConsultation, NewPrescription, OpeningLot},
    store::{Act, ApiKeys, CareStore, Change, Entry, Epoch, KeyPlan, Limit, MemoryStore, Seen, Seq},
};
use futures_executor::block_on;

use crate::samples;

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
        Self::on(MemoryStore::new().with_epoch(EPOCH), setting)
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
        block_on(store_keys(&*store, noon())).expect("the store does not fail");
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

/// Returns the time that every clock of a world shows.
fn noon() -> Timestamp {
    Timestamp::from_unix_millis(1_773_576_000_000).expect("2026-03-15T12:00:00Z is within the years 1900 to 9999")
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

/// The SHA-256 digest of the bits of all stored keys' secret.
const DIGEST: [u8; 32] = [
    0x4d, 0xf2, 0x93, 0xb8, 0x4b, 0x7c, 0xaa, 0x34, 0xb1, 0xa1, 0xbe, 0xc8, 0xdf, 0x81, 0x73, 0x14, 0x9b, 0xfb, 0x92,
    0x6d, 0x56, 0x91, 0xf7, 0xb5, 0xdb, 0xbe, 0xee, 0x00, 0x36, 0xb8, 0x54, 0x40,
];

async fn store_keys(store: &dyn ApiKeys, noon: Timestamp) -> Result<(), Error> {
    let key = |id: &str| {
        let name = id.trim_end_matches('0');
        Ok::<_, Error>(ApiKey {
            id: KeyId::new(id).map_err(rule)?,
            name: KeyName::new(name).map_err(rule)?,
            scopes: Scopes::ALL,
            digest: SecretDigest::new(DIGEST),
            created: Timestamp::from_unix_millis(0).map_err(rule)?,
            expires: match name {
                "expired" => Some(noon),
                "dated" => Some(Timestamp::from_unix_millis(noon.unix_millis() + 1).map_err(rule)?),
                _ => None,
            },
            revoked: (name == "revoked").then_some(noon),
            replaces: None,
        })
    };
    let kept = [key("stored000000")?, key("revoked00000")?, key("expired00000")?, key("dated0000000")?];
    Ok(store.decide_keys(Box::new(move |_| KeyPlan { keys: kept.to_vec(), entry: None })).await?)
}

async fn furnish(care: &CareService) -> Result<(), Error> {
    patients(care).await?;
    stock(care).await?;
    let (ada, ben) = (patient(1)?, patient(2)?);
    let visit = |patient_id, date: &str, diseases: &[&str], prescriptions| {
        let diseases: Result<Vec<_>, _> = diseases.iter().copied().map(Disease::new).collect();
        Ok::<_, Error>(
            NewConsultation::of(patient_id)
                .on(date.parse::<Date>().map_err(rule)?)
                .diagnosing(diseases.map_err(rule)?)
                .prescribing(prescriptions),
        )
    };
    let regular = NewPrescription {
        details: PrescriptionDetails { is_regular: true.into(), ..PrescriptionDetails::default() },
        ..of("Metformin")?
    };
    let first = visit(ada, "10/03/2026", &["Influenza"], vec![of("Ibuprofen 400")?, regular])?;
    care.record_consultation(first).await?;
    let third = care.prescribe(ada, of("Paracetamol")?).await?;
    care.issue_invoice(third.prescription.prescription_id).await?;
    let diseases = ["Asthma", "Eczema", "Gout", "Migraine"];
    let third = visit(ben, "01/03/2026", &diseases, Vec::new())?;
    care.record_consultation(third).await?;
    let fourth = care.prescribe(ben, of("Ibuprofen 400")?).await?;
    let paid = care.issue_invoice(fourth.prescription.prescription_id).await?;
    care.pay_invoice(paid.invoice.invoice_id).await?;
    care.prescribe(ben, of("Aspirin")?).await?;
    let sixth = care.prescribe(ada, of("Codeine")?).await?;
    let sixth = sixth.prescription.prescription_id;
    care.withdraw_prescription(sixth, ExpectedVersion::Any).await?;
    let first = PrescriptionId::try_from(1).map_err(rule)?;
    let cancelled = care.issue_invoice(first).await?.invoice.invoice_id;
    care.cancel_invoice(cancelled, ExpectedVersion::Any).await
}

/// Stores an item in a currency of an earlier release's list. The service would take none today.
async fn store_withdrawn(care: &CareService) -> Result<(), Error> {
    let item = Item {
        price: Some(Price::clamped(5)),
        currency: Some(Currency::from_stored("BGN".to_owned()).map_err(rule)?),
        ..Item::new(MedicineName::new("Salep").map_err(rule)?)
    };
    let act = Act::new("fixture", Operation::AddMedicine, noon());
    let put = move |_: &Seen| Ok(vec![Change::put(item.clone())].into());
    care.store().transact(act, Box::new(put)).await.map(drop)
}

async fn patients(care: &CareService) -> Result<(), Error> {
    care.register_patient_as(patient(1)?, samples::patient(1).into()).await?;
    let ben = PatientDetails { name: Name::new("Ben Sparse").map_err(rule)?.into(), ..PatientDetails::default() };
    care.register_patient_as(patient(2)?, ben).await?;
    for id in [3, 4] {
        care.register_patient_as(patient(id)?, PatientDetails::default()).await?;
    }
    care.void_patient(patient(4)?, ExpectedVersion::Any).await
}

async fn stock(care: &CareService) -> Result<(), Error> {
    let items = [
        ("Ibuprofen 400", true, Some("tablet"), false, 4, "EUR"),
        ("Metformin", true, None, true, 9, "GBP"),
        ("Paracetamol", false, None, false, 2, "EUR"),
        ("Codeine", true, None, false, 7, "EUR"),
    ];
    for (medicine, is_available, dosage, is_regular, price, currency) in items {
        let details = ItemDetails {
            is_available: is_available.into(),
            dosage: match dosage {
                Some(dosage) => ShortText::new(dosage).map_err(rule)?.into(),
                None => care_core::model::Patch::Keep,
            },
            is_regular: is_regular.into(),
            price: price.try_into().map(one).map_err(rule)?,
            currency: String::from(currency).try_into().map(one).map_err(rule)?,
        };
        care.add_item(MedicineName::new(medicine).map_err(rule)?, details).await?;
    }
    let codeine = MedicineName::new("Codeine").map_err(rule)?;
    care.remove_item(codeine.key().clone(), ExpectedVersion::Any).await
}

async fn track(care: &CareService) -> Result<(), Error> {
    for (medicine, units) in [("Ibuprofen 400", None), ("Metformin", Some(3))] {
        let medicine = MedicineName::new(medicine).map_err(rule)?;
        let unit = UnitName::new("tablets").map_err(rule)?;
        let opening =
            |units: i64| Ok::<_, Error>(OpeningLot { lot: LotId::default(), units: units.try_into().map_err(rule)? });
        let opening = units.map(opening).transpose()?.into_iter().collect();
        care.start_stock(medicine.key().clone(), unit, StockDetails::default(), opening).await?;
    }
    Ok(())
}

fn one<T>(value: T) -> care_core::model::Patch<T> {
    value.into()
}

fn patient(number: i64) -> Result<PatientId, Error> {
    PatientId::try_from(number).map_err(rule)
}

fn of(medicine: &str) -> Result<NewPrescription, Error> {
    Ok(NewPrescription::of(MedicineName::new(medicine).map_err(rule)?))
}

fn rule(broken: care_core::model::Invalid) -> Error {
    broken.at("fixture")
}
