//! The complaints of the demo clinic's patients, and their treatment.

use care_core::{
    error::Error,
    model::{Disease, EveryDays, PrescriptionDetails, ShortText},
    service::NewPrescription,
};

use super::{desk::PACK, sound, stock};

/// A disease, and the prescriptions for it.
#[derive(Debug)]
pub(super) struct Complaint {
    diseases: &'static [&'static str],
    /// Medicines, each with its dosage.
    medicines: &'static [(&'static str, &'static str)],
    is_regular: bool,
}

const fn acute(diseases: &'static [&'static str], medicines: &'static [(&'static str, &'static str)]) -> Complaint {
    Complaint { diseases, medicines, is_regular: false }
}

const fn chronic(disease: &'static [&'static str], medicines: &'static [(&'static str, &'static str)]) -> Complaint {
    Complaint { is_regular: true, ..acute(disease, medicines) }
}

/// Diseases that pass.
pub(super) const ACUTE: &[Complaint] = &[
    acute(&[], &[]),
    acute(&["tension headache"], &[("Ibuprofen 400", "1 at need, at most 3 a day")]),
    acute(&["migraine"], &[("Sumatriptan 50", "1 at the onset")]),
    acute(&["hay fever"], &[("Cetirizine 10", "0-0-1")]),
    acute(&["acute otitis media"], &[("Amoxicillin 500", "1-1-1 for 7 days"), ("Ibuprofen 400", "1-0-1")]),
    acute(&["acute bronchitis"], &[("Ambroxol 30", "1-1-1"), ("Paracetamol 500", "1-1-1-1")]),
    acute(&["lower back pain"], &[("Diclofenac 75", "1-0-1"), ("Pantoprazole 20", "1-0-0")]),
    acute(&["eczema"], &[("Hydrocortisone cream", "thinly, twice a day")]),
    acute(&["conjunctivitis"], &[("Ofloxacin eye drops", "1 drop every 4 hours")]),
    acute(&["urinary tract infection"], &[("Fosfomycin 3 g", "once")]),
    acute(&["insomnia"], &[("Melatonin 2", "0-0-0-1")]),
    // The pharmacy does not stock this one.
    acute(&["gout"], &[("Colchicine 500", "1-0-1")]),
    acute(&["sprained ankle"], &[]),
    acute(&["concussion", "fracture of the wrist", "bruised ribs", "abrasions"], &[("Paracetamol 500", "1-1-1-1")]),
];

/// Diseases that stay.
pub(super) const CHRONIC: &[Complaint] = &[
    chronic(&["essential hypertension"], &[("Ramipril 5", "1-0-0"), ("Amlodipine 5", "1-0-0")]),
    chronic(&["type 2 diabetes"], &[("Metformin 850", "1-0-1")]),
    chronic(&["hypothyroidism"], &[("Levothyroxine 75", "1-0-0, before breakfast")]),
    chronic(&["asthma"], &[("Salbutamol inhaler", "2 puffs at need"), ("Budesonide inhaler", "1-0-1")]),
    chronic(&["hypercholesterolaemia"], &[("Atorvastatin 20", "0-0-1")]),
    chronic(&["atrial fibrillation"], &[("Apixaban 5", "1-0-1")]),
    chronic(&["vitamin D deficiency"], &[("Colecalciferol 1000", "1-0-0")]),
];

/// The disease of an outbreak in the last weeks of the year.
pub(super) const OUTBREAK: Complaint =
    acute(&["gastroenteritis"], &[("Oral rehydration salts", "after each loose stool"), ("Ondansetron 4", "1-0-1")]);

impl Complaint {
    pub(super) fn diseases(&self) -> Result<Vec<Disease>, Error> {
        let disease = |name: &&str| sound(Disease::new(*name));
        self.diseases.iter().map(disease).collect()
    }

    pub(super) fn prescriptions(&self) -> Result<Vec<NewPrescription>, Error> {
        let every_days = self.is_regular.then(|| sound(EveryDays::try_from(PACK))).transpose()?;
        let prescription = |(medicine, dosage): &(&str, &str)| {
            Ok(NewPrescription {
                details: PrescriptionDetails {
                    dosage: sound(ShortText::new(*dosage))?.into(),
                    is_regular: self.is_regular.into(),
                    ..PrescriptionDetails::default()
                },
                every_days,
                ..NewPrescription::of(stock::medicine(medicine)?)
            })
        };
        self.medicines.iter().map(prescription).collect()
    }
}
