//! Patients, and the numbers of voided ones.

use care_core::{
    model::{Address, Date, Email, Name, Patient, ShortText, folded_name},
    store::Voided,
};

use super::{Cells, Stored, Table, Values, table};
use crate::error::Fault;

impl Stored for Patient {
    const TABLE: Table = table!(
        "patient",
        ["patient_id" int8],
        [
            "name" text,
            "folded_name" text derived,
            "phone" int8,
            "insurance" bool,
            "age" int4,
            "address" text,
            "gender" text,
            "weight" float8,
            "email" text,
            "location" text,
            "lastvisit" int4
        ]
    );

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        let patient_id = cells.number()?;
        let name = cells.maybe_text()?;
        Ok(Self {
            patient_id,
            name,
            phone: cells.maybe_number()?,
            insurance: cells.raw()?,
            age: cells.maybe_number()?,
            address: cells.maybe_text()?,
            gender: cells.maybe_text()?,
            weight: {
                let kilograms = cells.raw::<Option<f64>>()?;
                cells.model(kilograms.map(TryInto::try_into).transpose())?
            },
            email: cells.maybe_text()?,
            location: cells.maybe_text()?,
            lastvisit: cells.maybe_date()?,
        })
    }

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
        let Self { name, phone, insurance, patient_id, age, address, gender, weight, email, location, lastvisit } =
            self;
        let name = name.as_ref().map(Name::as_str);
        values.put(patient_id.value());
        values.put(name);
        values.put(name.map(folded_name));
        values.put(phone.map(|phone| phone.value()));
        values.put(insurance);
        values.put(age.map(|age| age.value()));
        values.put(address.as_ref().map(Address::as_str));
        values.put(gender.as_ref().map(ShortText::as_str));
        values.put(weight.map(|weight| weight.kilograms()));
        values.put(email.as_ref().map(Email::as_str));
        values.put(location.as_ref().map(ShortText::as_str));
        values.put(lastvisit.map(Date::unix_days));
        Ok(())
    }
}

impl Stored for Voided {
    const TABLE: Table = table!("voided", ["patient_id" int8], []);

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        Ok(Self { patient_id: cells.number()? })
    }

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
        let Self { patient_id } = self;
        values.put(patient_id.value());
        Ok(())
    }
}
