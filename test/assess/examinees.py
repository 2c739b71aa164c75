"""Agents to examine: the ten domains of the literature, and wrappers that bound or disturb what they answer."""

from __future__ import annotations

from pathlib import Path

from assay.agents.agent import Access
from assay.agents.questions import Answer, Question
from assay.agents.symbolic import SymbolicAgent
from assay.agents.wrappers import AgentWrapper
from assay.logic.distance import Pair, PairSet
from assay.logic.model import Model, Problem
from assay.logic.pddl import read_model, read_problem

DOMAINS = Path(__file__).resolve().parents[2] / "config" / "domains"
PUBLISHED = {
    "gripper": 17, "blocksworld": 48, "miconic": 38, "parking": 63, "logistics": 68,
    "satellite": 41, "termes": 134, "rovers": 370, "barman": 356, "freecell": 535,
}  # fmt: skip
"""Questions, and steps as well, of the published algorithm."""


def files(name: str) -> tuple[Path, Path]:
    return DOMAINS / name / "domain.pddl", DOMAINS / name / "problem.pddl"


def load(name: str) -> tuple[Model, Problem]:
    domain, problem = files(name)
    model = read_model(domain)
    return model, read_problem(problem, model)


def examinee(name: str, access: Access = Access.ANY, stops: bool = True) -> SymbolicAgent:
    return SymbolicAgent(*load(name), access, continues_after_refusal=not stops)


def literals(model: Model) -> int:
    """Number of precondition literals (k)."""
    return sum(len(capability.precondition_literals) for capability in model.capabilities)


def with_distinct_arguments(pairs: PairSet, model: Model) -> PairSet:
    """Keep the pairs without repeated arguments; a constant counts as an argument of every capability."""
    constants = [constant.name for constant in model.constants]

    def distinct(pair: Pair) -> bool:
        names = [*pair.capability.args, *constants]
        return len(set(names)) == len(names)

    return PairSet(pairs.objects, tuple(filter(distinct, pairs.pairs)))


class Bounded(AgentWrapper):
    """Fails the test that asks too much: a loop that does not end."""

    def __init__(self, agent: SymbolicAgent, most: int) -> None:
        super().__init__(agent)
        self.most = most
        self.asked: list[Question] = []

    def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        assert len(self.asked) <= self.most, f"more than {self.most} questions"
        return super().ask(question)
