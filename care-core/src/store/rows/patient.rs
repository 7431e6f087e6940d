//! Patients, the numbers of voided ones, and histories.

use super::{Column, RowReader, RowWriter, Table, Tabular};
use crate::{
    model::{History, Name, Patient, folded_name},
    store::Voided,
};

impl Tabular for Patient {
    const TABLE: Table = Table {
        name: "patient",
        key: &[Column::big_int("patient_id")],
        columns: &[
            Column::text("name"),
            Column::text("folded_name").derived(),
            Column::big_int("phone").indexed(),
            Column::bool("insurance"),
            Column::int("age"),
            Column::text("address"),
            Column::text("gender"),
            Column::double("weight"),
            Column::text("email").indexed(),
            Column::text("location"),
            Column::int("lastvisit"),
        ],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        let patient_id = cells.number()?;
        let name = cells.maybe_text()?;
        Ok(Self {
            patient_id,
            name,
            phone: cells.maybe_number()?,
            insurance: cells.maybe_boolean()?,
            age: cells.maybe_number()?,
            address: cells.maybe_text()?,
            gender: cells.maybe_text()?,
            weight: {
                let kilograms = cells.maybe_double()?;
                cells.model(kilograms.map(TryInto::try_into).transpose())?
            },
            email: cells.maybe_text()?,
            location: cells.maybe_text()?,
            lastvisit: cells.maybe_date()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { name, phone, insurance, patient_id, age, address, gender, weight, email, location, lastvisit } =
            self;
        let name = name.as_ref().map(Name::as_str);
        cells.number(*patient_id)?;
        cells.put(name)?;
        cells.put(name.map(folded_name))?;
        cells.maybe_number(*phone)?;
        cells.put(*insurance)?;
        cells.maybe_number(*age)?;
        cells.maybe_text(address.as_ref())?;
        cells.maybe_text(gender.as_ref())?;
        cells.put(weight.map(|weight| weight.kilograms()))?;
        cells.maybe_text(email.as_ref())?;
        cells.maybe_text(location.as_ref())?;
        cells.maybe_date(*lastvisit)
    }
}

impl Tabular for Voided {
    const TABLE: Table = Table { name: "voided", key: &[Column::big_int("patient_id")], columns: &[] };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self { patient_id: cells.number()? })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { patient_id } = self;
        cells.number(*patient_id)
    }
}

impl Tabular for History {
    const TABLE: Table = Table {
        name: "history",
        key: &[Column::big_int("patient_id")],
        columns: &[
            Column::text("medicine"),
            Column::text("dosage"),
            Column::big_int("diseases"),
            Column::big_int("visits"),
            Column::int("lastvisit"),
        ],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            patient_id: cells.number()?,
            medicine: cells.maybe_text()?,
            dosage: cells.maybe_text()?,
            diseases: cells.count()?,
            visits: cells.count()?,
            lastvisit: cells.maybe_date()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { patient_id, medicine, dosage, diseases, visits, lastvisit } = self;
        cells.number(*patient_id)?;
        cells.maybe_text(medicine.as_ref())?;
        cells.maybe_text(dosage.as_ref())?;
        cells.count(*diseases)?;
        cells.count(*visits)?;
        cells.maybe_date(*lastvisit)
    }
}
