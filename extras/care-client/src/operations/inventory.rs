//! The inventory and the restock report.

use care_core::{
    model::{Date, Item, ItemDetails, MedicineName, Patch, StockDetails},
    service::RestockReport,
    stock::Backtest,
};
use http::Method;

use super::day;
use crate::{Call, CareClient, Pages, RestockQuery};

impl CareClient {
    /// Adds a medicine.
    pub fn add_medicine(&self, medicine: &MedicineName, details: &ItemDetails) -> Call<Item> {
        Call::new(self, "addMedicine", Method::POST, &["inventory", medicine.as_str()]).body(details)
    }

    /// Reads a medicine.
    pub fn medicine(&self, medicine: &MedicineName) -> Call<Item> {
        Call::new(self, "getMedicine", Method::GET, &["inventory", medicine.as_str()])
    }

    /// Changes the fields that the details set; the others keep their values.
    pub fn update_medicine(&self, medicine: &MedicineName, details: &ItemDetails) -> Call<Item> {
        Call::new(self, "updateMedicine", Method::PUT, &["inventory", medicine.as_str()]).body(details)
    }

    /// Removes a medicine.
    pub fn remove_medicine(&self, medicine: &MedicineName) -> Call<()> {
        Call::new(self, "deleteMedicine", Method::DELETE, &["inventory", medicine.as_str()])
    }

    /// Lists the inventory, sorted by name.
    pub fn medicines(&self) -> Pages<Item> {
        let client = self.clone();
        Pages::new(move || Call::new(&client, "listMedicines", Method::GET, &["inventory"]))
    }

    /// Reads the restock report.
    pub fn restock(&self, query: RestockQuery) -> Call<RestockReport> {
        Call::new(self, "getRestock", Method::GET, &["restock"])
            .query("from", day(query.from))
            .query("to", day(query.to))
            .query("limit", query.limit.map(|limit| limit.to_string()))
    }

    /// Replays ordering policies against the history of a medicine. Only the ordering settings of the details matter.
    pub fn backtest(
        &self,
        medicine: &MedicineName,
        from: Option<Date>,
        to: Option<Date>,
        details: &StockDetails,
    ) -> Call<Backtest> {
        fn set<T: Clone, U>(patch: &Patch<T>, write: impl FnOnce(T) -> U) -> Option<U> {
            patch.clone().value().map(write)
        }
        Call::new(self, "backtestRestock", Method::GET, &["restock", "backtest"])
            .query("medicine", Some(medicine.as_str()))
            .query("from", day(from))
            .query("to", day(to))
            .query("policy", set(&details.policy, |policy| policy.as_str()))
            .query("min", set(&details.min, |min| min.value().to_string()))
            .query("max", set(&details.max, |max| max.value().to_string()))
            .query("minDays", set(&details.min_days, |days| days.value().to_string()))
            .query("maxDays", set(&details.max_days, |days| days.value().to_string()))
            .query("leadDays", set(&details.lead_days, |days| days.value().to_string()))
            .query("reviewDays", set(&details.review_days, |days| days.value().to_string()))
            .query("serviceLevel", set(&details.service_level, |level| i64::from(level).to_string()))
            .query("basis", set(&details.basis, |basis| basis.as_str()))
    }
}
