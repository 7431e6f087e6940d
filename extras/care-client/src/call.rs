//! A call of one operation.

use std::{fmt, marker::PhantomData, pin::Pin};

use care_core::{
    operation::{Operation, Segment},
    store::{Filter, Seq},
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{Answer, CareClient, ClientError, Tag, client::Outgoing};

/// The characters that are percent-encoded in path segments and in the query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A call of one operation that answers with a `T`. Nothing is sent until the call is awaited.
#[must_use = "nothing is sent until it is awaited"]
pub struct Call<T> {
    client: CareClient,
    operation: Operation,
    method: Method,
    path: Result<String, ClientError>,
    query: String,
    headers: HeaderMap,
    body: Option<Value>,
    answer: PhantomData<fn() -> T>,
}

/// Defines the methods of operations, as the table has them.
macro_rules! methods {
    ($($(#[$doc:meta])+ $operation:ident $id:literal $method:ident $path:literal $facts:tt run $run:tt
        client $client:tt)*) => {
        const fn method(operation: Operation) -> Method {
            match operation {
                $(Operation::$operation => Method::$method,)*
            }
        }
    };
}

care_core::operations!(methods);

/// A future that owns everything it needs.
type Sending<T> = Pin<Box<dyn Future<Output = Result<T, ClientError>> + Send>>;

impl<T> Call<T> {
    /// Makes a call of an operation, with these values for the parameters of its path.
    pub(crate) fn new(client: &CareClient, operation: Operation, values: &[&str]) -> Self {
        let (mut path, mut values) = (Ok(String::new()), values.iter());
        for segment in operation.segments() {
            let segment = match segment {
                Segment::Literal(text) => text,
                Segment::Parameter(_) => values.next().copied().unwrap_or_default(),
            };
            // URL parsers drop dot segments, even escaped ones.
            path = match path {
                _ if matches!(segment, "." | ".." | "") => Err(ClientError::Unsendable("a path with such a name")),
                Ok(path) => Ok(format!("{path}/{}", utf8_percent_encode(segment, PLAIN))),
                Err(error) => Err(error),
            };
        }
        Self {
            client: client.clone(),
            operation,
            method: method(operation),
            path,
            query: String::new(),
            headers: HeaderMap::new(),
            body: None,
            answer: PhantomData,
        }
    }

    /// Returns the operation's identifier, as in the OpenAPI document.
    pub fn operation(&self) -> &'static str {
        self.operation.id()
    }

    /// Returns the HTTP method.
    pub const fn method(&self) -> &Method {
        &self.method
    }

    /// Sends `If-Match` with this tag: if the record has changed since, the service answers 412 and does nothing.
    pub fn expecting(self, tag: &Tag) -> Self {
        self.header(header::IF_MATCH, tag.0.clone())
    }

    /// Asks for the record as it was after this journal entry. The key also needs the scope `admin`.
    pub fn as_of(self, seq: Seq) -> Self {
        self.query("version", Some(seq.value().to_string()))
    }

    /// Sends this `Idempotency-Key`, under which the service runs the call once within a day, even if the caller itself
    /// restarts in between. Without it, each call generates a key of its own and still runs only once, however often
    /// its answer is lost.
    ///
    /// The service heeds the key of a `POST`. A `PUT` or a `DELETE` is done again; give it an
    /// [expected](Self::expecting) tag.
    ///
    /// A key that is not a valid header value fails the call.
    pub fn once(mut self, key: &str) -> Self {
        match HeaderValue::from_str(key) {
            Ok(key) => self.header(IDEMPOTENCY_KEY, key),
            Err(_) => {
                self.path = Err(ClientError::Unsendable("the Idempotency-Key"));
                self
            }
        }
    }

    pub(crate) fn query(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            self.query.push(if self.query.is_empty() { '?' } else { '&' });
            self.query += name;
            self.query.push('=');
            self.query.extend(utf8_percent_encode(&value.to_string(), PLAIN));
        }
        self
    }

    /// Adds the parameters of a filter.
    pub(crate) fn asking(self, filter: &impl Filter) -> Self {
        filter.parameters().into_iter().fold(self, |call, (name, value)| call.query(name, Some(value)))
    }

    /// Sets the record in the body.
    pub(crate) fn body(mut self, body: &impl Serialize) -> Self {
        self.body = Some(written(body));
        self
    }

    /// Sets a member of the record in the body, if it has a value.
    pub(crate) fn member(mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Self {
        let value = written(value);
        let body = self.body.get_or_insert_with(|| Value::Object(Map::new()));
        if let (Value::Object(members), false) = (body, value.is_null()) {
            members.insert(name.to_owned(), value);
        }
        self
    }

    fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    fn outgoing(self) -> Result<(CareClient, Outgoing), ClientError> {
        let Self { client, method, path, query, mut headers, body, .. } = self;
        if method == Method::POST && !headers.contains_key(&IDEMPOTENCY_KEY) {
            let mut bits = [0; 16];
            getrandom::fill(&mut bits).map_err(|error| ClientError::Setup(error.into()))?;
            let digits: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
            let key = HeaderValue::from_str(&digits).map_err(|_| ClientError::Unsendable("the Idempotency-Key"))?;
            headers.insert(IDEMPOTENCY_KEY, key);
        }
        Ok((
            client,
            Outgoing { method, target: path? + &query, headers, body: body.map(|body| body.to_string().into_bytes()) },
        ))
    }
}

impl<T: DeserializeOwned> Call<T> {
    /// Sends the call, retrying as often as is safe, and reads the answer.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn send(self) -> Result<Answer<T>, ClientError> {
        let (client, request) = self.outgoing()?;
        let answer = client.exchange(&request).await?;
        read(&answer.body).map(|record| Answer::new(record, &answer.headers))
    }

    /// Sends `If-None-Match` with this tag; returns `None` if the record has not changed.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn unless(self, tag: &Tag) -> Result<Option<Answer<T>>, ClientError> {
        let (client, request) = self.header(header::IF_NONE_MATCH, tag.0.clone()).outgoing()?;
        let answer = client.exchange(&request).await?;
        match answer.status {
            StatusCode::NOT_MODIFIED => Ok(None),
            _ => read(&answer.body).map(|record| Some(Answer::new(record, &answer.headers))),
        }
    }
}

impl<T: DeserializeOwned + 'static> IntoFuture for Call<T> {
    type Output = Result<Answer<T>, ClientError>;
    type IntoFuture = Sending<Answer<T>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// Returns a record as JSON. The model's types can always be written.
fn written(record: &(impl Serialize + ?Sized)) -> Value {
    serde_json::to_value(record).unwrap_or_default()
}

/// Reads a record from JSON. An empty body counts as `null`: that is what a deletion answers.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ClientError> {
    let body = if body.is_empty() { b"null" } else { body };
    serde_json::from_slice(body).map_err(|error| ClientError::Unreadable(reason(&error).into()))
}

/// Returns where the answer deviates from what was expected. The error's own text is left out because it may quote a
/// value.
fn reason(error: &serde_json::Error) -> String {
    format!("it is not as expected in line {}, column {}", error.line(), error.column())
}

impl<T> fmt::Debug for Call<T> {
    /// Shows the operation, and nothing that is sent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("operation", &self.operation()).finish_non_exhaustive()
    }
}
