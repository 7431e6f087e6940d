//! The records that wait at the front desk.

use http::Method;

use crate::{Call, CareClient, Today};

impl CareClient {
    /// Reports on what waits at the front desk today, as far as the key may read it, with the first records of each
    /// part.
    pub fn today(&self) -> Call<Today> {
        Call::new(self, "getToday", Method::GET, &["today"])
    }

    /// Reports on one part of the day, such as `openVisits`, with up to 500 records.
    pub fn today_part(&self, part: &str) -> Call<Today> {
        self.today().query("part", Some(part))
    }
}
