//! Stock: the units of a medicine on the shelf.

use care_core::{
    model::{MedicineName, Movement, MovementId, Note, StockDetails, UnitName},
    service::{NewMovement, OpeningLot},
    stock::LotCount,
    store::{MovementFilter, StockFilter},
};
use http::Method;

use crate::{
    Call, CareClient, Pages, Stock,
    body::{CountBody, MovementBody, OpeningBody, StockBody},
};

impl CareClient {
    /// Starts tracking a medicine, counted in this unit, with the units that are there now.
    pub fn start_stock(
        &self,
        medicine: &MedicineName,
        unit: &UnitName,
        details: &StockDetails,
        opening: &[OpeningLot],
    ) -> Call<Stock> {
        // The unit has a parameter of its own, so callers need not repeat it in the details.
        let details = &StockDetails { unit: None, ..details.clone() };
        let body = StockBody { unit, details, opening: opening.iter().map(OpeningBody::from).collect() };
        Call::new(self, "startStock", Method::POST, &["inventory", medicine.as_str(), "stock"]).body(&body)
    }

    /// Reads the stock of a medicine.
    pub fn stock(&self, medicine: &MedicineName) -> Call<Stock> {
        Call::new(self, "getStock", Method::GET, &["inventory", medicine.as_str(), "stock"])
    }

    /// Changes the settings that the details set; the others keep their values.
    pub fn update_stock(&self, medicine: &MedicineName, details: &StockDetails) -> Call<Stock> {
        Call::new(self, "updateStock", Method::PUT, &["inventory", medicine.as_str(), "stock"]).body(details)
    }

    /// Stops tracking a medicine.
    pub fn end_stock(&self, medicine: &MedicineName) -> Call<()> {
        Call::new(self, "endStock", Method::DELETE, &["inventory", medicine.as_str(), "stock"])
    }

    /// Lists tracked medicines, sorted by name.
    pub fn stocks(&self, filter: &StockFilter) -> Pages<Stock> {
        let (client, filter) = (self.clone(), filter.clone());
        Pages::new(move || Call::new(&client, "listStock", Method::GET, &["stock"]).filter(&filter))
    }

    /// Records units that are received, returned or removed.
    pub fn move_stock(&self, medicine: &MedicineName, new: &NewMovement) -> Call<Movement> {
        let body = MovementBody::from(new);
        Call::new(self, "moveStock", Method::POST, &["inventory", medicine.as_str(), "movements"]).body(&body)
    }

    /// Reads a movement.
    pub fn movement(&self, id: MovementId) -> Call<Movement> {
        Call::new(self, "getMovement", Method::GET, &["movements", &id.to_string()])
    }

    /// Lists movements, sorted by number.
    pub fn movements(&self, filter: &MovementFilter) -> Pages<Movement> {
        let (client, filter) = (self.clone(), filter.clone());
        Pages::new(move || Call::new(&client, "listMovements", Method::GET, &["movements"]).filter(&filter))
    }

    /// Reverses a receipt or a removal.
    pub fn reverse_movement(&self, id: MovementId) -> Call<Movement> {
        Call::new(self, "reverseMovement", Method::POST, &["movements", &id.to_string(), "reversal"])
    }

    /// Corrects the stock to what was counted.
    pub fn count_stock(&self, medicine: &MedicineName, lines: &[LotCount], note: Option<&Note>) -> Call<Stock> {
        let body = CountBody::new(lines, note);
        Call::new(self, "countStock", Method::POST, &["inventory", medicine.as_str(), "count"]).body(&body)
    }
}
