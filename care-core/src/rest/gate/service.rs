//! The contract as a tower service, for every framework that mounts those.

use std::{
    convert::Infallible,
    future::poll_fn,
    mem,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use bytes::{BufMut, Bytes};
use futures_timer::Delay;
use futures_util::future::{Either, select};
use http::{HeaderValue, Request, Response, Version, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{LengthLimitError, Limited};
use tower_service::Service;

use super::{bodies::BodyPermit, run::BodyOutcome, settings::Api};

/// [`Api`] as a [tower service](Service) over any body, which it reads within its limits of size and time.
///
/// ```no_run
/// use care_core::rest::{Api, ApiService};
///
/// fn mount(api: Api, routes: axum::Router) -> axum::Router {
///     routes.fallback_service(ApiService::new(api))
/// }
/// # let _ = mount;
/// ```
///
/// It must see whole paths, which begin with the [base path](Api::with_base_path): axum's `nest_service` cuts them, and
/// `route_service("/1.0.0/{*rest}", …)` does not.
///
/// Dropping a call is safe at any time: a change happens as a whole or not at all. Put the
/// [`Peer`](super::throttle::Peer) into the extensions of a request, and a [`Principal`](crate::keys::Principal) where
/// the API wants one.
#[derive(Debug, Clone)]
pub struct ApiService {
    api: Api,
    body_timeout: Duration,
}

/// The whole body of an answer, in one piece.
#[derive(Debug)]
pub struct AnswerBody(Bytes);

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let body = mem::take(&mut self.0);
        Poll::Ready((!body.is_empty()).then(|| Ok(Frame::data(body))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}

impl ApiService {
    /// Returns the service over this API. A client has 30 seconds to send a body.
    pub const fn new(api: Api) -> Self {
        Self { api, body_timeout: Duration::from_secs(30) }
    }

    /// Sets the time in which a client must send a body. A slower one is answered 408.
    #[must_use]
    pub fn with_body_timeout(self, body_timeout: Duration) -> Self {
        Self { body_timeout, ..self }
    }

    async fn answer<B>(self, request: Request<B>) -> Response<AnswerBody>
    where
        B: Body + Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        B::Data: Send,
    {
        let (mut head, body) = request.into_parts();
        if body.is_end_stream() && head.version > Version::HTTP_11 {
            // There, the head need not say that there is no body.
            head.headers.entry(header::CONTENT_LENGTH).or_insert(HeaderValue::from_static("0"));
        }
        self.api.answer(head, |permit| self.receive(body, permit)).await.map(AnswerBody)
    }

    async fn receive<B>(&self, body: B, permit: BodyPermit) -> BodyOutcome
    where
        B: Body + Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        B::Data: Send,
    {
        if body.is_end_stream() {
            return BodyOutcome::Whole(Bytes::new());
        }
        match select(pin!(permit.read(body)), Delay::new(self.body_timeout)).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => BodyOutcome::TimedOut,
        }
    }
}

impl BodyPermit {
    /// Reads a body within its limit, without a limit of time, until it has to end in favour of others. The body is
    /// copied as it arrives: one in chunks of a byte would otherwise be held in thousands of parts.
    pub async fn read<B>(mut self, body: B) -> BodyOutcome
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let mut body = pin!(Limited::new(body, self.limit()));
        let mut whole = Vec::new();
        loop {
            let next = poll_fn(|context| match body.as_mut().poll_frame(context) {
                Poll::Ready(frame) => Poll::Ready(Some(frame)),
                Poll::Pending => self.poll_revoked(whole.len(), context).map(|()| None),
            });
            match next.await {
                None => return BodyOutcome::TimedOut,
                Some(None) => return BodyOutcome::Whole(whole.into()),
                Some(Some(frame)) => match frame.map(Frame::into_data) {
                    Ok(Ok(data)) => whole.put(data),
                    // Trailers mean nothing here.
                    Ok(Err(_)) => {}
                    Err(error) if error.is::<LengthLimitError>() => return BodyOutcome::TooLarge,
                    Err(_) => return BodyOutcome::Broken,
                },
            }
        }
    }
}

impl<B> Service<Request<B>> for ApiService
where
    B: Body + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    B::Data: Send,
{
    type Response = Response<AnswerBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    /// Returns ready at any time: the API itself refuses requests above its limits.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.answer(request).await) })
    }
}

#[cfg(test)]
mod tests {
    use futures_executor::block_on;
    use futures_util::future::pending;
    use http_body_util::{Full, StreamBody};

    use super::*;
    use crate::{
        keys::{KeyRing, Scopes},
        service::CareService,
        store::MemoryStore,
    };

    fn status<B>(body: B) -> u16
    where
        B: Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        B::Data: Send,
    {
        let keys = KeyRing::new().with_key("key", "desk", Scopes::ALL);
        let api = Api::new(CareService::new(MemoryStore::new())).with_keys(keys);
        let mut service = ApiService::new(api).with_body_timeout(Duration::from_millis(1));
        let request =
            Request::post("/1.0.0/patient").header("api_key", "key").header("content-type", "application/json");
        let answer = service.call(request.header("transfer-encoding", "chunked").body(body).unwrap());
        block_on(answer).unwrap().status().as_u16()
    }

    #[test]
    fn a_body_is_read_within_its_limit_and_its_time() {
        assert_eq!(status(Full::new(Bytes::from_static(b"{}"))), 201);
        assert_eq!(status(Full::new(Bytes::from(vec![b' '; 64 * 1024 + 1]))), 413);
        let stalled = futures_util::stream::once(pending::<Result<Frame<Bytes>, Infallible>>());
        assert_eq!(status(StreamBody::new(Box::pin(stalled))), 408);
        let broken = futures_util::stream::once(async { Err::<Frame<Bytes>, _>(std::io::Error::other("cut")) });
        assert_eq!(status(StreamBody::new(Box::pin(broken))), 400);
    }
}
