//! Changes of the stock of a medicine, and of the supply of a prescription.

use http::{HeaderValue, StatusCode, header};

use crate::{
    model::MedicineName,
    rest::{
        body::{faults::Faults, form::Form},
        contract::{answer::Answer, input, problem::Problem, stock_input},
        http::{etag::Tag, path},
        operations::{request::Request, tags},
    },
    wire::Stock,
};

pub(in crate::rest::operations) async fn start(request: &Request<'_>) -> Result<Answer, Problem> {
    let (medicine, start) = of_medicine(request, stock_input::start)?;
    let (unit, details, opening) = start.ok_or(Problem::Internal)?;
    let started = request.care.start_stock(medicine.key().clone(), unit, details, opening).await?;
    let place = place(request, &started.record.stock.medicine);
    Ok(request.created("Stock", &Stock::from(&started.record), tags::of_stock(started.version, &started.record), place))
}

pub(in crate::rest::operations) async fn update(request: &Request<'_>) -> Result<Answer, Problem> {
    let (medicine, details) = of_medicine(request, stock_input::update)?;
    let updated = request.care.update_stock(medicine.key().clone(), details, request.expected()).await?;
    Ok(request.changed("Stock", &Stock::from(&updated.record), tags::of_stock(updated.version, &updated.record)))
}

pub(in crate::rest::operations) async fn end(request: &Request<'_>) -> Result<Answer, Problem> {
    request.care.end_stock(request.medicine()?, request.expected()).await?;
    Ok(Answer::new(StatusCode::NO_CONTENT))
}

pub(in crate::rest::operations) async fn move_units(request: &Request<'_>) -> Result<Answer, Problem> {
    let today = request.care.today()?;
    let (medicine, new) = of_medicine(request, |form, _| stock_input::movement(form, today))?;
    let made = request.care.move_stock(medicine.key().clone(), new.ok_or(Problem::Internal)?).await?;
    let place = request.location("movements", made.record.movement_id);
    Ok(request.created("Movement", &made.record, Tag::of(made.version), place))
}

pub(in crate::rest::operations) async fn reverse(request: &Request<'_>) -> Result<Answer, Problem> {
    let made = request.care.reverse_movement(request.identifier("movementId")?).await?;
    let place = request.location("movements", made.record.movement_id);
    Ok(request.created("Movement", &made.record, Tag::of(made.version), place))
}

pub(in crate::rest::operations) async fn count(request: &Request<'_>) -> Result<Answer, Problem> {
    let (medicine, count) = of_medicine(request, |form, _| stock_input::count(form))?;
    let (lines, note) = count.ok_or(Problem::Internal)?;
    let counted = request.care.count_stock(medicine.key().clone(), lines, note, request.expected()).await?;
    let place = place(request, &counted.record.stock.medicine);
    let answer =
        request.changed("Stock", &Stock::from(&counted.record), tags::of_stock(counted.version, &counted.record));
    Ok(answer.with_header(header::CONTENT_LOCATION, place))
}

pub(in crate::rest::operations) async fn update_supply(request: &Request<'_>) -> Result<Answer, Problem> {
    let (id, details) = request.of_the_path("prescriptionId", |form, id| Some(input::supply(form, id)))?;
    let updated = request.care.update_supply(id, details, request.expected()).await?;
    Ok(request.changed("Supply", &updated.record.prescription.supply(), tags::of_prescription(&updated)))
}

/// Returns the medicine in the path and the record in the body, or the faults of both.
fn of_medicine<T>(
    request: &Request<'_>,
    read: impl FnOnce(&mut Form<'_, '_>, Option<&MedicineName>) -> T,
) -> Result<(MedicineName, T), Problem> {
    let mut faults = Faults::default();
    let medicine = input::medicine("medicine", request.parameter, &mut faults);
    let record = request.read(&mut faults, |form| read(form, medicine.as_ref()))?;
    faults.into_result()?;
    Ok((medicine.ok_or(Problem::Internal)?, record))
}

/// Returns the path of a medicine's stock.
fn place(request: &Request<'_>, medicine: &MedicineName) -> HeaderValue {
    let name = path::encode_segment(medicine.as_str());
    let place = format!("{}/inventory/{name}/stock", request.contract.base());
    HeaderValue::try_from(place).unwrap_or(HeaderValue::from_static(""))
}
