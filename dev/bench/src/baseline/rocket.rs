//! The hand-written server in Rocket.

use rocket::{
    Config, Data, State,
    config::LogLevel,
    data::ToByteUnit,
    fairing::AdHoc,
    get,
    http::{ContentType, Status},
    put, routes,
};

use super::access::Access;
use crate::Failure;

type Answer = Result<(ContentType, Vec<u8>), Status>;

pub(crate) async fn serve(access: Access) -> Result<(), Failure> {
    let config = Config { port: 0, log_level: LogLevel::Off, ..Config::release_default() };
    rocket::custom(config)
        .manage(access)
        .mount("/1.0.0", routes![patient, prescription, update])
        .attach(AdHoc::on_liftoff("Listening", |rocket| {
            println!("listening on http://{}:{}/1.0.0", rocket.config().address, rocket.config().port);
            Box::pin(async {})
        }))
        .launch()
        .await
        .map_err(|error| error.to_string())?;
    Ok(())
}

#[get("/patient/<id>")]
async fn patient(id: i64, access: &State<Access>) -> Answer {
    answer(access.patient(id))
}

#[get("/prescriptions/<id>")]
async fn prescription(id: i64, access: &State<Access>) -> Answer {
    answer(access.prescription(id))
}

#[put("/patient", data = "<body>")]
async fn update(body: Data<'_>, access: &State<Access>) -> Answer {
    match body.open(64.kibibytes()).into_bytes().await {
        Ok(body) => answer(access.update(&body).await),
        Err(_) => Err(Status::BadRequest),
    }
}

fn answer(answer: Result<Option<Vec<u8>>, Failure>) -> Answer {
    match answer {
        Ok(Some(body)) => Ok((ContentType::JSON, body)),
        Ok(None) => Err(Status::NotFound),
        Err(_) => Err(Status::InternalServerError),
    }
}
