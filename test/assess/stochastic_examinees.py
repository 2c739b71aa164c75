"""The stochastic agents to examine, and what a learned model must get right."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from examinees import load

from assay.agents.agent import Access
from assay.agents.symbolic import SymbolicAgent
from assay.assess.stochastic import StochasticAssessment
from assay.logic.atoms import Literal
from assay.logic.compare import compare_modes
from assay.logic.distance import Pair
from assay.logic.ground_model import GroundModel
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Model, Problem
from assay.logic.pal import effective_literals

AGENTS = ("driver", "warehouse", "cafe_paper", "elevators", "first_responder", "cafe_released")
SMALL = ("driver", "warehouse", "cafe_paper", "elevators", "cafe_released")
"""Those all of whose reachable states can be gone through in a moment."""


def played(name: str, access: Access = Access.ANY, seed: int = 1, **options: Any) -> SymbolicAgent:
    return SymbolicAgent(*load(name), access, seed, **options)


def outcome_sets(capability: Capability) -> set[frozenset[Literal]]:
    return {effective_literals(outcome, capability.precondition_literals) for outcome in capability.outcomes}


def assert_same_outcomes(learned: Model, truth: Model, names: Iterable[str] | None = None) -> None:
    """No outcome is missing and none is spurious."""
    for name in names if names is not None else truth.capability_by_name:
        ours, theirs = learned.capability_by_name[name], truth.capability_by_name[name]
        assert outcome_sets(ours) == outcome_sets(theirs), name
        assert len(ours.outcomes) == len(theirs.outcomes), name


def assert_learned(result: StochasticAssessment, truth: Model) -> None:
    """Preconditions and outcomes are exactly those of the truth, and nothing is open."""
    comparison = compare_modes(result.document.model, truth)
    assert comparison.accuracy == 1.0, (comparison.missing, comparison.extra)
    assert_same_outcomes(result.document.model, truth)
    assert result.undecided == ()
    assert result.never_executed == ()


def all_pairs(truth: Model, problem: Problem) -> list[Pair]:
    """Return every reachable state with every ground capability, equal arguments included."""
    ground = GroundModel.of_problem(truth, problem, prune=False)
    known = {ground.bits(problem.init)}
    queue = list(known)
    while queue:
        bits = queue.pop()
        for number in ground.applicable(bits):
            for outcome in ground.operators[number].outcomes:
                if (successor := outcome.apply(bits)) not in known:
                    known.add(successor)
                    queue.append(successor)
    states = [ground.index.state(bits) for bits in sorted(known)]
    return [Pair(state, operator.capability) for state in states for operator in ground.operators]


def assert_same_support(learned: Model, truth: Model, problem: Problem, pairs: Iterable[Pair]) -> None:
    """In every pair both models can execute or cannot, and the same states may follow."""
    grounder = Grounder.for_problem(truth, problem)
    for pair in pairs:
        bits = grounder.index.bits(pair.state.atoms)
        ours, theirs = (
            grounder.operator(model.capability_by_name[pair.capability.name], pair.capability.args)
            for model in (learned, truth)
        )
        assert ours is not None
        assert theirs is not None
        assert set(ours.distribution(bits)) == set(theirs.distribution(bits)), pair
