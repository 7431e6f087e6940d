//! The demo clinic's pharmacy.

use care_core::{
    error::Error,
    model::{Currency, ItemDetails, MedicineName, Price, ShortText},
};

use super::sound;

/// Name, dosage, whether it is taken regularly, price in euros.
type Medicine = (&'static str, &'static str, bool, i64);

/// The stock of the pharmacy at the beginning of the year.
pub(super) const STOCK: &[Medicine] = &[
    ("Activated charcoal", "250 mg capsule", false, 9),
    ("Ambroxol 30", "30 mg tablet", false, 6),
    ("Amlodipine 5", "5 mg tablet", true, 11),
    ("Amoxicillin 500", "500 mg capsule", false, 14),
    ("Apixaban 5", "5 mg tablet", true, 92),
    ("Atorvastatin 20", "20 mg tablet", true, 13),
    ("Budesonide inhaler", "200 µg a puff", true, 34),
    ("Cetirizine 10", "10 mg tablet", false, 5),
    ("Colecalciferol 1000", "1000 IU tablet", true, 7),
    ("Diclofenac 75", "75 mg tablet", false, 8),
    ("Fosfomycin 3 g", "3 g sachet", false, 16),
    ("Hydrocortisone cream", "1 % cream, 20 g", false, 10),
    ("Ibuprofen 400", "400 mg tablet", false, 4),
    ("Levothyroxine 75", "75 µg tablet", true, 12),
    ("Melatonin 2", "2 mg tablet", false, 19),
    ("Metformin 850", "850 mg tablet", true, 10),
    ("Ofloxacin eye drops", "3 mg/ml, 5 ml", false, 15),
    ("Ondansetron 4", "4 mg tablet", false, 22),
    ("Oral rehydration salts", "sachet", false, 3),
    ("Pantoprazole 20", "20 mg tablet", false, 9),
    ("Paracetamol 500", "500 mg tablet", false, 2),
    ("Ramipril 5", "5 mg tablet", true, 9),
    ("Salbutamol inhaler", "100 µg a puff", true, 18),
    ("Sumatriptan 50", "50 mg tablet", false, 24),
    ("Tetanus vaccine", "0.5 ml syringe", false, 21),
    // Other strengths, and two names one inside the other: what a hurried hand takes for each other.
    ("Adrenaline 1", "1 mg/ml, 1 ml ampoule", false, 6),
    ("Levothyroxine 50", "50 µg tablet", true, 11),
    ("Metformin 500", "500 mg tablet", true, 8),
    ("Noradrenaline 1", "1 mg/ml, 4 ml ampoule", false, 17),
    ("Paracetamol 1000", "1000 mg tablet", false, 4),
];

/// When the untracked medicine runs out and comes back: the day, the medicine, whether it is then available.
pub(super) const SUPPLY: &[(i64, &str, bool)] = &[(150, "Cetirizine 10", false), (163, "Cetirizine 10", true)];

/// Changes of prices: the day, the medicine, the new price in euros.
pub(super) const PRICES: &[(i64, &str, i64)] =
    &[(90, "Apixaban 5", 88), (180, "Sumatriptan 50", 26), (270, "Paracetamol 500", 3)];

/// Returns a medicine's name.
pub(super) fn medicine(name: &str) -> Result<MedicineName, Error> {
    sound(MedicineName::new(name))
}

/// Returns the item of a medicine.
pub(super) fn item(&(_, dosage, is_regular, price): &Medicine) -> Result<ItemDetails, Error> {
    Ok(ItemDetails {
        dosage: sound(ShortText::new(dosage))?.into(),
        is_regular: is_regular.into(),
        currency: sound(Currency::new("EUR"))?.into(),
        ..priced(price)?
    })
}

/// Returns the change of an item after a delivery, or after the last box was sold.
pub(super) fn supplied(is_available: bool) -> ItemDetails {
    ItemDetails { is_available: is_available.into(), ..ItemDetails::default() }
}

/// Returns the change of an item to a price in euros.
pub(super) fn priced(price: i64) -> Result<ItemDetails, Error> {
    Ok(ItemDetails { price: sound(Price::try_from(price))?.into(), ..ItemDetails::default() })
}
