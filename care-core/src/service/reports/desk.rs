//! The records that wait for a next step at the front desk today, counted up to a bound.

use care_derive::{Filter, Record};

use crate::{
    error::Error,
    meter,
    model::{
        Consultation, ConsultationState, Currency, Date, Invalid, Invoice, InvoiceState, KeepDays, MedicineKey,
        MethodTotal, PatientConsultation, Prescription, Scope, Stock, values::words::words,
    },
    service::{
        CareService, CurrencyTotal, LiveItem, LivePrescription, LiveStock, TakingsPeriod, TakingsSums,
        base::{page::Page, waiting::Waiting},
    },
    store::{ConsultationFilter, InvoiceFilter, ItemFilter, StockFilter, Versioned},
};

/// The request for the day at the front desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Filter)]
pub struct DayQuery {
    /// Only this part, with up to 500 records.
    pub part: Option<DayPart>,
}

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayPart {
    /// The open consultations.
    OpenVisits,
    /// The active prescriptions that are not regular and have no unpaid invoice.
    WithoutInvoice,
    /// The unpaid invoices.
    Unpaid,
    /// The medicines that are prescribed and not available.
    OutWithDemand,
    /// The stocks that expire soon.
    Expiring,
    /// The medicines to order.
    Orders,
    /// The takings of the day.
    Taken,
}

// In the order of the members of the day.
words! {
    DayPart, "must be the name of a part",
    "openVisits" => OpenVisits, "withoutInvoice" => WithoutInvoice, "unpaid" => Unpaid,
    "outWithDemand" => OutWithDemand, "expiring" => Expiring, "orders" => Orders, "taken" => Taken
}

impl DayPart {
    /// Returns the scope that a key needs to see it.
    pub const fn scope(self) -> Scope {
        match self {
            Self::OpenVisits => Scope::HistoryRead,
            Self::WithoutInvoice => Scope::PrescriptionsRead,
            Self::Unpaid | Self::Taken => Scope::InvoiceRead,
            Self::OutWithDemand | Self::Expiring | Self::Orders => Scope::InventoryRead,
        }
    }
}

/// A sum in whole units of a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[record(document = "CurrencyAmount")]
pub struct CurrencyAmount {
    /// The currency; absent for invoices without one.
    pub currency: Option<Currency>,
    /// The sum.
    #[field(like = u64, example = 12)]
    pub amount: i64,
}

/// Sums of money, as far as they are exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sums<T> {
    /// The totals by currency, those without one last.
    pub totals: Vec<T>,
    /// The currencies with a sum beyond the range of exact numbers, in the same order. They are in no total.
    pub beyond: Vec<Option<Currency>>,
}

/// The number of records that are read at once.
const PAGE: usize = 250;
/// The number of pages that are read at most, so that the work is bounded however few of their records wait.
const PAGES: usize = 40;
/// The days before the last usable day of a lot on which it counts as expiring.
const EXPIRING_DAYS: i64 = 30;
/// The bytes of diseases that the shown consultations hold at most.
const DISEASES: usize = 1 << 20;

/// Takes the kept records out as a page.
fn shown_page<T>(found: &mut Waiting<Versioned<T>>) -> Page<T> {
    Page { items: std::mem::take(&mut found.items), more: false }
}

/// Counts the records that a list has in its pages, and keeps the first ones. Each page comes with the place at which
/// the next one begins.
async fn waiting<T, C, F: Future<Output = Result<(Vec<T>, Option<C>), Error>>>(
    first: usize,
    read: impl Fn(Option<C>) -> F,
    mut each: impl FnMut(&T),
) -> Result<Waiting<T>, Error> {
    let (mut found, mut after) = (Waiting::new(), None);
    for _ in 0..PAGES {
        meter::pass().await;
        let (records, next) = read(after).await?;
        for record in records {
            if found.count < Waiting::<T>::MOST {
                each(&record);
            }
            if !found.add(record, first) {
                return Ok(found);
            }
        }
        if next.is_none() {
            return Ok(found);
        }
        after = next;
    }
    found.more = true;
    Ok(found)
}

impl CareService {
    /// Returns the open consultations by number, the first of them whole.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn open_visits(&self, first: usize) -> Result<Waiting<PatientConsultation>, Error> {
        let read = |after| async move {
            let filter = ConsultationFilter { state: Some(ConsultationState::Open), ..ConsultationFilter::default() };
            let page = self.page(Consultation::list(&filter, after), PAGE).await?;
            let next = page.cursor();
            Ok((page.items, next))
        };
        let mut found = waiting(first, read, |_| {}).await?;
        let shown = self.with_diagnoses(shown_page(&mut found), DISEASES).await?;
        Ok(found.showing(shown.items))
    }

    /// Returns the active prescriptions by number that do not recur and have no unpaid invoice.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn without_invoice(&self, first: usize) -> Result<Waiting<LivePrescription>, Error> {
        let read = |after| async move {
            let page = self.page(Prescription::single(after), PAGE).await?;
            let next = page.cursor();
            let unpaid = |found: &Versioned<Prescription>| Invoice::unpaid(found.prescription_id);
            let invoiced = self.ask(|seen| {
                seen.need(page.items.iter().map(|found| unpaid(found).into()))?;
                let has_invoice = |found| Ok(seen.one(unpaid(found))?.is_some());
                page.items.iter().map(has_invoice).collect::<Result<Vec<_>, _>>()
            });
            let pairs = invoiced.await?.into_iter().zip(page.items);
            Ok((pairs.filter(|(has_invoice, _)| !has_invoice).map(|(_, found)| found).collect(), next))
        };
        let mut found = waiting(first, read, |_| {}).await?;
        let shown = self.with_availability(shown_page(&mut found)).await?;
        Ok(found.showing(shown.items))
    }

    /// Returns the unpaid invoices by number, and the totals of those that are counted. An invoice without a price is
    /// in no total.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn unpaid_invoices(&self, first: usize) -> Result<(Waiting<Invoice>, Sums<CurrencyAmount>), Error> {
        let read = |after| async move {
            let filter = InvoiceFilter { state: Some(InvoiceState::Unpaid), ..InvoiceFilter::default() };
            let page = self.invoices(filter, after, PAGE).await?;
            let next = page.cursor();
            Ok((page.items, next))
        };
        let mut totals = Vec::new();
        let mut found = waiting(first, read, |invoice: &Versioned<Invoice>| add(&mut totals, invoice)).await?;
        let shown = shown_page(&mut found);
        let (totals, beyond): (Vec<_>, Vec<_>) =
            totals.into_iter().partition(|total: &CurrencyAmount| total.amount <= MethodTotal::MOST);
        let beyond = beyond.into_iter().map(|total| total.currency).collect();
        Ok((found.showing(shown.items), Sums { totals, beyond }))
    }

    /// Returns the medicines of the inventory, by name, that are not available and have an active prescription.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn out_with_demand(&self, first: usize) -> Result<Waiting<LiveItem>, Error> {
        let read = |after: Option<MedicineKey>| async move {
            let page = self.items(ItemFilter::default(), after, PAGE).await?;
            let next = page.cursor();
            let out: Vec<_> = page.items.into_iter().filter(|found| !found.item.is_available).collect();
            let active = |found: &Versioned<LiveItem>| Prescription::active_for(found.item.medicine.key());
            let wanted = self.ask(|seen| {
                seen.need(out.iter().map(|found| active(found).into()))?;
                let is_wanted = |found| Ok(seen.one(active(found))?.is_some());
                out.iter().map(is_wanted).collect::<Result<Vec<_>, _>>()
            });
            let pairs = wanted.await?.into_iter().zip(out);
            Ok((pairs.filter(|(is_wanted, _)| *is_wanted).map(|(_, found)| found).collect(), next))
        };
        let mut found = waiting(first, read, |_| {}).await?;
        let shown = shown_page(&mut found);
        Ok(found.showing(shown.items))
    }

    /// Returns the tracked medicines, by name, with a lot that expires within 30 days and those that it must be kept
    /// for, or that has expired.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn expiring(&self, first: usize) -> Result<Waiting<LiveStock>, Error> {
        let today = self.today()?;
        let by = |keep_days: i64| today.plus_days(EXPIRING_DAYS + keep_days).unwrap_or(Date::MAX);
        let longest = Some(by(KeepDays::MAX));
        let read = |after: Option<MedicineKey>| async move {
            let stocks = Stock::list(&StockFilter { expires_to: longest, lot: None }, after);
            let mut page = self.page(stocks, PAGE).await?;
            let next = page.cursor();
            page.items.retain(|stock| stock.expires.is_some_and(|day| day <= by(stock.settings.keep_days.value())));
            Ok((page.items, next))
        };
        let mut found = waiting(first, read, |_| {}).await?;
        let shown = self.with_lots(shown_page(&mut found)).await?;
        Ok(found.showing(shown.items))
    }

    /// Returns the totals of today's takings, by currency and method.
    ///
    /// # Errors
    /// Those of [`takings`](Self::takings).
    pub async fn taken(&self) -> Result<Sums<CurrencyTotal>, Error> {
        let today = self.today()?;
        let sums = self.takings(TakingsPeriod { from: today, to: today }, None).total().await?;
        let TakingsSums { mut totals, beyond, .. } = sums;
        let mut beyond: Vec<_> = beyond.into_iter().map(|one| one.currency).collect();
        beyond.dedup();
        totals.retain(|total| !beyond.contains(&total.currency));
        Ok(Sums { totals, beyond })
    }
}

/// Adds the price of an invoice to the total of its currency.
fn add(totals: &mut Vec<CurrencyAmount>, invoice: &Invoice) {
    let Some(price) = invoice.price else {
        return;
    };
    let place = |currency: Option<Currency>| (currency.is_none(), currency);
    match totals.binary_search_by_key(&place(invoice.currency), |total| place(total.currency)) {
        // A thousand prices stay below the largest number.
        Ok(found) => totals[found].amount = totals[found].amount.saturating_add(price.value()),
        Err(here) => totals.insert(here, CurrencyAmount { currency: invoice.currency, amount: price.value() }),
    }
}
