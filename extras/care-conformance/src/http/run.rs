//! Running a case against a target.

use care_core::store::Seq;

use super::{
    judge::{answer::Answer, expect, invariants},
    target::{Connection, RunningTarget, Target},
    text::{
        case::{Case, Step},
        pattern::Names,
        request::{Form, Request},
    },
    world::World,
};

/// Runs a case, and its twin if it has one. Returns a readable text about the first failure.
pub(super) fn run(case: &Case, target: &dyn Target) -> Result<(), String> {
    let forms: &[Form] = match case.twins {
        true => &[Form::Json, Form::Xml],
        false => &[Form::Json],
    };
    forms.iter().try_for_each(|form| {
        run_as(case, *form, target).map_err(|failure| match case.twins {
            true => format!("as {form:?}, {failure}"),
            false => failure,
        })
    })
}

fn run_as(case: &Case, form: Form, target: &dyn Target) -> Result<(), String> {
    let world = target.world(&case.setting);
    let started = target.start(world.api());
    if case.sockets_only && !started.has_sockets() {
        return Ok(());
    }
    let mut play = Play {
        case,
        form,
        started: &started,
        connection: started.connect(),
        names: Names::from([("base".to_owned(), case.setting.base.clone())]),
        answers: Vec::new(),
    };
    let before = last(&world, Seq::ZERO);
    let mut written = before;
    for step in &case.steps {
        let request = Request::of(step, &case.setting.base, form, &play.names)
            .map_err(|reason| format!("line {}: {reason}", step.line))?;
        play.step(step, &request).map_err(|failure| {
            let answer = failure.answer.as_ref().map(Answer::shown);
            format!(
                "line {}: {}\n--- sent\n{}\n--- got\n{}",
                step.line,
                failure.reason,
                request.shown(),
                answer.as_deref().unwrap_or("nothing")
            )
        })?;
        let refused = play.answers.last().is_some_and(|answer| answer.status >= 400);
        let is_read = matches!(step.method.as_str(), "GET" | "HEAD" | "OPTIONS");
        let harmless = refused || is_read && !case.setting.audits_reads;
        let earlier = written;
        written = last(&world, earlier);
        if harmless && written != earlier {
            return Err(format!("line {}: the journal has changed\n--- sent\n{}", step.line, request.shown()));
        }
    }
    if case.traceless && written != before {
        return Err("the case left a trace in the journal".to_owned());
    }
    world.verify().map_err(|error| format!("the case left records that contradict each other: {error}"))
}

/// Returns the last entry of the journal. The search begins at a known one, since a journal only grows.
fn last(world: &World, known: Seq) -> Seq {
    world.journal(known).last().map_or(known, |entry| entry.seq)
}

/// A running case.
struct Play<'a> {
    case: &'a Case,
    form: Form,
    started: &'a RunningTarget,
    connection: Connection<'a>,
    names: Names,
    answers: Vec<Answer>,
}

struct Failure {
    reason: String,
    answer: Option<Answer>,
}

impl Play<'_> {
    fn step(&mut self, step: &Step, request: &Request) -> Result<(), Failure> {
        let answer = match step.racers {
            Some(racers) => self.race(request, racers)?,
            None => self.exchange(request)?,
        };
        let verdict = invariants::check(request, &answer, &self.case.setting.base)
            .and_then(|()| expect::meet(step, &answer, &self.answers, &mut self.names));
        let verdict = verdict.map_err(|reason| Failure { reason, answer: Some(answer.clone()) });
        verdict?;
        if step.method == "GET" {
            self.head(request, &answer)?;
        }
        self.answers.push(answer);
        Ok(())
    }

    /// Checks that a `HEAD` is answered like the `GET`, without the body.
    fn head(&mut self, request: &Request, answer: &Answer) -> Result<(), Failure> {
        let request = Request { method: "HEAD".to_owned(), ..request.clone() };
        let head = self.exchange(&request)?;
        let verdict = invariants::check(&request, &head, &self.case.setting.base);
        let equal = head.essence() == Answer { body: Vec::new(), ..answer.essence() };
        let failure = |reason| Failure { reason, answer: Some(head) };
        match (verdict, equal) {
            (Err(reason), _) => Err(failure(format!("as HEAD: {reason}"))),
            (_, false) => Err(failure("as HEAD it is not answered like as GET".to_owned())),
            (Ok(()), true) => Ok(()),
        }
    }

    fn exchange(&mut self, request: &Request) -> Result<Answer, Failure> {
        self.connection.exchange(request).map_err(|reason| self.unanswered(&reason))
    }

    /// Lets several clients send the request at the same moment, and checks that their answers are equal.
    fn race(&self, request: &Request, racers: usize) -> Result<Answer, Failure> {
        let requests = vec![request.clone(); racers];
        let mut answers = self.started.at_once(&requests).map_err(|reason| self.unanswered(&reason))?;
        let last = answers.pop().ok_or_else(|| self.unanswered("nobody raced"))?;
        match answers.iter().find(|other| other.essence() != last.essence()) {
            None => Ok(last),
            Some(other) => {
                let reason =
                    format!("{racers} at once were answered in different ways, one of them\n{}", other.shown());
                Err(Failure { reason, answer: Some(last) })
            }
        }
    }

    fn unanswered(&self, reason: &str) -> Failure {
        Failure { reason: format!("as {:?}: {reason}", self.form), answer: None }
    }
}
