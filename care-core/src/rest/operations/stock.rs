//! Running the operations on stock.

use http::{HeaderValue, StatusCode, header};

use super::{request::Request, tags};
use crate::{
    model::MedicineName,
    rest::{
        body::{faults::Faults, form::Form},
        contract::{answer::Answer, input, operation::Operation, problem::Problem, stock_input, stock_view::StockView},
        http::{etag::Tag, path},
    },
    store::Versioned,
};

/// Runs an operation on the stock of a medicine, on a movement, or on the supply of a prescription.
pub(super) async fn run(request: &Request<'_>) -> Result<Answer, Problem> {
    let care = request.care;
    match request.operation {
        Operation::StartStock => {
            let (medicine, start) = of_medicine(request, stock_input::start)?;
            let (unit, details, opening) = start.ok_or(Problem::Internal)?;
            let started = care.start_stock(medicine.key().clone(), unit, details, opening).await?;
            let place = place(request, &started.record.stock.medicine);
            Ok(request.created("Stock", &StockView::live(&started.record), tags::of_stock(&started), place))
        }
        Operation::GetStock => {
            let found = care.stock(request.medicine()?).await?;
            Ok(request.found("Stock", &StockView::live(&found.record), tags::of_stock(&found)))
        }
        Operation::UpdateStock => {
            let (medicine, details) = of_medicine(request, stock_input::update)?;
            let updated = care.update_stock(medicine.key().clone(), details, request.expected()).await?;
            Ok(request.changed("Stock", &StockView::live(&updated.record), tags::of_stock(&updated)))
        }
        Operation::EndStock => {
            care.end_stock(request.medicine()?, request.expected()).await?;
            Ok(Answer::new(StatusCode::NO_CONTENT))
        }
        Operation::MoveStock => {
            let today = care.today()?;
            let (medicine, new) = of_medicine(request, |form, _| stock_input::movement(form, today))?;
            let made = care.move_stock(medicine.key().clone(), new.ok_or(Problem::Internal)?).await?;
            let place = request.location("movements", made.record.movement_id);
            Ok(request.created("Movement", &made.record, Tag::of(made.version), place))
        }
        Operation::GetMovement => {
            let Versioned { version, record } = care.movement(request.identifier("movementId")?).await?;
            Ok(request.found("Movement", &record, Tag::of(version)))
        }
        Operation::ReverseMovement => {
            let made = care.reverse_movement(request.identifier("movementId")?).await?;
            let place = request.location("movements", made.record.movement_id);
            Ok(request.created("Movement", &made.record, Tag::of(made.version), place))
        }
        Operation::CountStock => {
            let (medicine, count) = of_medicine(request, |form, _| stock_input::count(form))?;
            let (lines, note) = count.ok_or(Problem::Internal)?;
            let counted = care.count_stock(medicine.key().clone(), lines, note, request.expected()).await?;
            let place = place(request, &counted.record.stock.medicine);
            let answer = request.changed("Stock", &StockView::live(&counted.record), tags::of_stock(&counted));
            Ok(answer.with_header(header::CONTENT_LOCATION, place))
        }
        Operation::GetSupply => {
            let live = care.prescription(request.identifier("prescriptionId")?).await?;
            Ok(request.found("Supply", &live.record.supply(), tags::of_prescription(&live)))
        }
        Operation::UpdateSupply => {
            let mut faults = Faults::default();
            let id = input::identifier("prescriptionId", request.parameter, &mut faults);
            let details = request.read(&mut faults, |form| input::supply(form, id))?;
            faults.into_result()?;
            let updated = care.update_supply(id.ok_or(Problem::Internal)?, details, request.expected()).await?;
            Ok(request.changed("Supply", &updated.record.supply(), tags::of_prescription(&updated)))
        }
        _ => Err(Problem::Internal),
    }
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
