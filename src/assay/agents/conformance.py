"""The conformance check for agents: does an implementation keep the promises of `Agent` and of its description?

It asks some 50 to 100 questions through `Agent.ask`, with capabilities drawn at random from the headers, and looks at
every answer. Findings say how to mend the fault. Worth running before a first assessment of a new agent.
"""

from __future__ import annotations

import numpy as np

from assay.agents.agent import Access, Agent
from assay.agents.description_check import description_findings
from assay.agents.examiner import PATH_LENGTH, Examiner
from assay.agents.findings import Check, Finding, Severity, error, warning
from assay.agents.questions import (
    ActionPreconditionQuery,
    Answer,
    FailedPrecondition,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    Policy,
    PolicyRule,
    PolicySimulationQuery,
    Question,
    QuestionKind,
    Reachability,
    ReachStateQuery,
    Refusal,
    Verdict,
)
from assay.agents.sampling import unused_name
from assay.errors import AgentUnreachable, AssayError, Unsupported
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.model import Plan

__all__ = ["Check", "Finding", "Severity", "check_agent"]

_BUDGET = 2000


def check_agent(agent: Agent, seed: int = 0) -> list[Finding]:
    """Return what is wrong with the agent; an empty list if nothing was found.

    The same seed asks the same questions. Raises `AgentUnreachable` when the agent cannot be talked to; whatever
    else the agent raises becomes a finding.
    """
    try:
        description = agent.description
        if agent.description != description:
            return [_description_changed()]
        findings = list(description_findings(description))
    except AgentUnreachable:
        raise
    except Exception as fault:  # the agent's code can raise anything
        message = f"the description cannot be read: {type(fault).__name__}: {fault}"
        return [error(Check.DESCRIPTION, message, "return one AgentDescription, the same for the agent's whole life")]
    if findings:
        # Questions about names that are not names would only repeat the same faults.
        return findings
    examiner = _Examination(agent, description, np.random.default_rng(seed))
    examiner.examine()
    return examiner.findings


def _description_changed() -> Finding:
    return error(Check.DESCRIPTION, "the description changes", "keep it constant over the agent's life")


class _Examination(Examiner):
    def examine(self) -> None:
        self.start = self.where()
        self.check_kinds()
        if not self.sampler.can_ground:
            self.report(
                warning(
                    Check.CAPABILITIES,
                    "no capability can be used: none has objects of the right types for all its parameters",
                    "add capabilities, or objects of their parameters' types, to the description",
                )
            )
            return
        self.explore()
        for check in (
            self.check_plans,
            self.check_refused_steps,
            self.check_seeds,
            self.check_policies,
            self.check_reachability,
            self.check_observation,
            self.check_states,
            self.check_fresh_objects,
            self.check_bad_questions,
        ):
            check()
        if self.agent.description != self.description:
            self.report(_description_changed())

    def check_kinds(self) -> None:
        capability = self.sampler.capability() if self.sampler.can_ground else None
        plan = () if capability is None else (capability,)
        policy = Policy(tuple(PolicyRule((), step) for step in plan))
        samples: dict[QuestionKind, Question] = {
            QuestionKind.PLAN_OUTCOME: PlanOutcomeQuery(plan),
            QuestionKind.SIMULATE_POLICY: PolicySimulationQuery(policy, horizon=2),
            QuestionKind.REACH_STATE: ReachStateQuery((), budget=_BUDGET),
            QuestionKind.ACTION_PRECONDITION: ActionPreconditionQuery(plan),
            QuestionKind.OBSERVE: ObserveQuery(2),
        }
        for kind, question in samples.items():
            if self.answers(kind):
                self.ask(question)
            elif (answer := self.attempt(question)) is not None and not isinstance(answer, Unsupported):
                self.report(
                    error(
                        Check.UNSUPPORTED_KINDS,
                        f"{kind.value} is not among the declared kinds, but the agent gave {type(answer).__name__}",
                        f"raise Unsupported, or add {kind.value} to `supports` if it is answered",
                    )
                )

    def check_plans(self) -> None:
        if not self.answers(QuestionKind.PLAN_OUTCOME):
            return
        for plan in self.some_plans():
            first = self.ask(PlanOutcomeQuery(plan))
            if self.deterministic:
                self.same_again(PlanOutcomeQuery(plan), first, 2, self.determinism_finding)
            if self.answers(QuestionKind.ACTION_PRECONDITION):
                self.check_precondition(plan, first)
        plan = (*self.refused_plan, self.sampler.capability())
        question = PlanOutcomeQuery(plan, continue_after_refusal=True)
        if self.description.continues_after_refusal:
            self.ask(question)
        elif (answer := self.attempt(question)) is not None and not isinstance(answer, AssayError | Refusal):
            self.report(
                error(
                    Check.CONTINUES,
                    "asked to go on after a refusal, which it declares not to do, the agent answered all the same",
                    "raise Unsupported, or declare `continues_after_refusal=True` if it goes on",
                )
            )

    def check_precondition(self, plan: Plan, outcome: Answer | None) -> None:
        answer = self.ask(ActionPreconditionQuery(plan))
        comparable = self.deterministic and self.description.reports_execution
        if not comparable or not isinstance(answer, FailedPrecondition) or not isinstance(outcome, PlanOutcome):
            return
        if answer.prefix_length != outcome.prefix_length:
            self.report(
                error(
                    Check.PRECONDITION,
                    f"{' '.join(map(str, plan))}: {outcome.prefix_length} steps ran as a plan, "
                    f"{answer.prefix_length} when asked for the failed precondition",
                    "execute the plan in the same way for both kinds of questions",
                )
            )

    def check_refused_steps(self) -> None:
        """Compare a plan that ends in a refused step with the same plan without that step."""
        if not (self.deterministic and self.answers(QuestionKind.PLAN_OUTCOME)):
            return
        for _ in range(6):
            plan = (*self.plan[: self.sampler.number(len(self.plan) + 1)], self.sampler.capability())
            answer = self.ask(PlanOutcomeQuery(plan))
            if not isinstance(answer, PlanOutcome) or answer.prefix_length == len(plan):
                continue
            shorter = self.ask(PlanOutcomeQuery(plan[: answer.prefix_length]))
            if isinstance(shorter, PlanOutcome) and shorter.final_state != answer.final_state:
                self.report(
                    error(
                        Check.REFUSED_STEP,
                        f"the agent refused {plan[answer.prefix_length]}, yet the state changed",
                        "leave the state as it is when a step is refused",
                    )
                )

    def determinism_finding(self, question: Question) -> Finding:
        return error(
            Check.DETERMINISM,
            f"the same {question.kind.value} question had two different answers",
            "declare the agent stochastic (or unknown), or reset it fully before each question",
        )

    def seed_finding(self, question: Question) -> Finding:
        # A real robot cannot replay its luck; whoever can set states is a simulation and can.
        severity = Severity.WARNING if self.description.access is Access.RESET else Severity.ERROR
        return Finding(
            severity,
            Check.SEED,
            f"the same {question.kind.value} question with the same seed had two different answers",
            "draw every random choice of an answer from a generator made from the question's seed",
        )

    def check_seeds(self) -> None:
        plan = self.plan or tuple(self.sampler.capability() for _ in range(3))
        policy = Policy((PolicyRule((), plan[0]),))
        for seed in (self.sampler.number(2**31), 2**32 + 1):
            questions: tuple[Question, ...] = (
                PlanOutcomeQuery(plan, seed=seed),
                PolicySimulationQuery(policy, horizon=3, runs=2, seed=seed),
                ObserveQuery(4, seed=seed),
            )
            for question in questions:
                if self.answers(question.kind):
                    self.same_again(question, self.ask(question), 1, self.seed_finding)

    def check_policies(self) -> None:
        if not self.answers(QuestionKind.SIMULATE_POLICY):
            return
        rules = tuple(PolicyRule(_literals(step.before), step.capability) for step in self.path)
        always = Policy((PolicyRule((), self.plan[0] if self.plan else self.sampler.capability()),))
        for question in (
            PolicySimulationQuery(Policy(rules), self.goal, PATH_LENGTH + 2, 3),
            PolicySimulationQuery(Policy(rules), horizon=1, runs=2),
            PolicySimulationQuery(always, horizon=3, runs=2),
            PolicySimulationQuery(Policy(), runs=2),
        ):
            first = self.ask(question)
            if self.deterministic:
                self.same_again(question, first, 1, self.determinism_finding)

    def check_reachability(self) -> None:
        if not self.answers(QuestionKind.REACH_STATE):
            return
        if self.path:
            # Where a reset or luck can lead elsewhere, "not reached" may be true this time.
            self.check_verdict(self.ask(ReachStateQuery(self.goal, budget=_BUDGET)), self.deterministic)
            if self.description.access is Access.ANY:
                end = self.path[-1].after
                self.check_verdict(self.ask(ReachStateQuery(_literals(end), end, budget=_BUDGET)), True)
        goal = tuple(Literal(atom, bool(self.sampler.number(2))) for atom in self.sampler.state())[:2]
        self.ask(ReachStateQuery(goal, budget=_BUDGET))

    def check_verdict(self, answer: Answer | None, certain: bool) -> None:
        if certain and isinstance(answer, Reachability) and answer.verdict is Verdict.NOT_REACHED:
            self.report(
                error(
                    Check.REACHABLE,
                    "the agent was in a state before, and now says that it cannot be reached",
                    "say UNDECIDED unless the search was complete",
                )
            )

    def check_observation(self) -> None:
        if not self.answers(QuestionKind.OBSERVE):
            return
        for question in (
            ObserveQuery(1),
            ObserveQuery(0),
            ObserveQuery(PATH_LENGTH, self.goal),
            ObserveQuery(1, self.goal),
        ):
            self.ask(question)

    def check_states(self) -> None:
        """Set states, as far as the agent's access goes, and see whether it is in them."""
        match self.description.access:
            case Access.RESET:
                self.check_foreign_state()
                return
            case Access.ANY:
                states = [self.start, *(self.sampler.state() for _ in range(3)), State()]
            case Access.REALISABLE | Access.SEEN:
                states = [self.where()]
        for state in states:
            if state is None:
                continue
            self.expect_state(state, ())
            if self.answers(QuestionKind.PLAN_OUTCOME):
                for _ in range(2):
                    self.ask(PlanOutcomeQuery((self.sampler.capability(),), state))
            if self.answers(QuestionKind.SIMULATE_POLICY):
                rule = PolicyRule((), self.sampler.capability())
                self.ask(PolicySimulationQuery(Policy((rule,)), horizon=1, initial=state))
            if self.answers(QuestionKind.OBSERVE):
                self.ask(ObserveQuery(1, None, state))

    def check_foreign_state(self) -> None:
        foreign = next((state for state in self.sampler.states(20) if state != self.start), None)
        if foreign is None or self.start is None:
            return
        self.expect_refusal(PlanOutcomeQuery((), foreign), Check.FOREIGN_STATE, "a state that it cannot be set to")

    def check_fresh_objects(self) -> None:
        objects = self.sampler.fresh_objects()
        if not objects:
            return
        sampler = self.sampler.over(objects)
        state = sampler.state()
        if self.description.fixed_objects:
            question = PlanOutcomeQuery((), state, objects)
            self.expect_refusal(question, Check.FRESH_OBJECTS, "objects that are not its own, though its are fixed")
        elif self.description.access is Access.ANY:
            self.expect_state(state, objects)
            if sampler.can_ground and self.answers(QuestionKind.PLAN_OUTCOME):
                self.ask(PlanOutcomeQuery((sampler.capability(),), state, objects))

    def check_bad_questions(self) -> None:
        step = self.sampler.capability()
        nothing = unused_name("nothing", self.description)
        bad_steps = {
            "an unknown capability": GroundCapability(nothing, step.args),
            "too many arguments": step._replace(args=(*step.args, *(step.args[:1] or (nothing,)))),
        }
        if with_arguments := self.sampler.capability_with_arguments():
            bad_steps["an unknown object"] = with_arguments._replace(args=(nothing, *with_arguments.args[1:]))
            bad_steps["too few arguments"] = with_arguments._replace(args=with_arguments.args[1:])
        for what, bad in bad_steps.items():
            self.expect_error(PlanOutcomeQuery((bad,)), what)
            self.expect_error(ActionPreconditionQuery((bad,)), what)
            self.expect_error(PolicySimulationQuery(Policy((PolicyRule((), bad),))), what)
        unknown = Atom(nothing)
        self.expect_error(ReachStateQuery((Literal(unknown),), budget=_BUDGET), "an unknown predicate in the goal")
        self.expect_error(ObserveQuery(1, (Literal(unknown),)), "an unknown predicate in the goal")
        self.expect_error(PlanOutcomeQuery((), State((unknown,))), "an unknown predicate in the state")


def _literals(state: State) -> tuple[Literal, ...]:
    return tuple(Literal(atom) for atom in state)
