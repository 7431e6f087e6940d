//! The values that a request sets, judged by the rules of today.

use std::borrow::Cow;

use crate::{
    error::{Error, FieldError},
    model::{
        Currency, EveryDays, Invalid, Item, ItemDetails, Patch, Patient, PatientDetails, Prescription,
        PrescriptionDetails, Price, Quantity, Scalar, ShortText, Stock, StockDetails, Supply, SupplyDetails,
    },
};

/// The faults of new values. A value that is what is stored is not new: a rule that was tightened since then, or a
/// lower highest price, does not refuse it.
#[derive(Debug)]
pub(in crate::service) struct NewValues {
    highest_price: Price,
    faults: Vec<FieldError>,
}

/// The fields that an item and a prescription share, as they are stored.
#[derive(Debug, Clone, Copy, Default)]
struct Priced<'a> {
    dosage: Option<&'a ShortText>,
    price: Option<Price>,
    currency: Option<Currency>,
}

impl NewValues {
    /// Returns no faults yet. A price may be up to this one.
    pub(in crate::service) const fn up_to(highest_price: Price) -> Self {
        Self { highest_price, faults: Vec::new() }
    }

    /// Judges the values of a patient.
    pub(in crate::service) fn of_patient(
        mut self,
        details: &PatientDetails,
        stored: Option<&Patient>,
    ) -> Result<(), Error> {
        self.note(details.faults(stored));
        self.verdict()
    }

    /// Judges the values of an item.
    pub(in crate::service) fn of_item(mut self, details: &ItemDetails, stored: Option<&Item>) -> Result<(), Error> {
        let ItemDetails { is_available: _, dosage, is_regular: _, price, currency } = details;
        self.priced("", (dosage, *price, *currency), stored.map(Priced::from).unwrap_or_default());
        self.verdict()
    }

    /// Judges the values of a prescription.
    pub(in crate::service) fn of_prescription(
        mut self,
        details: &PrescriptionDetails,
        stored: Option<&Prescription>,
    ) -> Result<(), Error> {
        let stored = stored.map(|Prescription { dosage, price, currency, .. }| Priced {
            dosage: dosage.as_ref(),
            price: *price,
            currency: *currency,
        });
        self.prescription("", details, stored.unwrap_or_default());
        self.verdict()
    }

    /// Judges the settings of a stock.
    pub(in crate::service) fn of_stock(mut self, details: &StockDetails, stored: Option<&Stock>) -> Result<(), Error> {
        self.note(details.faults(stored.map(|stock| &stock.settings)));
        self.verdict()
    }

    /// Judges the supply of a prescription.
    pub(in crate::service) fn of_supply(mut self, details: &SupplyDetails, stored: &Supply) -> Result<(), Error> {
        self.note(details.faults(Some(stored)));
        self.verdict()
    }

    /// Judges the values of a new prescription and of its supply, whose defaults are those of an item. `place` stands
    /// before the names of its fields.
    pub(in crate::service) fn prescribed(
        &mut self,
        place: &str,
        details: &PrescriptionDetails,
        (quantity, every_days): (Option<Quantity>, Option<EveryDays>),
        item: Option<&Item>,
    ) {
        self.prescription(place, details, item.map(Priced::from).unwrap_or_default());
        self.judge::<Quantity>(within(place, "quantity"), &quantity.into(), None);
        self.judge::<EveryDays>(within(place, "everyDays"), &every_days.into(), None);
    }

    /// Returns the refusal, if there are faults.
    pub(in crate::service) fn verdict(self) -> Result<(), Error> {
        if self.faults.is_empty() { Ok(()) } else { Err(Error::Invalid(self.faults)) }
    }

    fn note(&mut self, faults: Vec<(&'static str, Invalid)>) {
        self.faults.extend(faults.into_iter().map(|(field, broken)| FieldError::new(field, broken.rule())));
    }

    fn prescription(&mut self, place: &str, details: &PrescriptionDetails, stored: Priced<'_>) {
        let PrescriptionDetails { dosage, is_regular: _, price, currency } = details;
        self.priced(place, (dosage, *price, *currency), stored);
    }

    fn priced(
        &mut self,
        place: &str,
        (dosage, price, currency): (&Patch<ShortText>, Patch<Price>, Patch<Currency>),
        stored: Priced<'_>,
    ) {
        self.judge(within(place, "dosage"), dosage, stored.dosage);
        if price.value().is_some_and(|price| price > self.highest_price && stored.price != Some(price)) {
            self.faults.push(FieldError::new(
                within(place, "price"),
                "must be at most the highest price that this server takes",
            ));
        }
        self.judge(within(place, "price"), &price, stored.price.as_ref());
        self.judge(within(place, "currency"), &currency, stored.currency.as_ref());
    }

    fn judge<T: Scalar + PartialEq>(&mut self, field: Cow<'static, str>, new: &Patch<T>, stored: Option<&T>) {
        if let Patch::Set(value) = new
            && let Err(broken) = value.check_new()
            && stored != Some(value)
        {
            self.faults.push(FieldError::new(field, broken.rule()));
        }
    }
}

/// Returns the name of a field below a place.
fn within(place: &str, name: &'static str) -> Cow<'static, str> {
    match place {
        "" => Cow::Borrowed(name),
        place => Cow::Owned([place, ".", name].concat()),
    }
}

/// Any price is allowed.
impl Default for NewValues {
    fn default() -> Self {
        Self::up_to(Price::clamped(Price::MAX))
    }
}

impl<'a> From<&'a Item> for Priced<'a> {
    fn from(Item { dosage, price, currency, .. }: &'a Item) -> Self {
        Self { dosage: dosage.as_ref(), price: *price, currency: *currency }
    }
}
