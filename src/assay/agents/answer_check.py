"""Checks of one answer to one question: what must hold whatever the agent is.

Used by the conformance check on every answer that it gets. An answer of the wrong shape may make these functions
raise anything; the caller takes that for a finding of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from assay.agents.agent import AgentDescription
from assay.agents.findings import Check, Finding, Findings, error
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
    Transition,
    Verdict,
)
from assay.logic.atoms import GroundCapability, Literal, State

ANSWER_CLASSES: Mapping[QuestionKind, type[Answer]] = {
    QuestionKind.PLAN_OUTCOME: PlanOutcome,
    QuestionKind.SIMULATE_POLICY: PolicySimulation,
    QuestionKind.REACH_STATE: Reachability,
    QuestionKind.ACTION_PRECONDITION: FailedPrecondition,
    QuestionKind.OBSERVE: Observation,
}


def is_answer(value: object) -> bool:
    """Tell whether a value is an answer at all."""
    return isinstance(value, Answer)


def answer_findings(
    description: AgentDescription, question: Question, answer: Answer, reset_state: State | None = None
) -> Findings:
    """Yield every fault that the answer shows by itself.

    `reset_state` is where a reset leads, if that is known and always the same.
    """
    start = question.initial if question.initial is not None else reset_state
    expected = ANSWER_CLASSES[question.kind]
    if not isinstance(answer, expected | Refusal):
        yield _shape(question, f"{type(answer).__name__} instead of {expected.__name__}")
        return
    shape = _wrong_part(answer)
    if shape is not None:
        yield _shape(question, shape)
        return
    for state in _states(answer):
        yield from _vocabulary(description, question, state)
    match question, answer:
        case _, Refusal():
            if not answer.reason.strip():
                yield error(
                    Check.REFUSAL_REASON,
                    f"the refusal of a {question.kind.value} question has an empty reason",
                    "say in `Refusal.reason` why the question was not taken",
                )
        case PlanOutcomeQuery(), PlanOutcome():
            yield from _plan_outcome(description, question, answer)
        case PolicySimulationQuery(), PolicySimulation():
            yield from _simulation(question, answer, start)
        case ReachStateQuery(), Reachability():
            yield from _reachability(question, answer, start)
        case ActionPreconditionQuery(), FailedPrecondition():
            yield from _precondition(question, answer)
        case ObserveQuery(), Observation():
            yield from _observation(question, answer, start)


def _shape(question: Question, fault: str) -> Finding:
    return error(
        Check.ANSWER_SHAPE,
        f"the answer to a {question.kind.value} question is wrong: {fault}",
        "return the answer classes of `assay.agents.questions`, with values of the declared types",
    )


def _is(value: object, kind: type) -> bool:
    """Tell what a value really is: the agent may not have kept to the declared types."""
    return isinstance(value, kind)


def _wrong_part(answer: Answer) -> str | None:
    if not _is(answer.effort, Effort):
        return f"its effort is {type(answer.effort).__name__} instead of Effort"
    if not all(_is(state, State) for state in _states(answer)):
        return "a state in it is not a State"
    if not all(_is(transition, Transition) and _is(transition.executed, bool) for transition in _transitions(answer)):
        return "its trace does not consist of Transitions with true or false for `executed`"
    match answer:
        case PlanOutcome():
            if not all(_is(flag, bool) for flag in answer.executed):
                return "`executed` does not consist of true and false"
        case Reachability():
            if not _is(answer.verdict, Verdict):
                return f"its verdict {answer.verdict!r} is not a Verdict"
    return None


def _transitions(answer: Answer) -> Iterator[Transition]:
    match answer:
        case PolicySimulation():
            for run in answer.runs:
                yield from run.transitions
        case Reachability() | Observation():
            yield from answer.trace


def _states(answer: Answer) -> Iterator[State]:
    if isinstance(answer, PlanOutcome | FailedPrecondition):
        yield answer.final_state
    for transition in _transitions(answer):
        yield transition.before
        yield transition.after


def _vocabulary(description: AgentDescription, question: Question, state: State) -> Findings:
    own = question.objects if question.objects and question.initial is not None else description.objects
    types_of = {thing.name: thing.types for thing in (*description.constants, *own)}
    predicates = {predicate.name: predicate for predicate in description.predicates}
    for atom in state.atoms:
        predicate = predicates.get(atom.predicate)
        fault = None
        if predicate is None:
            fault = "has an unknown predicate"
        elif len(atom.args) != predicate.arity:
            fault = f"has {len(atom.args)} arguments instead of {predicate.arity}"
        else:
            for argument, parameter in zip(atom.args, predicate.parameters, strict=True):
                if argument not in types_of:
                    fault = f"names the unknown object {argument!r}"
                elif not description.types.overlap(types_of[argument], parameter.types):
                    fault = f"takes {parameter}, not {argument!r}"
        if fault is not None:
            yield error(
                Check.VOCABULARY,
                f"{atom} in a state of the agent {fault}",
                "report only atoms over the predicates, objects and types of the description, spelled as there",
            )
            return


def _at_least(question: Question, effort: Effort, steps: int, resets: int) -> Findings:
    if effort.steps < steps or effort.resets < resets:
        yield error(
            Check.EFFORT,
            f"a {question.kind.value} answer shows {steps} tries and {resets} resets, but its effort counts "
            f"{effort.steps} and {effort.resets}",
            "count every step that was tried, refused ones too, and every reset or setting of a state",
        )


def _plan_outcome(description: AgentDescription, question: PlanOutcomeQuery, answer: PlanOutcome) -> Findings:
    executed = answer.executed
    refused = executed.index(False) if False in executed else None
    prefix = len(executed) if refused is None else refused
    if answer.prefix_length != prefix or len(executed) > len(question.plan):
        yield error(
            Check.PREFIX_LENGTH,
            f"of a plan of {len(question.plan)} steps, `executed` has {len(executed)}, the first {prefix} of them "
            f"executed, but `prefix_length` is {answer.prefix_length}",
            "`executed` has one flag for each step tried; `prefix_length` counts those before the first false one",
        )
    if refused is not None and not question.continue_after_refusal and len(executed) > refused + 1:
        yield error(
            Check.STOPS,
            f"the agent went on after it refused {question.plan[refused]}",
            "stop at the first refused step unless the question says `continue_after_refusal`",
        )
    if refused is None and len(executed) < len(question.plan):
        yield error(
            Check.PREFIX_LENGTH,
            f"the agent stopped after {len(executed)} of {len(question.plan)} steps without refusing one",
            "try every step up to the first refused one, and give that one the flag false",
        )
    if question.continue_after_refusal and refused is not None and len(executed) != len(question.plan):
        yield error(
            Check.CONTINUES,
            f"asked to go on after a refusal, the agent tried {len(executed)} of {len(question.plan)} steps",
            "try every step of the plan, or declare `continues_after_refusal=False`",
        )
    if refused is not None and not description.reports_execution:
        yield error(
            Check.PREFIX_LENGTH,
            f"the agent says that it refused {question.plan[refused]}, but declares that it does not report execution",
            "declare `reports_execution=True`",
        )
    untouched = question.initial is not None and not any(executed) and description.reports_execution
    if untouched and answer.final_state != question.initial:
        yield _changed(question.plan, "put into a state, it")
    yield from _at_least(question, answer.effort, len(executed), 1)


def _changed(plan: Iterable[GroundCapability], who: str) -> Finding:
    shown = " ".join(map(str, plan))
    return error(
        Check.REFUSED_STEP if shown else Check.SET_STATE,
        f"{who} refused {shown}, yet the state changed" if shown else f"{who} did nothing, yet the state is another",
        "leave the state as it is when a step is refused" if shown else "set exactly the state that the question gives",
    )


def _chain(question: Question, trace: Sequence[Transition]) -> Findings:
    if trace and question.initial is not None and trace[0].before != question.initial:
        yield error(
            Check.SET_STATE,
            f"a {question.kind.value} question gave a state, but the trace starts in another one",
            "set exactly the state that the question gives",
        )
    for first, second in pairwise(trace):
        if first.after != second.before:
            yield error(
                Check.CHAIN,
                f"after {first.capability} the state was not the one before {second.capability}",
                "give each transition the state in which the one before it ended",
            )
            break
    for transition in trace:
        if not transition.executed and transition.before != transition.after:
            yield _changed((transition.capability,), "it")
            break


def _limit(question: Question, steps: int, most: int) -> Findings:
    if steps > most:
        yield error(
            Check.LIMITS,
            f"a {question.kind.value} answer has {steps} steps where at most {most} were asked for",
            "stop after `horizon` or `max_steps` steps",
        )


def _goal(question: Question, goal: tuple[Literal, ...], reached: bool, last: State | None) -> Findings:
    if goal and last is not None and reached != last.holds(goal):
        yield error(
            Check.GOAL,
            f"a {question.kind.value} answer says that the goal was {'' if reached else 'not '}reached, but in the "
            f"last state it {'does not hold' if reached else 'holds'}",
            "say that a goal is reached if and only if all its literals hold in the last state",
        )


def _last(trace: Sequence[Transition], start: State | None) -> State | None:
    return trace[-1].after if trace else start


def _simulation(question: PolicySimulationQuery, answer: PolicySimulation, start: State | None) -> Findings:
    if len(answer.runs) != question.runs:
        yield error(
            Check.RUNS,
            f"{question.runs} runs were asked for, {len(answer.runs)} were made",
            "run the policy exactly `runs` times, each from its own reset",
        )
    for run in answer.runs:
        yield from _chain(question, run.transitions)
        yield from _limit(question, len(run.transitions), question.horizon)
        yield from _goal(question, question.goal, run.goal_reached, _last(run.transitions, start))
        for transition in run.transitions:
            if question.policy.choose(transition.before) != transition.capability:
                yield error(
                    Check.POLICY,
                    f"the agent did {transition.capability} where the policy says otherwise",
                    "use the first rule whose condition holds; without one, stop",
                )
                break
    tries = sum(len(run.transitions) for run in answer.runs)
    yield from _at_least(question, answer.effort, tries, len(answer.runs))


def _reachability(question: ReachStateQuery, answer: Reachability, start: State | None) -> Findings:
    yield from _chain(question, answer.trace)
    if answer.verdict is Verdict.REACHED:
        yield from _goal(question, question.goal, True, _last(answer.trace, start))
    yield from _at_least(question, answer.effort, len(answer.trace), 1)


def _precondition(question: ActionPreconditionQuery, answer: FailedPrecondition) -> Findings:
    total = len(question.plan)
    if not 0 <= answer.prefix_length <= total or (answer.failed_precondition and answer.prefix_length == total):
        yield error(
            Check.PRECONDITION,
            f"of {total} steps {answer.prefix_length} ran, and the failed precondition has "
            f"{len(answer.failed_precondition)} literals",
            "`prefix_length` counts the steps before the refused one; without one the precondition is empty",
        )
    tries = min(answer.prefix_length + 1, total)
    yield from _at_least(question, answer.effort, tries, 1)
    if question.initial is not None and answer.prefix_length == 0 and answer.final_state != question.initial:
        yield _changed(question.plan[:1], "put into a state, it")


def _observation(question: ObserveQuery, answer: Observation, start: State | None) -> Findings:
    yield from _chain(question, answer.trace)
    yield from _limit(question, len(answer.trace), question.max_steps)
    yield from _goal(question, question.goal or (), answer.goal_reached, _last(answer.trace, start))
    yield from _at_least(question, answer.effort, len(answer.trace), 1)


def without_effort(answer: Answer) -> Answer:
    """Return the answer as if it had cost nothing, to compare what two answers say."""
    return replace(answer, effort=Effort())
