//! PostgreSQL as a typical hand-written server uses it: a pool of connections with prepared statements.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::{Client, NoTls, Row, Statement};

use super::record::{Patient, Prescription, SELECT, UPDATE, date};
use crate::Failure;

/// The number of connections that read, as in the service.
const READERS: usize = 8;
/// The number of connections that write: one for each client of the benchmark.
const WRITERS: usize = 64;

/// A day in seconds.
const DAY: u64 = 86_400;

/// Locks the row that is about to change.
const LOCK: &str = "SELECT patient_id FROM patient WHERE patient_id = $1 FOR UPDATE";
/// The numbers of prescriptions come from a sequence, which no transaction waits for.
const PRESCRIBE: &str = "INSERT INTO prescription (version, prescription_id, consultation_id, patient_id, \
     medicine_key, medicine, prescribed, state, dispensed) VALUES (1, nextval('prescription_number'), 1, $1, \
     lower($2), $2, $3, 'active', false)";
/// The count of a medicine on a day, for which all transactions wait: the last statement of each.
const COUNT: &str = "INSERT INTO demand (version, day, medicine_key, medicine, prescribed, regular, dispensed, \
     wanted_units, wanted_unnamed, waiting_units, waiting_unnamed) VALUES (1, $1, lower($2), $2, 1, 0, 0, 0, 1, 0, 1) \
     ON CONFLICT (day, medicine_key) DO UPDATE SET prescribed = demand.prescribed + 1, \
     wanted_unnamed = demand.wanted_unnamed + 1, waiting_unnamed = demand.waiting_unnamed + 1";
const PRESCRIPTION: &str = "SELECT patient_id, medicine, dosage, is_regular, price, currency, medicine_key \
     FROM prescription WHERE prescription_id = $1";
const AVAILABLE: &str = "SELECT is_available FROM item WHERE medicine_key = $1";

/// Connections that read, and others that write.
#[derive(Debug)]
pub(super) struct Pools {
    readers: Pool,
    writers: Pool,
}

/// Connections, each opened when it is first needed, and used by one request at a time.
#[derive(Debug)]
struct Pool {
    address: String,
    places: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

/// A connection with its prepared statements.
#[derive(Debug)]
struct Connection {
    client: Client,
    prepared: HashMap<&'static str, Statement>,
}

/// A connection on loan from the pool. Dropping it returns it.
struct PooledConnection<'a> {
    connection: Option<Connection>,
    idle: &'a Mutex<Vec<Connection>>,
    _place: SemaphorePermit<'a>,
}

impl Pools {
    pub(super) fn open(address: &str) -> Self {
        let pool = |size| Pool { address: address.to_owned(), places: Semaphore::new(size), idle: Mutex::default() };
        Self { readers: pool(READERS), writers: pool(WRITERS) }
    }

    pub(super) async fn patient(&self, id: i64) -> Result<Option<Patient>, Failure> {
        let mut lent = self.readers.lend().await?;
        let (client, [select]) = lent.prepared([SELECT]).await?;
        Ok(client.query_opt(&select, &[&id]).await?.map(|row| patient(&row)))
    }

    /// Returns a prescription with two reads: its row, and the availability of its medicine.
    pub(super) async fn prescription(&self, id: i64) -> Result<Option<Prescription>, Failure> {
        let mut lent = self.readers.lend().await?;
        let (client, [select, available]) = lent.prepared([PRESCRIPTION, AVAILABLE]).await?;
        let Some(row) = client.query_opt(&select, &[&id]).await? else {
            return Ok(None);
        };
        let item = client.query_opt(&available, &[&row.get::<_, &str>(6)]).await?;
        Ok(Some(Prescription {
            patient_id: row.get(0),
            medicine: row.get(1),
            is_available: item.is_some_and(|item| item.get(0)),
            dosage: row.get(2),
            is_regular: row.get(3),
            price: row.get(4),
            currency: row.get(5),
        }))
    }

    /// Writes a patient, and returns whether there was one once the write is on disk.
    pub(super) async fn update(&self, patient: &Patient) -> Result<bool, Failure> {
        let mut lent = self.writers.lend().await?;
        let (client, [lock, update]) = lent.prepared([LOCK, UPDATE]).await?;
        let transaction = client.transaction().await?;
        if transaction.query_opt(&lock, &[&patient.patient_id]).await?.is_none() {
            return Ok(false);
        }
        let Patient { name, phone, insurance, patient_id, age, address, gender, weight, email, location, .. } = patient;
        let day = patient.day();
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 11] =
            [name, phone, insurance, age, address, gender, weight, email, location, &day, patient_id];
        transaction.execute(&update, &values).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Prescribes a medicine today, and counts it.
    pub(super) async fn prescribe(&self, prescription: &Prescription) -> Result<(), Failure> {
        let day = i32::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / DAY)?;
        let mut lent = self.writers.lend().await?;
        let (client, [prescribe, count]) = lent.prepared([PRESCRIBE, COUNT]).await?;
        let transaction = client.transaction().await?;
        let Prescription { patient_id, medicine, .. } = prescription;
        transaction.execute(&prescribe, &[patient_id, medicine, &day]).await?;
        transaction.execute(&count, &[&day, medicine]).await?;
        Ok(transaction.commit().await?)
    }
}

impl Pool {
    async fn lend(&self) -> Result<PooledConnection<'_>, Failure> {
        let place = self.places.acquire().await?;
        let idle = lock(&self.idle).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => Connection::open(&self.address).await?,
        };
        Ok(PooledConnection { connection: Some(connection), idle: &self.idle, _place: place })
    }
}

impl Connection {
    async fn open(address: &str) -> Result<Self, Failure> {
        let (client, connection) = tokio_postgres::connect(address, NoTls).await?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                eprintln!("error: {error}");
            }
        });
        Ok(Self { client, prepared: HashMap::new() })
    }
}

impl PooledConnection<'_> {
    /// Returns the client with these statements, prepared when they are first needed.
    async fn prepared<const N: usize>(
        &mut self,
        statements: [&'static str; N],
    ) -> Result<(&mut Client, [Statement; N]), Failure> {
        let Connection { client, prepared } = self.connection.as_mut().ok_or("no connection")?;
        for sql in statements {
            if !prepared.contains_key(sql) {
                prepared.insert(sql, client.prepare(sql).await?);
            }
        }
        Ok((client, statements.map(|sql| prepared[sql].clone())))
    }
}

impl Drop for PooledConnection<'_> {
    fn drop(&mut self) {
        lock(self.idle).extend(self.connection.take());
    }
}

fn lock(idle: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

fn patient(row: &Row) -> Patient {
    Patient {
        name: row.get(0),
        phone: row.get(1),
        insurance: row.get(2),
        patient_id: row.get(3),
        age: row.get(4),
        address: row.get(5),
        gender: row.get(6),
        weight: row.get(7),
        email: row.get(8),
        location: row.get(9),
        lastvisit: date(row.get(10)),
    }
}
