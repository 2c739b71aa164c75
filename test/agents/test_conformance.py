"""The conformance check: clean agents have no findings, and each check finds an agent that is broken on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from small_worlds import blocks, blocks_agent

from assay.agents.agent import Access, Agent, AgentDescription, Determinism
from assay.agents.conformance import Check, Severity, check_agent
from assay.agents.questions import (
    ActionPreconditionQuery,
    Answer,
    Effort,
    FailedPrecondition,
    Observation,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    PolicySimulation,
    PolicySimulationQuery,
    Question,
    QuestionKind,
    Reachability,
    ReachStateQuery,
    Refusal,
    Verdict,
)
from assay.agents.symbolic import SymbolicAgent
from assay.agents.wrappers import AgentWrapper, CountingAgent
from assay.errors import AgentUnreachable, LogicError, Unsupported
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.model import CapabilityHeader, Predicate
from assay.logic.types import TypedName, TypeHierarchy

# Clean agents


@pytest.mark.parametrize("slippery", [False, True], ids=["deterministic", "stochastic"])
@pytest.mark.parametrize("access", Access)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_clean_agent_has_no_findings(access: Access, slippery: bool, seed: int) -> None:
    agent = CountingAgent(blocks_agent(access, slippery))
    assert check_agent(agent, seed) == []
    assert 50 <= agent.total_questions <= 130


@pytest.mark.parametrize("access", Access)
@pytest.mark.parametrize(
    "options",
    [{"reports_execution": False}, {"continues_after_refusal": False}, {"fixed_objects": True}, {"budget": 1}],
    ids=str,
)
def test_options_of_an_agent_are_no_findings(access: Access, options: dict[str, Any]) -> None:
    assert check_agent(SymbolicAgent(*blocks(), access, **options)) == []
    assert check_agent(SymbolicAgent(*blocks(slippery=True), access, **options)) == []


@pytest.mark.parametrize("kind", QuestionKind)
@pytest.mark.parametrize("access", Access)
def test_an_agent_that_answers_one_kind_has_no_findings(kind: QuestionKind, access: Access) -> None:
    assert check_agent(_Only(blocks_agent(access), frozenset({kind}))) == []


class _Only(AgentWrapper):
    """Answers only some kinds of questions."""

    def __init__(self, agent: Agent, kinds: frozenset[QuestionKind]) -> None:
        super().__init__(agent)
        self.kinds = kinds

    @property
    def description(self) -> AgentDescription:
        return replace(self.agent.description, supports=self.kinds)

    def ask(self, question: Question) -> Answer:
        if question.kind not in self.kinds:
            raise Unsupported(f"{question.kind.value} is not answered")
        return self.agent.ask(question)


# Broken agents


class Described(AgentWrapper):
    """Says something else of itself."""

    def __init__(self, agent: Agent, **changes: Any) -> None:
        super().__init__(agent)
        self.changes = changes

    @property
    def description(self) -> AgentDescription:
        return replace(self.agent.description, **self.changes)


class Spoiled(AgentWrapper):
    """Spoils its answers."""

    def __init__(self, agent: Agent, spoil: Callable[[Any, Any], Any]) -> None:
        super().__init__(agent)
        self.spoil = spoil

    def ask(self, question: Question) -> Answer:
        answer: Answer = self.spoil(question, self.agent.ask(question))
        return answer


class Changing(AgentWrapper):
    """Describes itself differently each time."""

    count = 0

    @property
    def description(self) -> AgentDescription:
        self.count += 1
        return replace(self.agent.description, name=f"agent-{self.count}")


class ChangingLate(AgentWrapper):
    """Describes itself differently after some questions."""

    asked = 0

    @property
    def description(self) -> AgentDescription:
        return replace(self.agent.description, name="late" if self.asked > 10 else "early")

    def ask(self, question: Question) -> Answer:
        self.asked += 1
        return self.agent.ask(question)


class Undescribed(AgentWrapper):
    """Has no description."""

    @property
    def description(self) -> AgentDescription:
        raise KeyError("no description")


class Raising(AgentWrapper):
    """Raises an error of Python's for every question of a kind."""

    kind = QuestionKind.OBSERVE

    def ask(self, question: Question) -> Answer:
        if question.kind is self.kind:
            raise ZeroDivisionError("oops")
        return self.agent.ask(question)


class RaisingForNonsense(AgentWrapper):
    """Looks names up without care."""

    def ask(self, question: Question) -> Answer:
        try:
            return self.agent.ask(question)
        except LogicError as fault:
            raise KeyError(str(fault)) from fault


class AnsweringNonsense(AgentWrapper):
    """Takes a step that it does not understand for a refused one."""

    def ask(self, question: Question) -> Answer:
        try:
            return self.agent.ask(question)
        except LogicError:
            return PlanOutcome(0, (False,), State(), Effort(1, 1))


class RaisingRefusals(AgentWrapper):
    """Raises where it should refuse."""

    def ask(self, question: Question) -> Answer:
        answer = self.agent.ask(question)
        if isinstance(answer, Refusal):
            raise LogicError(answer.reason)
        return answer


class Forgetful(AgentWrapper):
    """Does not set states: every question starts from a reset."""

    def ask(self, question: Question) -> Answer:
        return self.agent.ask(replace(question, initial=None, objects=()))


class RefusingStates(AgentWrapper):
    """Refuses all states."""

    def ask(self, question: Question) -> Answer:
        return self.agent.ask(question) if question.initial is None else Refusal("no")


class RefusingObjects(AgentWrapper):
    """Refuses fresh objects although its objects are not fixed."""

    def ask(self, question: Question) -> Answer:
        return Refusal("no") if question.objects else self.agent.ask(question)


class IgnoringFixedObjects(AgentWrapper):
    """Says that its objects are fixed and takes others."""

    @property
    def description(self) -> AgentDescription:
        return replace(self.agent.description, fixed_objects=True)


class Unseeded(AgentWrapper):
    """Ignores the seed."""

    def ask(self, question: Question) -> Answer:
        if isinstance(question, PlanOutcomeQuery | PolicySimulationQuery | ObserveQuery):
            question = replace(question, seed=None)
        return self.agent.ask(question)


class GoingOn(AgentWrapper):
    """Goes on after a refusal, asked or not."""

    def ask(self, question: Question) -> Answer:
        if isinstance(question, PlanOutcomeQuery):
            question = replace(question, continue_after_refusal=True)
        return self.agent.ask(question)


class NeverGoingOn(AgentWrapper):
    """Stops at a refusal, asked to go on or not."""

    def ask(self, question: Question) -> Answer:
        if isinstance(question, PlanOutcomeQuery):
            question = replace(question, continue_after_refusal=False)
        return self.agent.ask(question)


class OtherPolicy(AgentWrapper):
    """Follows another policy than the one asked for."""

    def ask(self, question: Question) -> Answer:
        if isinstance(question, PolicySimulationQuery):
            step = GroundCapability("pick-up", ("b",))
            rules = tuple(replace(rule, capability=step) for rule in question.policy.rules)
            question = replace(question, policy=replace(question.policy, rules=rules))
        return self.agent.ask(question)


class Overlong(AgentWrapper):
    """Does not keep to the limit on steps."""

    kind: QuestionKind = QuestionKind.OBSERVE

    def ask(self, question: Question) -> Answer:
        if isinstance(question, ObserveQuery):
            question = replace(question, max_steps=question.max_steps + 3)
        return self.agent.ask(question)


def _only_for(answer_class: type, change: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda question, answer: change(question, answer) if isinstance(answer, answer_class) else answer


def _spoiled(answer_class: type, change: Callable[[Any, Any], Any], **options: Any) -> Agent:
    return Spoiled(blocks_agent(**options), _only_for(answer_class, change))


def _refused_step_spoils(question: PlanOutcomeQuery, answer: PlanOutcome) -> PlanOutcome:
    if answer.prefix_length == len(question.plan):
        return answer
    return replace(answer, final_state=answer.final_state.with_atoms([Atom("on", ("a", "a"))]))


def _broken_chain(question: Question, answer: Observation) -> Observation:
    if len(answer.trace) < 2:
        return answer
    wrong = State((Atom("handempty"),))
    return replace(answer, trace=(replace(answer.trace[0], after=wrong), *answer.trace[1:]))


def _changing_refusal(question: Question, answer: PolicySimulation) -> PolicySimulation:
    def spoil(transition: Any) -> Any:
        return transition if transition.executed else replace(transition, after=State())

    runs = tuple(replace(run, transitions=tuple(map(spoil, run.transitions))) for run in answer.runs)
    return replace(answer, runs=runs)


def _goal_of_runs(question: Question, answer: PolicySimulation) -> PolicySimulation:
    return replace(answer, runs=tuple(replace(run, goal_reached=not run.goal_reached) for run in answer.runs))


def _early_end(question: PlanOutcomeQuery, answer: PlanOutcome) -> PlanOutcome:
    if not answer.executed or not all(answer.executed):
        return answer
    return replace(answer, executed=answer.executed[:-1], prefix_length=answer.prefix_length - 1)


def _no_effort(question: Question, answer: Any) -> Any:
    return replace(answer, effort=Effort())


def _in_words(state: Any) -> Callable[[Any, Any], Any]:
    return lambda question, answer: replace(answer, final_state=state)


_BLOCK = TypedName("?x", ("block",))
_ALL = frozenset(QuestionKind)
BROKEN: list[tuple[str, Check, Callable[[], Agent]]] = [
    ("changes each time", Check.DESCRIPTION, lambda: Changing(blocks_agent())),
    ("changes later", Check.DESCRIPTION, lambda: ChangingLate(blocks_agent())),
    ("has none", Check.DESCRIPTION, lambda: Undescribed(blocks_agent())),
    ("agent's name", Check.NAMES, lambda: Described(blocks_agent(), name="my robot")),
    ("object's name", Check.NAMES, lambda: Described(blocks_agent(), objects=(TypedName("a b", ("block",)),))),
    ("type's name", Check.NAMES, lambda: Described(blocks_agent(), types=TypeHierarchy((("a b", ("object",)),)))),
    ("parameter's name", Check.NAMES,
     lambda: Described(blocks_agent(), predicates=(Predicate("on", (TypedName("x", ("block",)),)),))),
    ("predicates", Check.UNIQUE_NAMES, lambda: Described(blocks_agent(), predicates=(Predicate("p"), Predicate("P")))),
    ("capabilities", Check.UNIQUE_NAMES,
     lambda: Described(blocks_agent(), capabilities=(CapabilityHeader("go"), CapabilityHeader("go")))),
    ("object and constant", Check.UNIQUE_NAMES,
     lambda: Described(blocks_agent(), objects=(TypedName("DESK", ("table",)),))),
    ("parameters", Check.UNIQUE_NAMES,
     lambda: Described(blocks_agent(), capabilities=(CapabilityHeader("go", (_BLOCK, _BLOCK)),))),
    ("object's type", Check.TYPES, lambda: Described(blocks_agent(), objects=(TypedName("a", ("ball",)),))),
    ("no type", Check.TYPES, lambda: Described(blocks_agent(), objects=(TypedName("a", ()),))),
    ("parameter's type", Check.TYPES,
     lambda: Described(blocks_agent(), capabilities=(CapabilityHeader("go", (TypedName("?x", ("ball",)),)),))),
    ("nothing", Check.SUPPORTS, lambda: Described(blocks_agent(), supports=frozenset())),
    ("no objects", Check.CAPABILITIES,
     lambda: SymbolicAgent(blocks()[0], replace(blocks()[1], objects=(), init=State()))),
    ("no capabilities", Check.CAPABILITIES, lambda: Described(blocks_agent(), capabilities=())),
    ("a kind crashes", Check.EXCEPTIONS, lambda: Raising(blocks_agent())),
    ("nonsense crashes", Check.EXCEPTIONS, lambda: RaisingForNonsense(blocks_agent())),
    ("claims too much", Check.SUPPORTED_KINDS,
     lambda: Described(_Only(blocks_agent(), _ALL - {QuestionKind.OBSERVE}), supports=_ALL)),
    ("claims too little", Check.UNSUPPORTED_KINDS,
     lambda: Described(blocks_agent(), supports=_ALL - {QuestionKind.OBSERVE})),
    ("wrong error", Check.UNSUPPORTED_KINDS, lambda: _WrongError(blocks_agent())),
    ("wrong class", Check.ANSWER_SHAPE, lambda: _spoiled(Observation, lambda q, a: Reachability(Verdict.REACHED))),
    ("none", Check.ANSWER_SHAPE, lambda: _spoiled(Observation, lambda q, a: None)),
    ("verdict is a word", Check.ANSWER_SHAPE, lambda: _spoiled(Reachability, lambda q, a: replace(a, verdict="yes"))),
    ("state is a set", Check.ANSWER_SHAPE, lambda: _spoiled(PlanOutcome, _in_words(frozenset()))),
    ("flags are numbers", Check.ANSWER_SHAPE,
     lambda: _spoiled(PlanOutcome, lambda q, a: replace(a, executed=tuple(map(int, a.executed))))),
    ("flags are nothing", Check.ANSWER_SHAPE, lambda: _spoiled(PlanOutcome, lambda q, a: replace(a, executed=None))),
    ("effort is a number", Check.ANSWER_SHAPE, lambda: _spoiled(PlanOutcome, lambda q, a: replace(a, effort=3))),
    ("trace of pairs", Check.ANSWER_SHAPE, lambda: _spoiled(Observation, lambda q, a: replace(a, trace=((1, 2),)))),
    ("unknown predicate", Check.VOCABULARY, lambda: _spoiled(PlanOutcome, _in_words(State((Atom("red"),))))),
    ("wrong case", Check.VOCABULARY, lambda: _spoiled(PlanOutcome, _in_words(State((Atom("clear", ("A",)),))))),
    ("wrong arity", Check.VOCABULARY, lambda: _spoiled(PlanOutcome, _in_words(State((Atom("clear"),))))),
    ("wrong type", Check.VOCABULARY, lambda: _spoiled(PlanOutcome, _in_words(State((Atom("clear", ("Desk",)),))))),
    ("claims determinism", Check.DETERMINISM,
     lambda: Described(blocks_agent(slippery=True), determinism=Determinism.DETERMINISTIC)),
    ("ignores seeds", Check.SEED, lambda: Unseeded(blocks_agent(slippery=True))),
    ("ignores seeds, cannot be set", Check.SEED, lambda: Unseeded(blocks_agent(Access.RESET, slippery=True))),
    ("counts one more", Check.PREFIX_LENGTH,
     lambda: _spoiled(PlanOutcome, lambda q, a: replace(a, prefix_length=a.prefix_length + 1))),
    ("too many flags", Check.PREFIX_LENGTH,
     lambda: _spoiled(PlanOutcome, lambda q, a: replace(
         a, executed=(True,) * (len(q.plan) + 1), prefix_length=len(q.plan) + 1))),
    ("ends early", Check.PREFIX_LENGTH, lambda: _spoiled(PlanOutcome, _early_end)),
    ("reports after all", Check.PREFIX_LENGTH, lambda: Described(blocks_agent(), reports_execution=False)),
    ("goes on", Check.STOPS, lambda: GoingOn(blocks_agent())),
    ("never goes on", Check.CONTINUES, lambda: NeverGoingOn(blocks_agent())),
    ("goes on unasked", Check.CONTINUES, lambda: Described(blocks_agent(), continues_after_refusal=False)),
    ("plan", Check.REFUSED_STEP, lambda: _spoiled(PlanOutcome, _refused_step_spoils)),
    ("plan from a state", Check.REFUSED_STEP, lambda: _spoiled(PlanOutcome, _refused_step_spoils, slippery=True)),
    ("transition", Check.REFUSED_STEP, lambda: _spoiled(PolicySimulation, _changing_refusal)),
    ("reset only", Check.REFUSED_STEP, lambda: _spoiled(PlanOutcome, _refused_step_spoils, access=Access.RESET)),
    *(
        (kind.__name__, Check.EFFORT, lambda kind=kind: _spoiled(kind, _no_effort))  # type: ignore[misc]
        for kind in (PlanOutcome, PolicySimulation, Reachability, FailedPrecondition, Observation)
    ),
    ("resets are not counted", Check.EFFORT,
     lambda: _spoiled(PlanOutcome, lambda q, a: replace(a, effort=Effort(a.effort.steps, 0)))),
    ("forgets states", Check.SET_STATE, lambda: Forgetful(blocks_agent())),
    ("refuses states", Check.SET_STATE, lambda: RefusingStates(blocks_agent())),
    ("refuses realisable states", Check.SET_STATE, lambda: RefusingStates(blocks_agent(Access.REALISABLE))),
    ("refuses seen states", Check.SET_STATE, lambda: RefusingStates(blocks_agent(Access.SEEN))),
    ("forgets states when observed", Check.SET_STATE,
     lambda: _Only(Forgetful(blocks_agent()), frozenset({QuestionKind.OBSERVE}))),
    ("refuses them", Check.FRESH_OBJECTS, lambda: RefusingObjects(blocks_agent())),
    ("takes them", Check.FRESH_OBJECTS, lambda: IgnoringFixedObjects(blocks_agent())),
    ("takes them all", Check.FOREIGN_STATE,
     lambda: Described(blocks_agent(), access=Access.RESET, fixed_objects=True)),
    ("raises", Check.FOREIGN_STATE, lambda: RaisingRefusals(blocks_agent(Access.RESET))),
    ("starts elsewhere", Check.FOREIGN_STATE, lambda: Forgetful(blocks_agent(Access.RESET))),
    ("says nothing", Check.REFUSAL_REASON,
     lambda: _spoiled(Refusal, lambda q, a: Refusal(" "), access=Access.RESET)),
    ("takes nonsense", Check.BAD_QUESTIONS, lambda: AnsweringNonsense(blocks_agent())),
    ("one less", Check.RUNS, lambda: _spoiled(PolicySimulation, lambda q, a: replace(a, runs=a.runs[:-1]))),
    ("observation", Check.LIMITS, lambda: Overlong(blocks_agent())),
    ("policy", Check.LIMITS,
     lambda: _spoiled(PolicySimulation, lambda q, a: replace(a, runs=tuple(
         replace(run, transitions=run.transitions * 9) for run in a.runs)))),
    ("observation", Check.CHAIN, lambda: _spoiled(Observation, _broken_chain)),
    ("other steps", Check.POLICY, lambda: OtherPolicy(blocks_agent())),
    ("policy", Check.GOAL, lambda: _spoiled(PolicySimulation, _goal_of_runs)),
    ("observation", Check.GOAL,
     lambda: _spoiled(Observation, lambda q, a: replace(a, goal_reached=not a.goal_reached))),
    ("never reached", Check.GOAL,
     lambda: _spoiled(Reachability, lambda q, a: replace(a, verdict=Verdict.REACHED, trace=a.trace[:-1]))),
    ("reached at once", Check.GOAL,
     lambda: _spoiled(Reachability, lambda q, a: Reachability(Verdict.REACHED, (), Effort(0, 1)),
                      access=Access.RESET)),
    ("never", Check.REACHABLE,
     lambda: _spoiled(Reachability, lambda q, a: replace(a, verdict=Verdict.NOT_REACHED))),
    ("too long", Check.PRECONDITION,
     lambda: _spoiled(FailedPrecondition, lambda q, a: replace(a, prefix_length=len(q.plan) + 1))),
    ("of nothing", Check.PRECONDITION,
     lambda: _spoiled(FailedPrecondition, lambda q, a: replace(
         a, prefix_length=len(q.plan), failed_precondition=(Literal(Atom("handempty")),)))),
    ("unlike the plan", Check.PRECONDITION,
     lambda: _spoiled(FailedPrecondition, lambda q, a: replace(a, prefix_length=0, failed_precondition=()))),
]  # fmt: skip


class _WrongError(AgentWrapper):
    """Raises some other error than `Unsupported`."""

    @property
    def description(self) -> AgentDescription:
        return replace(self.agent.description, supports=_ALL - {QuestionKind.REACH_STATE})

    def ask(self, question: Question) -> Answer:
        if isinstance(question, ReachStateQuery):
            raise LogicError("cannot do that")
        return self.agent.ask(question)


@pytest.mark.parametrize(("check", "make"), [(c, m) for _, c, m in BROKEN], ids=[f"{c.name}-{n}" for n, c, _ in BROKEN])
def test_a_broken_agent_is_found_out(check: Check, make: Callable[[], Agent]) -> None:
    findings = check_agent(make())
    found = {finding.check for finding in findings}
    assert check in found
    for finding in findings:
        assert finding.message and finding.remedy


def test_every_check_has_a_broken_agent() -> None:
    assert {check for _, check, _ in BROKEN} == set(Check)


def test_severities() -> None:
    (warning,) = check_agent(Unseeded(blocks_agent(Access.RESET, slippery=True)))
    assert (warning.severity, warning.check) == (Severity.WARNING, Check.SEED)
    assert all(f.severity is Severity.ERROR for f in check_agent(Unseeded(blocks_agent(slippery=True))))


def test_one_fault_gives_few_findings() -> None:
    assert len(check_agent(Raising(blocks_agent()))) == 1
    assert [f.check for f in check_agent(GoingOn(blocks_agent()))] == [Check.STOPS]
    assert [f.check for f in check_agent(RefusingObjects(blocks_agent()))] == [Check.FRESH_OBJECTS]


def test_the_same_seed_asks_the_same_questions() -> None:
    first, second = _Recorder(blocks_agent()), _Recorder(blocks_agent())
    check_agent(first, 5)
    check_agent(second, 5)
    assert first.asked == second.asked


class _Recorder(AgentWrapper):
    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self.asked: list[Question] = []

    def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        return self.agent.ask(question)


def test_an_agent_that_is_not_there_is_not_a_finding() -> None:
    class Gone(AgentWrapper):
        def ask(self, question: Question) -> Answer:
            raise AgentUnreachable("no answer within 1 s")

    with pytest.raises(AgentUnreachable):
        check_agent(Gone(blocks_agent()))


def test_a_precondition_question_alone_tells_the_state() -> None:
    only = _Only(blocks_agent(), frozenset({QuestionKind.ACTION_PRECONDITION}))
    assert check_agent(only) == []
    assert isinstance(only.ask(ActionPreconditionQuery(())), FailedPrecondition)
