"""Questions and answers in plain English, for a terminal. Atoms and capabilities stay as PDDL writes them.

Nothing here fails on a strange answer: what an agent says is put into words as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.agents.questions import (
    ActionPreconditionQuery,
    Answer,
    FailedPrecondition,
    Observation,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    Policy,
    PolicySimulation,
    PolicySimulationQuery,
    Question,
    Reachability,
    ReachStateQuery,
    Refusal,
    Transition,
    Verdict,
)
from assay.logic.atoms import Literal, State
from assay.logic.model import Plan
from assay.logic.types import type_text

MAX_LISTED = 40
"""Longer lists of facts and steps are cut here, and the rest is counted."""

_ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def question_in_words(question: Question) -> str:
    """Return the question as one or two sentences."""
    start = _start(question)
    match question:
        case PlanOutcomeQuery():
            goes_on = " Go on after a refused step." if question.continue_after_refusal else ""
            return f"{start}, {_do(question.plan)}.{goes_on}{_seed(question.seed)}"
        case PolicySimulationQuery():
            until = f", until {_all_of(question.goal)}" if question.goal else ""
            times = "once" if question.runs == 1 else "twice" if question.runs == 2 else f"{question.runs:,} times"
            limit = f"for at most {counted(question.horizon, 'step')}" + (" each" if question.runs > 1 else "")
            return f"{start}, run this policy {times}, {limit}{until}: {_rules(question.policy)}.{_seed(question.seed)}"
        case ReachStateQuery():
            limit = "" if question.budget is None else f" Look at {counted(question.budget, 'state')} at most."
            return f"{start}, can it get to a state where {_all_of(question.goal)}?{limit}"
        case ActionPreconditionQuery():
            return f"{start}, {_do(question.plan)}. If a step is refused, what does it need?"
        case ObserveQuery():
            aim = "let it act as it likes"
            if question.goal is not None:
                aim = f"let it bring about that {_all_of(question.goal)}"
            return f"{start}, {aim}, for at most {counted(question.max_steps, 'step')}.{_seed(question.seed)}"


def answer_in_words(question: Question, answer: Answer) -> str:
    """Return the answer as a few sentences; changes are told where the question says what was true before."""
    match answer:
        case Refusal():
            return f"It does not take the question: {answer.reason.strip().rstrip('.') or 'it gives no reason'}."
        case PlanOutcome():
            steps = _steps_done(_plan(question), answer.executed)
            return f"{steps} {_afterwards(question.initial, answer.final_state)}"
        case PolicySimulation():
            return _simulation(question, answer)
        case Reachability():
            return _reachability(answer)
        case FailedPrecondition():
            return _precondition(question, answer)
        case Observation():
            return _observation(question, answer)


def _start(question: Question) -> str:
    if question.initial is None:
        return "From a reset"
    state = _list(question.initial) if question.initial.atoms else "where nothing is true"
    if not question.objects:
        return f"From the state {state}"
    things = [f"{thing.name} ({type_text(thing.types)})" for thing in question.objects]
    return f"With the {'object' if len(things) == 1 else 'objects'} {_and(_cut(things))}, from the state {state}"


def _do(plan: Plan) -> str:
    if not plan:
        return "do nothing"
    return "do " + ", then ".join(_cut(plan))


def _rules(policy: Policy) -> str:
    if not policy.rules:
        return "stop at once"
    parts = []
    for rule in policy.rules[:MAX_LISTED]:
        condition = f"when {_all_of(rule.condition)}" if rule.condition else "always"
        parts.append(f"{condition}, do {rule.capability}")
    if len(policy.rules) > MAX_LISTED:
        parts.append(f"by {counted(len(policy.rules) - MAX_LISTED, 'more rule')}")
    if policy.rules[-1].condition:
        parts.append("stop")
    return "; otherwise ".join(parts)


def _seed(seed: int | None) -> str:
    return "" if seed is None else f" Seed {seed}."


def _plan(question: Question) -> Plan:
    return question.plan if isinstance(question, PlanOutcomeQuery | ActionPreconditionQuery) else ()


def _steps_done(plan: Plan, executed: Sequence[bool]) -> str:
    """Tell which steps of a plan were done; `executed` is shorter than the plan where the agent stopped."""
    if not plan and not executed:
        return "There was nothing to do."
    total = max(len(plan), len(executed))
    done = sum(executed)
    refused = [number for number, flag in enumerate(executed) if not flag]
    if done == total:
        return {1: "It did the step.", 2: "It did both steps."}.get(total, f"It did all {total:,} steps.")
    if not refused:
        return f"It did {done:,} of {counted(total, 'step')} and stopped."
    if total == 1:
        return f"It refused {_step(plan, 0)}."
    if done == 0 and len(refused) == total:
        return "It refused both steps." if total == 2 else f"It refused all {total:,} steps."
    if done == 0 and len(refused) == 1:
        return f"It refused the first step, {_step(plan, 0)}, and stopped."
    did = f"It did {done:,} of {total:,} steps"
    if len(refused) == 1:
        place = refused[0] + 1
        which = f"the {_ORDINALS[place]}" if place < len(_ORDINALS) else f"step {place:,}"
        stopped = ", and stopped" if len(executed) < total else ""
        return f"{did} and refused {which}, {_step(plan, refused[0])}{stopped}."
    return f"{did} and refused {_and(_cut(f'{_step(plan, n)} (step {n + 1:,})' for n in refused))}."


def _step(plan: Plan, number: int) -> str:
    return str(plan[number]) if number < len(plan) else "a step that is not in the plan"


def _afterwards(before: State | None, after: State) -> str:
    if before is None:
        return f"Afterwards: {_list(after)}." if after.atoms else "Afterwards nothing is true."
    changes = after.difference(before)
    if not changes:
        return "Nothing changed."
    parts = []
    for positive, words in ((True, "now true"), (False, "no longer true")):
        atoms = [literal.atom for literal in changes if literal.positive is positive]
        if atoms:
            parts.append(f"{words} {_list(atoms)}")
    return f"Afterwards: {'; '.join(parts)}."


def _simulation(question: Question, answer: PolicySimulation) -> str:
    runs = answer.runs
    if not runs:
        return "It made no run."
    total = len(runs)
    sentences = []
    if isinstance(question, PolicySimulationQuery) and question.goal:
        reached = sum(run.goal_reached for run in runs)
        if total == 1:
            sentences.append("It reached the goal." if reached else "It did not reach the goal.")
        elif reached == total:
            sentences.append("It reached the goal in " + ("both runs." if total == 2 else f"all {total:,} runs."))
        elif reached == 0:
            sentences.append("It reached the goal in " + ("neither run." if total == 2 else f"none of {total:,} runs."))
        else:
            sentences.append(f"It reached the goal in {reached:,} of {total:,} runs.")
    else:
        sentences.append(f"It made {counted(total, 'run')}, without a goal.")
    lengths = [len(run.transitions) for run in runs]
    least, most = min(lengths), max(lengths)
    each = "The run took" if total == 1 else "Each run took" if least == most else "The runs took"
    sentences.append(f"{each} {counted(most, 'step') if least == most else f'{least:,} to {most:,} steps'}.")
    refused = [run.transitions[-1].capability for run in runs if run.transitions and not run.transitions[-1].executed]
    if refused:
        which = _and(sorted(set(map(str, refused)))[:MAX_LISTED])
        ended = "It" if total == 1 else counted(len(refused), "run")
        sentences.append(f"{ended} ended because {which} was refused.")
    if total == 1 and runs[0].transitions:
        sentences.append(f"It did {_trace(runs[0].transitions)}.")
        sentences.append(_afterwards(runs[0].transitions[0].before, runs[0].transitions[-1].after))
    return " ".join(sentences)


def _reachability(answer: Reachability) -> str:
    match answer.verdict:
        case Verdict.REACHED if not answer.trace:
            return "Reached: it is there without doing anything."
        case Verdict.REACHED:
            return f"Reached, in {counted(len(answer.trace), 'step')}: {_trace(answer.trace)}."
        case Verdict.NOT_REACHED:
            return "Not reached: it says that it cannot get there."
        case Verdict.UNDECIDED:
            tried = f" It tried {_trace(answer.trace)}." if answer.trace else ""
            return f"Undecided: it did not get there, and does not know whether it can.{tried}"


def _precondition(question: Question, answer: FailedPrecondition) -> str:
    plan = _plan(question)
    executed = [True] * answer.prefix_length + [False] * (answer.prefix_length < len(plan))
    sentences = [_steps_done(plan, executed)]
    if answer.failed_precondition:
        sentences.append(f"That step needs {_all_of(answer.failed_precondition)}.")
    elif answer.prefix_length < len(plan):
        sentences.append("It does not say what that step needs.")
    sentences.append(_afterwards(question.initial, answer.final_state))
    return " ".join(sentences)


def _observation(question: Question, answer: Observation) -> str:
    sentences = []
    if isinstance(question, ObserveQuery) and question.goal is not None:
        sentences.append("It reached the goal." if answer.goal_reached else "It did not reach the goal.")
    if not answer.trace:
        sentences.append("It did nothing.")
    else:
        sentences.append(f"It did {counted(len(answer.trace), 'step')}: {_trace(answer.trace)}.")
        sentences.append(_afterwards(answer.trace[0].before, answer.trace[-1].after))
    return " ".join(sentences)


def _trace(trace: Sequence[Transition]) -> str:
    return ", ".join(_cut(f"{t.capability}{'' if t.executed else ' (refused)'}" for t in trace))


def _all_of(literals: Sequence[Literal]) -> str:
    if not literals:
        return "anything may be true"
    return _and([str(literal.atom) if literal.positive else f"not {literal.atom}" for literal in literals])


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def _list(parts: Iterable[object]) -> str:
    return " ".join(_cut(parts))


def _cut(parts: Iterable[object]) -> list[str]:
    words = [str(part) for part in parts]
    if len(words) <= MAX_LISTED:
        return words
    return [*words[:MAX_LISTED], f"... ({len(words) - MAX_LISTED:,} more)"]


def counted(number: int, noun: str) -> str:
    """Return "no steps", "1 step", "2 steps"."""
    return f"{'no' if number == 0 else f'{number:,}'} {noun}{'' if number == 1 else 's'}"
