//! The records of use cases as answers show them: the root, the form, the entity tag and the path of each.

use serde::Serialize;

use crate::{
    model::{Invoice, MedicineName, Patient},
    rest::http::{etag::Tag, path},
    service::{LiveItem, LivePrescription, LiveStock},
    store::Seq,
    wire,
};

/// A record that answers show.
pub(crate) trait Shown {
    /// The root of its document in XML.
    const ROOT: &'static str;

    /// Returns its form as a single record.
    fn single(&self) -> impl Serialize;

    /// Returns it without the fields that the interface document does not show; `None` if it has no such field.
    fn documented(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Returns its form as an item of a list.
    fn listed(&self) -> impl Serialize {
        self.single()
    }

    /// Returns the tag of this version of it, which some answers share with what else they show.
    fn tag(&self, version: Seq) -> Tag {
        Tag::of(version)
    }

    /// Returns the path where it is read.
    fn path(&self, base: &str) -> String;
}

/// The supply of a prescription.
pub(super) struct Supplied(pub(super) LivePrescription);

impl Shown for Patient {
    const ROOT: &'static str = "Patient";

    fn single(&self) -> impl Serialize {
        self
    }

    fn documented(&self) -> Option<Self> {
        Some(self.clone().documented())
    }

    fn tag(&self, version: Seq) -> Tag {
        Tag { age: self.birth_date.and(self.age), ..Tag::of(version) }
    }

    fn path(&self, base: &str) -> String {
        numbered(base, "patient", self.patient_id.value())
    }
}

impl Shown for Invoice {
    const ROOT: &'static str = "Invoice";

    fn single(&self) -> impl Serialize {
        wire::Invoice::single(self)
    }

    fn listed(&self) -> impl Serialize {
        wire::Invoice::listed(self)
    }

    fn path(&self, base: &str) -> String {
        numbered(base, "invoice", self.invoice_id.value())
    }
}

impl Shown for LivePrescription {
    const ROOT: &'static str = "Prescription";

    fn single(&self) -> impl Serialize {
        wire::Prescription::single(&self.prescription, self.is_available)
    }

    fn listed(&self) -> impl Serialize {
        wire::Prescription::listed(&self.prescription, Some(self.is_available))
    }

    fn tag(&self, version: Seq) -> Tag {
        Tag::with_availability(version, self.is_available)
    }

    fn path(&self, base: &str) -> String {
        numbered(base, "prescriptions", self.prescription.prescription_id.value())
    }
}

impl Shown for Supplied {
    const ROOT: &'static str = "Supply";

    fn single(&self) -> impl Serialize {
        self.0.prescription.supply()
    }

    fn tag(&self, version: Seq) -> Tag {
        self.0.tag(version)
    }

    fn path(&self, base: &str) -> String {
        self.0.path(base) + "/supply"
    }
}

/// The tag of a tracked medicine depends on its availability.
impl Shown for LiveItem {
    const ROOT: &'static str = "Inventory";

    fn single(&self) -> impl Serialize {
        &self.item
    }

    fn tag(&self, version: Seq) -> Tag {
        match self.is_tracked {
            true => Tag::with_availability(version, self.item.is_available),
            false => Tag::of(version),
        }
    }

    fn path(&self, base: &str) -> String {
        of_medicine(base, &self.item.medicine)
    }
}

/// The tag depends on the lots that have expired.
impl Shown for LiveStock {
    const ROOT: &'static str = "Stock";

    fn single(&self) -> impl Serialize {
        wire::Stock::from(self)
    }

    fn tag(&self, version: Seq) -> Tag {
        Tag { past: Some(self.past()), ..Tag::of(version) }
    }

    fn path(&self, base: &str) -> String {
        of_medicine(base, &self.stock.medicine) + "/stock"
    }
}

/// Returns the path of a record with a number. Every answer to a change has one, and the formatter takes several times
/// the instructions.
pub(crate) fn numbered(base: &str, name: &str, number: i64) -> String {
    [base, "/", name, "/", itoa::Buffer::new().format(number)].concat()
}

fn of_medicine(base: &str, medicine: &MedicineName) -> String {
    [base, "/inventory/", &path::encode_segment(medicine.as_str())].concat()
}
