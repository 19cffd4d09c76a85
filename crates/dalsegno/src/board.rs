//! The board: the questions of a run, what is known of them, and what methods share.
//!
//! Methods read the open questions from the board and put answers and facts on it. The first certified answer
//! of a question wins. A defect, which is a certificate that is refuted, is never swallowed: it is told by
//! name, the method is not trusted with that question again, and the question stays open for others.
//!
//! Shared are the store of states, which all explicit methods extend, the formulas, and the stream of events.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dalsegno_certify::replay;
use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::explanation::Explanation;
use dalsegno_kripke::{Budget, Fault, Model, Predicate, Step, Stop};
use dalsegno_logic::{FormulaId, FormulaStore};

use crate::answer::{Answer, Cost, Evidence, Explained, Value};
use crate::asked::{About, Asked, PropertyFile, Understood};
use crate::automaton_run::AutomatonRun;
use crate::certificate;
use crate::error::Error;
use crate::event::{Answered, Event};
use crate::evidence;
use crate::facts::{Facts, Sum};
use crate::method::{Automata, Halt, Negation, Tool, Wanted};
use crate::problem::Problem;
use crate::proof;
use crate::question::{Property, Question, QuestionKind};
use crate::settings::Settings;
use crate::shorten::Violation;
use crate::source::Source;
use crate::store::Store;
use crate::survey::Survey;

/// A question with what is known of it.
pub(crate) struct Entry {
    pub(crate) asked: Asked,
    /// What it means, once there is a problem.
    pub(crate) understood: Option<Understood>,
    /// The question as passes have made it.
    pub(crate) now: Option<Question>,
    /// Whether another run answers it, about another model.
    elsewhere: bool,
    /// Whether nobody asks it any more.
    pub(crate) withdrawn: bool,
    pub(crate) answer: Option<Answer>,
    /// What went wrong with which method.
    failed: Vec<(Tool, Error)>,
    /// Why a method gave up last, and what it had looked at.
    stopped: Option<Stop>,
    tried: Cost,
    /// What was seen of the state space, if that is asked.
    survey: Option<Survey>,
}

impl Entry {
    pub(crate) fn new(asked: Asked) -> Self {
        Entry {
            asked,
            understood: None,
            now: None,
            elsewhere: false,
            withdrawn: false,
            answer: None,
            failed: Vec::new(),
            stopped: None,
            tried: Cost::default(),
            survey: None,
        }
    }

    /// What was seen of the state space, if that is asked; whoever met a fault, it ends the survey.
    fn survey(&mut self) -> Option<Survey> {
        let seen = self.survey.take();
        let fault = self.failed.iter().find_map(|(tool, error)| match error {
            Error::Model(_, text) => Some((*tool, text)),
            _ => None,
        });
        match fault {
            Some((tool, text)) if self.now == Some(Question::Survey) => {
                Some(Survey::fault(tool, text, seen))
            }
            _ => seen,
        }
    }

    /// The question with its answer, if it has one.
    pub(crate) fn answered<'a>(
        &'a self,
        number: usize,
        model: Option<&'a Model>,
    ) -> Option<Answered<'a>> {
        let answer = self.answer.as_ref()?;
        let without = Answered::without_model(number, &self.asked, answer);
        let Some(understood) = &self.understood else {
            return Some(without);
        };
        let property = understood.question.property();
        Some(Answered {
            formula: &understood.formula,
            logic: Some(understood.logic),
            dead_ends: understood.question.dead_ends(),
            existential: property.is_some_and(|p| p.existential),
            model: answer.own_model().or(model),
            ..without
        })
    }
}

/// What a run keeps between its turns.
pub(crate) struct State {
    pub(crate) source: Source,
    pub(crate) settings: Settings,
    pub(crate) entries: Mutex<Vec<Entry>>,
    pub(crate) formulas: Mutex<FormulaStore>,
    pub(crate) facts: Mutex<Facts>,
    pub(crate) store: Mutex<Store>,
    pub(crate) automata: Mutex<Automata>,
}

/// Why no path shows that a state is reachable.
const FAR: &str = "a path would show this, and finding one takes more work than may be spent on it";

/// Who hears of events.
pub type Hear<'h> = &'h mut (dyn FnMut(&Event<'_>) + Send);

/// The board of a run while it goes on.
pub struct Board<'r> {
    state: &'r State,
    budget: &'r Budget,
    hear: Mutex<Hear<'r>>,
    since: Mutex<Instant>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'r> Board<'r> {
    pub(crate) fn new(state: &'r State, budget: &'r Budget, hear: Hear<'r>) -> Self {
        Board {
            state,
            budget,
            hear: Mutex::new(hear),
            since: Mutex::new(Instant::now()),
        }
    }

    /// What the user gave.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.state.source
    }

    /// The problem.
    ///
    /// # Panics
    /// If the source has not been made one yet: only the skeleton of a coloured net works before that.
    #[must_use]
    pub fn problem(&self) -> &Arc<Problem> {
        self.state
            .source
            .ready()
            .expect("the source has been made a problem")
    }

    /// The choices of the user.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// All that the run may use.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        self.budget
    }

    /// Tells an event.
    pub fn tell(&self, event: &Event<'_>) {
        (locked(&self.hear))(event);
    }

    /// Tells how many states and transitions were seen.
    pub fn progress(&self, states: u64, transitions: u64) {
        self.tell(&Event::Progress {
            states,
            transitions,
        });
    }

    /// The formulas, for as long as nobody else needs them.
    pub(crate) fn formulas(&self) -> MutexGuard<'r, FormulaStore> {
        locked(&self.state.formulas)
    }

    /// The store of states, for as long as a method works on it.
    pub(crate) fn store(&self) -> MutexGuard<'r, Store> {
        locked(&self.state.store)
    }

    /// The automaton of the runs that a question about all runs must not find. It is made once, whoever asks first.
    pub(crate) fn negation(
        &self,
        question: &Question,
        wanted: Wanted,
        budget: &Budget,
    ) -> Result<Arc<Negation>, Halt> {
        if let Some(known) = locked(&self.state.automata).get(&wanted) {
            return Ok(known.clone());
        }
        // Nobody waits for the formulas or the automata while this one is made.
        let mut store = self.formulas().clone();
        let made = Negation::new(&mut store, question, wanted, self.settings(), budget)?;
        let mut automata = locked(&self.state.automata);
        Ok(automata.entry(wanted).or_insert(Arc::new(made)).clone())
    }

    /// As [`Board::negation`] for a question, by number, that a method is asked; the flag says whether it may be a TA that was
    /// given. None if there is none for it: then that has been noted.
    pub(crate) fn negation_for(
        &self,
        (number, question, livelocks): (usize, &Question, bool),
        tool: Tool,
        budget: &Budget,
    ) -> Result<Option<Arc<Negation>>, Stop> {
        let Some(wanted) = Wanted::new(question, self.settings(), livelocks) else {
            return Ok(None);
        };
        match self.negation(question, wanted, budget) {
            Ok(negation) => Ok(Some(negation)),
            Err(Halt::Stop(stop)) => Err(stop),
            Err(Halt::Error(error)) => {
                self.failed(number, tool, error);
                Ok(None)
            }
        }
    }

    /// The automaton that a search for violations of a question had, if there was one.
    fn searched(&self, number: usize) -> Option<Arc<Negation>> {
        let wanted = Wanted::new(&self.question(number), self.settings(), false)?;
        locked(&self.state.automata).get(&wanted).cloned()
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        locked(&self.state.entries)
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        locked(&self.state.facts)
    }

    /// The numbers of the open questions of some kinds that a method may be asked.
    #[must_use]
    pub fn open(&self, kinds: &[QuestionKind], tool: Tool) -> Vec<usize> {
        let entries = self.entries();
        let may = |entry: &Entry| {
            let kind = match &entry.now {
                Some(question) => Some(question.kind()),
                None => entry.asked.kind(),
            };
            let failed = entry.failed.iter().any(|(by, _)| *by == tool);
            let here = entry.answer.is_none() && !failed && !entry.elsewhere;
            here && kind.is_none_or(|kind| kinds.contains(&kind))
        };
        let open = entries.iter().enumerate().filter(|(_, entry)| may(entry));
        open.map(|(number, _)| number).collect()
    }

    /// The numbers of all open questions.
    #[must_use]
    pub fn all_open(&self) -> Vec<usize> {
        let entries = self.entries();
        let open = entries
            .iter()
            .enumerate()
            .filter(|(_, e)| e.answer.is_none());
        open.map(|(number, _)| number).collect()
    }

    /// Whether a question is open.
    #[must_use]
    pub fn is_open(&self, number: usize) -> bool {
        self.entries()[number].answer.is_none()
    }

    /// A question as it was asked.
    pub(crate) fn asked(&self, number: usize) -> Asked {
        self.entries()[number].asked.clone()
    }

    /// The texts of some questions; a file of several is one.
    pub(crate) fn texts(&self, numbers: &[usize]) -> Vec<String> {
        let entries = self.entries();
        let mut files: Vec<*const PropertyFile> = Vec::new();
        let mut texts = Vec::new();
        for &number in numbers {
            match &entries[number].asked.about {
                About::Formula(_, text) => texts.push(text.clone()),
                About::Automaton(file, _) => texts.push(file.propositions().join(" ")),
                About::Property(file, _) => {
                    if !files.contains(&Arc::as_ptr(file)) {
                        files.push(Arc::as_ptr(file));
                        texts.push(String::from_utf8_lossy(&file.bytes).into_owned());
                    }
                }
                About::Survey | About::Global(_) => {}
            }
        }
        texts
    }

    /// A question as passes have made it.
    pub(crate) fn question(&self, number: usize) -> Question {
        let entries = self.entries();
        entries[number]
            .now
            .clone()
            .expect("methods see questions that are understood")
    }

    /// The question about runs that a question, as passes have made it, is: see [`Question::about_runs`].
    pub(crate) fn about_runs(&self, number: usize) -> Option<Question> {
        let question = self.question(number);
        question.about_runs(&mut self.formulas(), self.problem().model())
    }

    /// The formula of a question as passes have made it, if it is one.
    pub(crate) fn property(&self, number: usize) -> Option<Property> {
        self.question(number).property().cloned()
    }

    /// The formula of a question as it was asked.
    pub(crate) fn given(&self, number: usize) -> Option<Property> {
        let entries = self.entries();
        let understood = entries[number].understood.as_ref()?;
        understood.question.property().cloned()
    }

    /// What a question means, if that is known.
    pub(crate) fn meaning(&self, number: usize) -> Option<Understood> {
        self.entries()[number].understood.clone()
    }

    /// Whether methods can be asked a question, or another run is.
    pub(crate) fn is_ready(&self, number: usize) -> bool {
        self.entries()[number].now.is_some()
    }

    /// Whether the model has no successor somewhere that a method has looked for this question.
    pub(crate) fn has_fault(&self, number: usize) -> bool {
        let failed = &self.entries()[number].failed;
        failed.iter().any(|(_, e)| matches!(e, Error::Model(..)))
    }

    /// Takes note of what a question means that another run answers.
    pub(crate) fn asked_elsewhere(&self, number: usize, understood: Understood) {
        let entry = &mut self.entries()[number];
        entry.now = Some(understood.question.clone());
        entry.understood = Some(understood);
        entry.elsewhere = true;
    }

    /// A question that is understood is answered by another run from now on.
    pub(crate) fn ask_elsewhere(&self, number: usize) {
        self.entries()[number].elsewhere = true;
    }

    /// A question that another run was to answer is answered here as well from now on.
    pub(crate) fn ask_here(&self, number: usize) {
        self.entries()[number].elsewhere = false;
    }

    /// Takes note of what a question means; where facts or passes answer it at once, it is answered.
    pub(crate) fn understood(&self, number: usize, understood: Understood, now: Question) {
        let asked = self.facts().ask(number, self.problem(), &now);
        {
            let mut entries = self.entries();
            entries[number].understood = Some(understood);
            entries[number].now = Some(now);
        }
        match asked {
            Ok(Some(value)) => self.answer(number, Answer::new(value, Tool::Structure)),
            Ok(None) => {}
            Err(error) => self.error(number, error),
        }
    }

    /// Puts a simpler formula in the place of that of a question.
    pub(crate) fn refine(&self, number: usize, formula: FormulaId) {
        if let Some(Question::Linear(property) | Question::Branching(property)) =
            &mut self.entries()[number].now
        {
            property.formula = formula;
        }
    }

    /// Answers a question, unless it has been; a formula of LTL is answered as if it were universal. Where
    /// the evidence is refuted, the answer is not given.
    pub fn answer(&self, number: usize, mut answer: Answer) {
        self.shorten(number, &mut answer);
        if let Err(error) = self.certify(number, &mut answer) {
            let tool = answer.by.unwrap_or(Tool::Structure);
            return self.failed(number, tool, error);
        }
        self.prove(number, &mut answer);
        self.put(number, answer);
    }

    /// Adds a proof to an answer that no run or path shows, if that is wanted.
    fn prove(&self, number: usize, answer: &mut Answer) {
        let decided = matches!(answer.value, Value::Truth(_) | Value::Survey(_));
        let path = matches!(
            answer.evidence,
            Some(Evidence::Run(_) | Evidence::Prefix(_) | Evidence::Path(_))
        );
        let Some(problem) = self.state.source.ready() else {
            return;
        };
        if !self.settings().proofs || !decided || path || !self.is_open(number) {
            return;
        }
        let Some(understood) = self.meaning(number) else {
            return;
        };
        let (asked, store) = (self.asked(number), self.formulas().clone());
        let way = self.settings().proof_way;
        let about = proof::Subject::new(problem, &asked, &understood, &store, &answer.value);
        let proved = about.and_then(|subject| subject.prove(way, answer.by, self.budget));
        answer.proof = Some(Box::new(proved));
    }

    /// Answers a question that was asked of the quotient of a coloured net, before there is a problem; evidence has been
    /// certified.
    pub(crate) fn answer_of_quotient(&self, number: usize, answer: Answer, asked: Understood) {
        if self.is_open(number) {
            self.entries()[number].understood = Some(asked);
            self.put(number, answer);
        }
    }

    /// A question cannot be answered by anybody.
    pub fn error(&self, number: usize, error: Error) {
        self.put(
            number,
            Answer {
                value: Value::Error(error),
                ..Answer::unknown(Stop::Cancelled)
            },
        );
    }

    fn put(&self, number: usize, mut answer: Answer) {
        // Answers are told in the order in which they are given.
        let mut hear = locked(&self.hear);
        let mut entries = self.entries();
        let entry = &mut entries[number];
        if entry.answer.is_some() {
            return;
        }
        let mut since = locked(&self.since);
        answer.cost.time = since.elapsed();
        *since = Instant::now();
        entry.answer = Some(answer);
        let model = self.state.source.ready().map(|problem| &**problem.model());
        if let Some(answered) = entry.answered(number, model) {
            hear(&Event::Answer(&answered));
        }
    }

    /// Looks for evidence with fewer steps.
    fn shorten(&self, number: usize, answer: &mut Answer) {
        let settings = self.settings();
        if !settings.evidence || !self.is_open(number) {
            return;
        }
        let linear = {
            let entries = self.entries();
            let understood = entries[number].understood.as_ref();
            match understood.map(|understood| &understood.question) {
                Some(Question::Linear(property)) => Some(property.clone()),
                _ => None,
            }
        };
        let (Some(property), Some(Evidence::Run(_) | Evidence::Prefix(_))) =
            (linear, &answer.evidence)
        else {
            return;
        };
        let store = self.formulas().clone();
        let violation = Violation {
            problem: self.problem(),
            store: &store,
            property: &property,
            searched: self.searched(number),
            settings,
        };
        if let Some(known) = answer.evidence.take() {
            let looked_at = answer.cost.explored.states;
            let short = violation.shorten(known, looked_at, self.budget);
            // A run is longer in a model that shows its steps, a prefix is not.
            let shown = !property.fires.is_empty() && matches!(short.evidence, Evidence::Prefix(_));
            answer.shortest = short.proved || (shown && answer.shortest);
            answer.evidence = Some(short.evidence);
        }
    }

    /// Checks the evidence of an answer on the problem and the question that were given.
    fn certify(&self, number: usize, answer: &mut Answer) -> Result<(), Error> {
        let evidence = self.settings().evidence;
        let question = {
            let entries = self.entries();
            let Some(understood) = &entries[number].understood else {
                return Ok(());
            };
            understood.question.clone()
        };
        let model = self.problem().model();
        if let (true, Value::Truth(value), Some((goal, if_reached))) =
            (evidence, &answer.value, certificate::goal(&question))
            && *value == if_reached
            && *goal != Predicate::True
            && !answer.shortest
        {
            match evidence::path_to(model, goal, self.budget) {
                // It was found breadth first.
                Some(path) => {
                    answer.shortest = true;
                    answer.evidence = Some(Evidence::Path(path));
                }
                None if answer.evidence.is_none() => answer.unshown = Some(FAR),
                None => {}
            }
        }
        if let Some(shown) = &answer.evidence {
            let asked = self.shown_by(number, &question, shown);
            let formulas = self.formulas();
            certificate::check(model, &formulas, &asked, shown)?;
            if evidence {
                let truth = certificate::truth(model, &formulas, &question, shown);
                answer.truth = truth.map(Box::new);
            }
            let settings = self.settings();
            if let (true, Question::Linear(property)) = (settings.automaton_run, &question) {
                let budget = self.budget;
                let run = AutomatonRun::new(model, &formulas, property, shown, settings, budget);
                answer.automaton_run = run.map(Box::new);
            }
            if settings.details {
                let budget = self.budget;
                let details =
                    certificate::details(model, &formulas, &question, shown, settings, budget);
                answer.details = Some(Box::new(details));
            }
        }
        if let (Question::Linear(property), Value::Truth(holds)) = (&question, &mut answer.value) {
            *holds = *holds != property.existential;
        }
        // A run or a path that answers a formula of branching time explains nothing of it.
        if matches!(question, Question::Branching(_)) && self.settings().answers_alone() {
            answer.evidence = None;
        }
        Ok(())
    }

    /// The question that evidence has to answer: the one that was asked, or what passes and methods have made of it.
    fn shown_by(&self, number: usize, asked: &Question, shown: &Evidence) -> Question {
        let mut asked = asked.clone();
        match (&mut asked, shown) {
            // Who wants to see a prefix wants one of the formula as it was asked.
            (Question::Linear(property), Evidence::Prefix(_)) if !self.settings().evidence => {
                if let Some(now) = self.property(number) {
                    property.formula = now.formula;
                }
            }
            (Question::Branching(_), Evidence::Path(_)) => asked = self.question(number),
            (Question::Branching(_), Evidence::Run(_)) => {
                asked = self.about_runs(number).unwrap_or(asked);
            }
            _ => {}
        }
        asked
    }

    /// Whether a bad prefix shows that a formula fails.
    pub(crate) fn is_refuted_by(&self, number: usize, path: &[Step]) -> Result<bool, Error> {
        let (Some(given), Some(now)) = (self.given(number), self.property(number)) else {
            return Ok(false);
        };
        let f = if self.settings().evidence {
            given.formula
        } else {
            now.formula
        };
        let formulas = self.formulas();
        let model = self.problem().model();
        match replay::refute_prefix(model, path, &formulas, f, given.meaning()) {
            Ok(()) => Ok(true),
            Err(replay::Error::NoViolation) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Checks an explanation of the answer to a question, over formulas of a copy of the store.
    ///
    /// # Errors
    /// If it is refuted.
    pub(crate) fn certify_explanation(
        &self,
        number: usize,
        store: &FormulaStore,
        explanation: &Explanation<FormulaId>,
    ) -> Result<Option<Explained>, Error> {
        let Some(given) = self.given(number) else {
            return Ok(None);
        };
        let model = self.problem().model();
        certificate::explained(model, store, &given, explanation).map(Some)
    }

    /// A method failed on a question and is not asked it again.
    pub fn failed(&self, number: usize, tool: Tool, error: Error) {
        if error.is_defect() {
            let name = self.entries()[number].asked.name.clone();
            self.tell(&Event::Defect {
                name: &name,
                by: tool,
                error: &error.to_string(),
            });
        }
        self.entries()[number].failed.push((tool, error));
    }

    /// The model cannot take a step: a method fails on these questions.
    pub(crate) fn fault(&self, open: &[usize], tool: Tool, fault: Fault) {
        let text = fault.describe(self.problem().model());
        for &number in open {
            if self.is_open(number) {
                self.failed(number, tool, Error::Model(fault, text.clone()));
            }
        }
    }

    /// A method gave up on a question, after it had looked at this much.
    pub(crate) fn tried(&self, number: usize, stop: Stop, cost: Option<Cost>) {
        let mut entries = self.entries();
        entries[number].stopped = Some(stop);
        if let Some(cost) = cost {
            entries[number].tried = cost;
        }
    }

    /// A method gave up to see the whole state space.
    pub(crate) fn saw_part(&self, number: usize, part: Survey) {
        let entry = &mut self.entries()[number];
        entry.survey = Some(match entry.survey.take() {
            Some(before) => before.and(part),
            None => part,
        });
    }

    /// The goals that are open, of these questions.
    pub(crate) fn open_goals(&self, open: &[usize]) -> Vec<(usize, Predicate)> {
        self.facts().open_goals(open)
    }

    /// The sums of these questions.
    pub(crate) fn open_sums(&self, open: &[usize]) -> Vec<(usize, Sum)> {
        self.facts().open_sums(open)
    }

    /// Whether a goal is decided.
    pub(crate) fn is_known(&self, goal: usize) -> bool {
        self.facts().is_known(goal)
    }

    /// Takes note that a goal is reachable, or that it is not.
    pub(crate) fn reachable(&self, goal: usize, reachable: bool, tool: Tool) {
        let users = self.facts().reachable(goal, reachable);
        for number in users {
            self.conclude(number, tool, None);
        }
    }

    /// Takes note that a path leads to a goal.
    pub(crate) fn reached_by(&self, goal: usize, path: &[Step], tool: Tool) {
        let users = self.facts().reachable(goal, true);
        for number in users {
            self.conclude(number, tool, Some(path));
        }
    }

    /// Takes note of a value of a sum.
    pub(crate) fn saw(&self, sum: usize, value: u64, tool: Tool) {
        let user = self.facts().saw(sum, value);
        if let Some(number) = user {
            self.conclude(number, tool, None);
        }
    }

    /// Takes note of a bound of a sum that is proved.
    pub(crate) fn bounded(&self, sum: usize, most: u64, tool: Tool) {
        let user = self.facts().bounded(sum, most);
        if let Some(number) = user {
            self.conclude(number, tool, None);
        }
    }

    /// The largest value of a sum is known; none if it has no bound.
    pub(crate) fn largest(&self, sum: usize, value: Option<u64>, tool: Tool) {
        let number = self.facts().user_of(sum);
        self.answer(number, Answer::new(Value::Bound(value), tool));
    }

    fn conclude(&self, number: usize, tool: Tool, path: Option<&[Step]>) {
        if !self.is_open(number) {
            return;
        }
        let value = self.facts().conclude(number);
        if let Some(value) = value {
            let question = self.question(number);
            let shows = certificate::goal(&question).map(|(_, if_reached)| if_reached);
            let path = path.filter(|_| shows.is_some_and(|v| value == Value::Truth(v)));
            let evidence = path.map(|path| Evidence::Path(path.to_vec()));
            self.answer(number, Answer::new(value, tool).shown_by(evidence));
        }
    }

    fn bounded_survey(&self, survey: Survey) -> Survey {
        match self.state.source.ready() {
            Some(problem) => survey.with_bound(problem),
            None => survey,
        }
    }

    /// Says of all open questions that they stay so.
    pub(crate) fn give_up(&self, stop: Option<Stop>) {
        for number in self.all_open() {
            let answer = {
                let mut entries = self.entries();
                let entry = &mut entries[number];
                let survey = entry.survey();
                let value = match (entry.failed.first(), survey) {
                    (Some((_, error)), None) => Value::Error(error.clone()),
                    (_, Some(mut survey)) => {
                        // A survey knows why it ended, unless everything has.
                        if let Some(stop) = stop {
                            survey = survey.given_up(stop);
                        }
                        Value::Survey(Box::new(self.bounded_survey(survey)))
                    }
                    (None, None) => {
                        Value::Unknown(stop.or(entry.stopped).unwrap_or(Stop::Cancelled))
                    }
                };
                let cost = std::mem::take(&mut entry.tried);
                Answer {
                    value,
                    cost,
                    ..Answer::unknown(Stop::Cancelled)
                }
            };
            self.put(number, answer);
        }
    }
}
