//! Money: invoices, their payment and their refund, receipts and takings (money.md).

pub(super) mod invoices;
pub(super) mod receipts;
pub(super) mod refunds;
pub(super) mod takings;
