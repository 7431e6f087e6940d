//! The stock of a medicine in answers.

use serde::Serialize;

use crate::{
    model::{Amount, Basis, Date, Lot, LotText, MedicineName, Policy, ServiceLevel, Stock, Units},
    service::LiveStock,
    stock::Levels,
};

/// The stock of a medicine. The journal shows it without the lots, which its movements
/// tell, and without the figures that depend on the day.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StockView<'a> {
    medicine: &'a MedicineName,
    unit: &'a str,
    pack_units: i64,
    supply_units: i64,
    keep_days: i64,
    held: bool,
    ordered: Amount,
    policy: Policy,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<Amount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<Amount>,
    min_days: i64,
    max_days: i64,
    lead_days: i64,
    review_days: i64,
    service_level: ServiceLevel,
    basis: Basis,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_hand: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expired: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usable: Option<i64>,
    reserved: Amount,
    #[serde(skip_serializing_if = "Option::is_none")]
    available: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lots: Option<Vec<LotView<'a>>>,
}

/// An open lot.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LotView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    lot: Option<&'a LotText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<Date>,
    on_hand: Units,
    usable: bool,
}

impl<'a> StockView<'a> {
    /// Returns the view on a given day.
    pub(crate) fn live(live: &'a LiveStock) -> Self {
        let Levels { on_hand, expired, usable, available, .. } = live.levels();
        let lots = live.shelf.lots().iter().zip(live.usable()).map(|(lot, usable)| LotView::of(lot, usable));
        Self {
            on_hand: Some(on_hand),
            expired: Some(expired),
            usable: Some(usable),
            available: Some(available),
            lots: Some(lots.collect()),
            ..Self::stored(&live.stock)
        }
    }

    /// Returns the view of the stored record.
    pub(crate) fn stored(stock: &'a Stock) -> Self {
        let settings = &stock.settings;
        Self {
            medicine: &stock.medicine,
            unit: settings.unit.as_str(),
            pack_units: settings.pack_units.value(),
            supply_units: settings.supply_units.value(),
            keep_days: settings.keep_days.value(),
            held: settings.held,
            ordered: settings.ordered,
            policy: settings.policy,
            min: settings.min,
            max: settings.max,
            min_days: settings.min_days.value(),
            max_days: settings.max_days.value(),
            lead_days: settings.lead_days.value(),
            review_days: settings.review_days.value(),
            service_level: settings.service_level,
            basis: settings.basis,
            on_hand: None,
            expired: None,
            usable: None,
            reserved: stock.reserved,
            available: None,
            lots: None,
        }
    }
}

impl<'a> LotView<'a> {
    const fn of(lot: &'a Lot, usable: bool) -> Self {
        Self { lot: lot.id.lot.as_ref(), expires: lot.id.expires, on_hand: lot.on_hand, usable }
    }
}
