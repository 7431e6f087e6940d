//! The records and stored keys of a world.

use care_core::{
    error::Error,
    keys::Scopes,
    model::{
        ApiKey, Currency, Date, Disease, Item, ItemDetails, KeyId, KeyName, LotId, MedicineName, Name, PatientDetails,
        PatientId, PrescriptionDetails, PrescriptionId, Price, Scalar, SecretDigest, ShortText, StockDetails,
        Timestamp, UnitName,
    },
    operation::Operation,
    service::{CareService, ExpectedVersion, NewConsultation, NewPrescription, OpeningLot},
    store::{Act, ApiKeys, Change, KeyPlan, Seen},
};

use crate::samples;

/// Returns the time that every clock of a world shows.
pub(super) fn noon() -> Timestamp {
    Timestamp::from_unix_millis(1_773_576_000_000).expect("2026-03-15T12:00:00Z is within the years 1900 to 9999")
}

/// The SHA-256 digest of the bits of all stored keys' secret.
const DIGEST: [u8; 32] = [
    0x4d, 0xf2, 0x93, 0xb8, 0x4b, 0x7c, 0xaa, 0x34, 0xb1, 0xa1, 0xbe, 0xc8, 0xdf, 0x81, 0x73, 0x14, 0x9b, 0xfb, 0x92,
    0x6d, 0x56, 0x91, 0xf7, 0xb5, 0xdb, 0xbe, 0xee, 0x00, 0x36, 0xb8, 0x54, 0x40,
];

pub(super) async fn store_keys(store: &dyn ApiKeys) -> Result<(), Error> {
    let noon = noon();
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

pub(super) async fn furnish(care: &CareService) -> Result<(), Error> {
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
pub(super) async fn store_withdrawn(care: &CareService) -> Result<(), Error> {
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

pub(super) async fn track(care: &CareService) -> Result<(), Error> {
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
