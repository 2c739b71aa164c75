"""Questions and answers in English."""

from __future__ import annotations

import pytest
from small_worlds import blocks_agent

from assay.agents.agent import Access
from assay.agents.question_text import parse_question
from assay.agents.questions import (
    Answer,
    FailedPrecondition,
    Observation,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    Policy,
    PolicyRun,
    PolicySimulation,
    PolicySimulationQuery,
    Question,
    Reachability,
    ReachStateQuery,
    Refusal,
    Transition,
    Verdict,
)
from assay.agents.words import answer_in_words, question_in_words
from assay.logic.atoms import Atom, GroundCapability, Literal, State

AGENT = blocks_agent()
PICK = GroundCapability("pick-up", ("a",))
STACK = GroundCapability("stack", ("a", "b"))
CLEAR = State((Atom("clear", ("a",)),))
HELD = State((Atom("holding", ("a",)),))
GOAL = (Literal(Atom("holding", ("a",))),)
DONE = Transition(CLEAR, PICK, True, HELD)
REFUSED = Transition(HELD, STACK, False, HELD)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(pick-up a) (stack a b)", "From a reset, do (pick-up a), then (stack a b)."),
        ("(plan-outcome (:init) (:plan))", "From the state where nothing is true, do nothing."),
        (
            "(plan-outcome (:objects d e - block) (:init (on d e)) (:plan (pick-up d)) (:continue) (:seed 3))",
            "With the objects d (block) and e (block), from the state (on d e), do (pick-up d). "
            "Go on after a refused step. Seed 3.",
        ),
        (
            "(simulate-policy (:policy (when (and (clear a) (not (holding a))) (pick-up a))) (:goal (holding a))"
            " (:runs 5) (:horizon 1000))",
            "From a reset, run this policy 5 times, for at most 1,000 steps each, until (holding a): "
            "when (clear a) and not (holding a), do (pick-up a); otherwise stop.",
        ),
        (
            "(simulate-policy (:policy (when (and) (pick-up a))) (:horizon 1))",
            "From a reset, run this policy once, for at most 1 step: always, do (pick-up a).",
        ),
        ("(simulate-policy (:policy) (:runs 2) (:horizon 0))",
         "From a reset, run this policy twice, for at most no steps each: stop at once."),
        (
            "(reach-state (:goal (and (on a b) (clear a) (not (clear b)))) (:budget 1))",
            "From a reset, can it get to a state where (on a b), (clear a) and not (clear b)? "
            "Look at 1 state at most.",
        ),
        (
            "(action-precondition (:plan (pick-up a)))",
            "From a reset, do (pick-up a). If a step is refused, what does it need?",
        ),
        ("(observe (:steps 10))", "From a reset, let it act as it likes, for at most 10 steps."),
        (
            "(observe (:goal (holding a)) (:steps 1))",
            "From a reset, let it bring about that (holding a), for at most 1 step.",
        ),
    ],
)  # fmt: skip
def test_questions(text: str, words: str) -> None:
    assert question_in_words(parse_question(text, AGENT.description)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(plan-outcome (:init (clear a)) (:plan))", "There was nothing to do. Nothing changed."),
        ("(plan-outcome (:init) (:plan (pick-up a)))", "It refused (pick-up a). Nothing changed."),
        (
            "(plan-outcome (:init (holding a) (clear b)) (:plan (stack a b)))",
            "It did the step. Afterwards: now true (clear a) (handempty) (on a b); "
            "no longer true (clear b) (holding a).",
        ),
        (
            "(plan-outcome (:init (holding a) (clear b)) (:plan (put-down a) (pick-up a)))",
            "It did both steps. Nothing changed.",
        ),
        ("(plan-outcome (:init) (:plan (pick-up a) (pick-up b)))",
         "It refused the first step, (pick-up a), and stopped. Nothing changed."),
        ("(plan-outcome (:init) (:plan (pick-up a) (pick-up b)) (:continue))",
         "It refused both steps. Nothing changed."),
        ("(plan-outcome (:init (holding a)) (:plan (put-down a) (pick-up b) (pick-up c)))",
         "It did 1 of 3 steps and refused the second, (pick-up b), and stopped. "
         "Afterwards: now true (clear a) (handempty) (ontable a); no longer true (holding a)."),
        ("(plan-outcome (:init (holding a)) (:plan (pick-up b) (put-down a) (pick-up c)) (:continue))",
         "It did 1 of 3 steps and refused (pick-up b) (step 1) and (pick-up C) (step 3). "
         "Afterwards: now true (clear a) (handempty) (ontable a); no longer true (holding a)."),
        ("(pick-up a) (put-down a) (pick-up b)",
         "It did all 3 steps. Afterwards: (clear C) (clear a) (holding b) (ontable C) (ontable a)."),
        ("(reach-state (:goal (on a b)))", "Reached, in 2 steps: (pick-up a), (stack a b)."),
        ("(reach-state (:goal (clear a)))", "Reached: it is there without doing anything."),
        ("(reach-state (:goal (on a a)))", "Not reached: it says that it cannot get there."),
        ("(reach-state (:goal (on a b)) (:budget 1))",
         "Undecided: it did not get there, and does not know whether it can."),
        ("(action-precondition (:init) (:plan (put-down a)))",
         "It refused (put-down a). That step needs (holding a). Nothing changed."),
        ("(action-precondition (:init (holding a)) (:plan (put-down a)))",
         "It did the step. Afterwards: now true (clear a) (handempty) (ontable a); no longer true (holding a)."),
        ("(observe (:goal (holding a)) (:steps 1))",
         "It reached the goal. It did 1 step: (pick-up a). "
         "Afterwards: now true (holding a); no longer true (clear a) (handempty) (ontable a)."),
        ("(observe (:init))", "It did nothing."),
        ("(simulate-policy (:policy (when (and) (pick-up a))) (:goal (holding a)) (:runs 2))",
         "It reached the goal in both runs. Each run took 1 step."),
        ("(simulate-policy (:policy (when (and) (pick-up a))) (:goal (on a b)) (:runs 3))",
         "It reached the goal in none of 3 runs. Each run took 2 steps. "
         "3 runs ended because (pick-up a) was refused."),
        ("(simulate-policy (:policy (when (clear a) (pick-up a))) (:init (clear a)))",
         "It made 1 run, without a goal. The run took 1 step. It ended because (pick-up a) was refused. "
         "It did (pick-up a) (refused). Nothing changed."),
    ],
)  # fmt: skip
def test_answers_of_an_agent(text: str, words: str) -> None:
    question = parse_question(text, AGENT.description)
    assert answer_in_words(question, AGENT.ask(question)) == words


def _runs(*reached: bool) -> PolicySimulation:
    return PolicySimulation(tuple(PolicyRun(flag, (DONE,) * (1 + flag)) for flag in reached))


_SIMULATION = PolicySimulationQuery(Policy(), GOAL)


@pytest.mark.parametrize(
    ("question", "answer", "words"),
    [
        (_SIMULATION, _runs(True, False, True, True, False),
         "It reached the goal in 3 of 5 runs. The runs took 1 to 2 steps."),
        (_SIMULATION, _runs(True, True, True), "It reached the goal in all 3 runs. Each run took 2 steps."),
        (_SIMULATION, _runs(False, False), "It reached the goal in neither run. Each run took 1 step."),
        (_SIMULATION, _runs(), "It made no run."),
        (PolicySimulationQuery(Policy()), _runs(False, False), "It made 2 runs, without a goal. Each run took 1 step."),
        (PlanOutcomeQuery((PICK,)), Refusal("no state can be set."),
         "It does not take the question: no state can be set."),
        (PlanOutcomeQuery((PICK,)), Refusal(" "), "It does not take the question: it gives no reason."),
        (PlanOutcomeQuery((PICK,)), PlanOutcome(1, (True,), State()), "It did the step. Afterwards nothing is true."),
        (PlanOutcomeQuery(()), PlanOutcome(0, (False,), State()),
         "It refused a step that is not in the plan. Afterwards nothing is true."),
        (PlanOutcomeQuery((PICK, STACK, PICK)), PlanOutcome(1, (True,), CLEAR),
         "It did 1 of 3 steps and stopped. Afterwards: (clear a)."),
        (PlanOutcomeQuery((PICK,) * 11 + (STACK,)), PlanOutcome(11, (True,) * 11 + (False,), CLEAR),
         "It did 11 of 12 steps and refused step 12, (stack a b). Afterwards: (clear a)."),
        (PlanOutcomeQuery((PICK,)), FailedPrecondition(0, (), CLEAR),
         "It refused (pick-up a). It does not say what that step needs. Afterwards: (clear a)."),
        (ReachStateQuery(GOAL), Reachability(Verdict.UNDECIDED, (DONE, REFUSED)),
         "Undecided: it did not get there, and does not know whether it can. "
         "It tried (pick-up a), (stack a b) (refused)."),
        (ObserveQuery(2, GOAL), Observation(()), "It did not reach the goal. It did nothing."),
        (PlanOutcomeQuery(()), PlanOutcome(0, (), State(Atom("p", (f"{n:03}",)) for n in range(1041))),
         "There was nothing to do. Afterwards: "
         + " ".join(f"(p {n:03})" for n in range(40)) + " ... (1,001 more)."),
    ],
)  # fmt: skip
def test_other_answers(question: Question, answer: Answer, words: str) -> None:
    assert answer_in_words(question, answer) == words


def test_refusal_of_an_agent() -> None:
    question = PlanOutcomeQuery((PICK,), State())
    words = answer_in_words(question, blocks_agent(Access.RESET).ask(question))
    assert words.startswith("It does not take the question: no state can be set")
