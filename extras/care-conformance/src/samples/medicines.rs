//! The inventory, and the counts of medicines.

use care_core::{
    model::{
        Currency, Date, Demand, EveryDays, Item, MedicineKey, MedicineName, PatientId, PrescribedUnits, Price,
        RegularDemand, ShortText, Supply, Timestamp,
    },
    store::{Counter, Reply, ReplyId, RequestKey, Series},
};

use super::{
    extremes::{Least, Most},
    texts::every_plane,
    values::{legal, medicine},
};

/// Returns names of different medicines that some stores would confuse.
pub fn medicines() -> Vec<MedicineName> {
    let mut names: Vec<MedicineName> = [
        "Ibuprofen",
        "Ibuprofen 400",
        "Ibuprofen400",
        "Ibuprofen%",
        "Ibuprofe_",
        "Ibuprof*",
        "ibuprofen'",
        "Ibuprofen\u{0308}",
        "...",
        "a/b",
        "a%2Fb",
        "a\\b",
        "etain",
        "\u{e9}tain",
        // In UTF-16 these two sort in the opposite order.
        "\u{ff5e}",
        "\u{10000}",
        "007",
        "7",
        "7.0",
    ]
    .map(medicine)
    .into();
    names.push(medicine(&every_plane(MedicineName::MAX)));
    // Folded, each of these characters is three code points, so the key is longer than the longest name.
    names.push(medicine(&"\u{fb03}".repeat(MedicineName::MAX)));
    names
}

/// Returns an ordinary item that is in stock.
pub fn item(medicine: &MedicineName) -> Item {
    Item {
        dosage: Some(legal(ShortText::new("tablet"))),
        is_regular: Some(false),
        price: Some(legal(Price::try_from(4))),
        currency: Some(legal(Currency::new("EUR"))),
        ..Item::new(medicine.clone())
    }
}

/// Returns an item without optional fields, an ordinary one, and two with every field at its upper or lower limit.
pub fn item_forms(medicine: &MedicineName) -> Vec<Item> {
    let of = |form| Item { medicine: medicine.clone(), ..form };
    let (most, least) = (of(Item::filled(&mut Most)), of(Item::filled(&mut Least)));
    vec![Item::new(medicine.clone()), item(medicine), most, least]
}

/// Returns the demand for a medicine on an ordinary day.
pub fn demand(medicine: &MedicineName, day: Date) -> Demand {
    Demand { prescribed: 3, regular: 1, dispensed: 2, ..Demand::new(medicine.clone(), day) }
}

/// Returns a day without demand, an ordinary one, and the largest counts.
pub fn demand_forms(medicine: &MedicineName, day: Date) -> Vec<Demand> {
    let of = |prescribed, regular, dispensed| Demand { prescribed, regular, dispensed, ..demand(medicine, day) };
    let most = i64::MAX as u64;
    let largest = PrescribedUnits { units: most, unnamed: most };
    let full = Demand { wanted: largest, waiting: largest, ..of(most, most - 1, most) };
    let some = Demand {
        wanted: PrescribedUnits { units: 60, unnamed: 1 },
        waiting: PrescribedUnits { units: 30, unnamed: 0 },
        ..of(3, 1, 2)
    };
    vec![of(0, 0, 0), some, full, of(1, 1, 1)]
}

/// Returns the number of active recurring prescriptions of a medicine, with the interval of most.
pub fn regular_demand(medicine: &MedicineName, active_regular: u64) -> RegularDemand {
    RegularDemand { active_regular, ..RegularDemand::new(medicine.clone(), Supply::EVERY_DAYS) }
}

/// Returns the identifier of [`regular_demand`].
pub fn regular_demand_id(medicine: &MedicineName) -> (MedicineKey, EveryDays) {
    (medicine.key().clone(), Supply::EVERY_DAYS)
}

/// Returns no recurring prescriptions, an ordinary number, and the largest counts.
pub fn regular_demand_forms(medicine: &MedicineName) -> Vec<RegularDemand> {
    let largest = i64::MAX as u64;
    let counts = [0, 2, largest].map(|count| regular_demand(medicine, count));
    let of =
        |units, unnamed| RegularDemand { wanted: PrescribedUnits { units, unnamed }, ..regular_demand(medicine, 6) };
    counts.into_iter().chain([of(30, 2), of(largest, largest)]).collect()
}

/// Returns a number of recurring prescriptions with the shortest interval, with that of most, and with the longest.
pub fn regular_demand_intervals(medicine: &MedicineName) -> Vec<RegularDemand> {
    let of = |days| RegularDemand::new(medicine.clone(), legal(EveryDays::try_from(days)));
    [1, 30, 365_i64].map(|days| RegularDemand { active_regular: days.unsigned_abs(), ..of(days) }).into()
}

/// Returns the counter of a series at its start, in between, and at its end.
pub fn counter_forms(series: Series) -> Vec<Counter> {
    [1, 4711, i64::MAX].map(|last| Counter { series, last }).into()
}

/// Returns the instant at this number of milliseconds since 1970.
pub fn instant(millis: i64) -> Timestamp {
    legal(Timestamp::from_unix_millis(millis))
}

/// Returns stored replies: of two senders, at equal instants, under one key used by both, and a long one.
pub fn replies() -> Vec<Reply> {
    let longest = "k".repeat(255);
    let all = [
        ("desk", "a", 1_000),
        ("desk", "b", 3_000),
        ("front desk", "a", 2_000),
        ("front desk", longest.as_str(), 2_000),
    ];
    let of = |(id, (actor, key, millis)): (usize, (&str, &str, i64))| Reply {
        reply_id: ReplyId::parse(&format!("{id:032x}")).expect("32 digits"),
        request: Some(RequestKey { actor: actor.into(), key: key.into() }),
        fingerprint: format!("{millis:064x}"),
        at: instant(millis),
        patient_id: PatientId::try_from(millis).ok().filter(|_| millis == 3_000),
        answer: serde_json::json!({ "patientId": millis, "name": "A\"\u{1F600}", "list": [1, null, 2.5] }),
    };
    all.into_iter().enumerate().map(of).collect()
}
