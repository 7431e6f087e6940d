//! Requests to a facade, in the order of the checks of operations.

use std::{borrow::Cow, pin::pin, sync::Arc};

use http::{Method, header};

use super::{
    exchange::{Exchange, Verdict},
    head::{self, Length},
};
use crate::{
    error::FieldError,
    model::Scopes,
    rest::{
        admission::Permit,
        contract::{
            answer::Answer,
            facade::{Facade, FacadeRequest, Load, Target},
            problem::Problem,
        },
        http::{lines, media, path},
    },
};

/// The methods of every path of a facade.
const ALLOW: &str = "GET, HEAD, OPTIONS";

impl Exchange {
    /// Returns the request as the facade sees it. The parts that cannot be decoded are left out.
    pub(super) fn facade_request<'a>(&'a self, facade: &dyn Facade) -> FacadeRequest<'a> {
        let Target { segments, query, address } = self.target(facade);
        FacadeRequest {
            headers: &self.head.headers,
            segments,
            query: query.as_deref().unwrap_or_default(),
            request_id: self.request_id(),
            scopes: self.principal.as_ref().map_or(Scopes::NONE, |principal| principal.scopes),
            address: address.as_deref(),
            page: self.api.settings.contract.limits().page,
        }
    }

    /// Returns the target of the request, which is decoded once.
    fn target(&self, facade: &dyn Facade) -> &Target {
        self.target.get_or_init(|| {
            let decoded = |raw| path::decode(raw).unwrap_or(Cow::Borrowed("")).into_owned();
            Target {
                segments: self.raw_segments().skip(1).map(decoded).collect(),
                query: path::parse_query(self.head.uri.query().unwrap_or_default()).ok(),
                address: self.address().map(|base| format!("{base}/{}", facade.prefix())),
            }
        })
    }

    /// Runs the checks of a request to a facade. Returns an answer when the head alone is enough for it.
    pub(super) async fn check_facade_head(&mut self, facade: &dyn Facade) -> Result<Verdict, Problem> {
        let plan = facade.plan(&self.target(facade).segments);
        if self.head.method == Method::OPTIONS && plan.is_some() {
            return Ok(Verdict::Answered(Answer::options(ALLOW)));
        }
        let is_read = matches!(self.head.method, Method::GET | Method::HEAD);
        // With another method, the log and the figures name no operation.
        self.plan = plan.filter(|_| is_read);
        let takes_key = plan.is_none_or(|plan| plan.needs.is_some());
        if takes_key {
            let principal = head::authenticate(&self.api, &self.head, true).await?;
            // No scope allows a method that no path has.
            let admitted = match is_read {
                true => self.admit(&principal),
                false => head::refuse_other_sites(&self.api, &self.head),
            };
            self.principal = Some(principal);
            admitted?;
        }
        if plan.is_none() {
            let is_undecodable = self.raw_segments().any(|raw| path::decode(raw).is_err());
            return Err(if is_undecodable { Problem::UndecodablePath } else { Problem::NoSuchPath });
        }
        let (head, length) = (&self.head, self.length);
        if !is_read {
            return Err(Problem::MethodNotAllowed { allow: ALLOW.to_owned() });
        }
        // Rocket takes a method out of a form's body, so a `GET` with one may have been sent as a `POST`.
        if length != Length::Known(0) && media::is_form(lines(&head.headers, header::CONTENT_TYPE)) {
            return Err(Problem::UnsupportedType);
        }
        if !media::encoding_is_identity(lines(&head.headers, header::CONTENT_ENCODING)) {
            return Err(Problem::EncodedBody);
        }
        if matches!(length, Length::Known(length) if length > self.api.settings.contract.limits().body) {
            return Err(Problem::TooLarge);
        }
        if self.target(facade).query.is_none() {
            return Err(Problem::Malformed(vec![FieldError::new("(query)", "must be percent-encoded UTF-8")]));
        }
        match takes_key {
            true => self.accept(),
            false => {
                let _thread = self.api.enter_keyless(&self.head).await?;
                self.run_facade(facade, Scopes::NONE, None, None).await.map(Verdict::Answered)
            }
        }
    }

    /// Answers a request to a facade under its own permit and within the deadline. Its body, if it has one, is not
    /// read.
    pub(super) async fn perform_facade(
        &self,
        facade: &dyn Facade,
        permit: Permit,
        memory: &mut Option<Permit>,
    ) -> Result<Answer, Problem> {
        let (principal, plan) = self.principal.as_ref().zip(self.plan).ok_or(Problem::Internal)?;
        let api = &self.api;
        let step = async {
            *memory = api.reserve_memory(plan.load, &permit).await?;
            let slot = api.await_slot(plan.load, &permit).await?;
            let renewed = self.unless_revoked(false).await?;
            let scopes = renewed.as_ref().unwrap_or(principal).scopes;
            let answer = self.run_facade(facade, scopes, slot, Some(&permit)).await?;
            self.unless_revoked(false).await?;
            permit.count(answer.length() as u64);
            self.reserve_more_memory(memory.as_ref(), &answer).await?;
            Ok(answer)
        };
        self.limited(|| true, pin!(step)).await
    }

    /// Returns the facade's answer, once the records that it shows are noted.
    async fn run_facade(
        &self,
        facade: &dyn Facade,
        scopes: Scopes,
        slot: Option<Permit>,
        permit: Option<&Permit>,
    ) -> Result<Answer, Problem> {
        let care = &self.api.settings.care;
        let request = FacadeRequest { scopes, ..self.facade_request(facade) };
        let answering = facade.answer(care, &request);
        let answer = match permit {
            Some(permit) => {
                let answering = async { Ok(answering.await?) };
                self.api.metered(permit, None, pin!(answering)).await?
            }
            None => answering.await?,
        };
        drop(slot);
        if let (true, Some((operation, keys)), Some(principal), Some(permit)) =
            (self.api.settings.contract.audits_reads(), answer.reads, &self.principal, permit)
        {
            let _slot = self.api.await_slot(Load::NOTE, permit).await?;
            care.acting_as(Arc::clone(&principal.name)).note_reads(operation, keys).await?;
        }
        Ok(answer.response.into())
    }

    /// Returns the segments below the base path, raw.
    fn raw_segments(&self) -> impl Iterator<Item = &str> {
        self.head.uri.path().strip_prefix(self.api.base_path()).unwrap_or_default().split('/').skip(1)
    }

    /// Returns the absolute address of the base path: the operator's, else that of the host that the client names, else
    /// the one that the server listens at.
    fn address(&self) -> Option<String> {
        if let Some(url) = &self.api.settings.public_url {
            return Some(url.to_string());
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
        let host =
            head::host(&self.head).filter(|host| !host.is_empty() && host.bytes().all(is_plain)).map(str::to_owned);
        let host = host.or_else(|| self.api.settings.listening.get().map(ToString::to_string))?;
        Some(format!("http://{host}{}", self.api.base_path()))
    }
}
