"""How a learned stochastic model compares with the true one; used by the stochastic benchmark alone.

Outcomes are compared by what they change where the precondition holds: an effect that only confirms the precondition
is void, and outcomes that then change the same are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TypeAlias

import numpy as np

from assay.assess.stochastic import StochasticAssessment
from assay.assess.stochastic_settings import StochasticSettings
from assay.evidence.intervals import trials_for_bound, trials_for_width
from assay.logic.atoms import Literal
from assay.logic.compare import compare_modes
from assay.logic.distance import Pair, PairSet
from assay.logic.effects import ConditionalLiteral, Outcome
from assay.logic.ground_model import GroundModel
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Model, Problem
from assay.logic.operators import Operator
from assay.logic.pairs import arbitrary_pairs, reachable_pairs
from assay.logic.pal import Location, effective_literals, rename_parameters
from assay.logic.pddl import read_model, read_problem
from benchmarks.common import REPOSITORY

TESTS = ("test1.pddl", "test2.pddl")
PAIRS = 600
PAIR_SEED = 20
Outcomes: TypeAlias = Mapping[frozenset[Literal], Fraction]


@dataclass(frozen=True)
class Task:
    """A true model, its training problem, and the fixed pairs on which learned models are scored.

    The pairs of a problem are of reachable states; the arbitrary ones are of any states over the test objects.
    """

    name: str
    model: Model
    problem: Problem
    training_pairs: PairSet
    test_pairs: tuple[PairSet, ...]
    arbitrary_pairs: tuple[PairSet, ...]


@cache
def load(name: str) -> Task:
    """Read a domain of `config/domains` with its training and test problems."""
    directory = REPOSITORY / "config" / "domains" / name
    model = read_model(directory / "domain.pddl")
    problem = read_problem(directory / "problem.pddl", model)
    tests = [read_problem(directory / test, model) for test in TESTS]
    pairs = [with_near_misses(model, reachable_pairs(model, one, PAIRS, PAIR_SEED)) for one in (problem, *tests)]
    arbitrary = tuple(arbitrary_pairs(model, PAIRS, PAIR_SEED, test.objects) for test in tests)
    return Task(name, model, problem, pairs[0], tuple(pairs[1:]), arbitrary)


def with_near_misses(truth: Model, pair_set: PairSet) -> PairSet:
    """Add pairs that one literal of the precondition keeps from being executable, as many as the set has already.

    Arguments drawn at random are mostly wrong in several ways, and then hardly any missing precondition shows.
    """
    grounder = Grounder(truth.types, (*truth.constants, *pair_set.objects))
    states = {grounder.index.bits(pair.state.atoms): pair.state for pair in pair_set.pairs}
    missed: dict[str, list[Pair]] = {capability.name: [] for capability in truth.capabilities}
    for ground in dict.fromkeys(pair.capability for pair in pair_set.pairs):
        operator = grounder.operator(truth.capability_by_name[ground.name], ground.args)
        if operator is not None:
            needs = operator.condition
            missed[ground.name] += [
                Pair(state, ground)
                for bits, state in states.items()
                if (needs.positive & ~bits).bit_count() + (needs.negative & bits).bit_count() == 1
            ]
    rng = np.random.default_rng(PAIR_SEED)
    most = max(1, len(pair_set.pairs) // len(truth.capabilities))
    chosen = [found[i] for found in missed.values() for i in rng.permutation(len(found))[:most].tolist()]
    return PairSet(pair_set.objects, tuple(dict.fromkeys((*pair_set.pairs, *chosen))))


# Preconditions, outcomes and odds


def effective_outcomes(capability: Capability, needs: tuple[Literal, ...]) -> Outcomes:
    """Return what may change where the literals `needs` hold, with its probability."""
    merged: dict[frozenset[Literal], Fraction] = {}
    for outcome in capability.outcomes:
        changes = effective_literals(outcome, needs)
        merged[changes] = merged.get(changes, Fraction(0)) + (outcome.probability or Fraction(0))
    return merged


def total_variation(ours: Outcomes, theirs: Outcomes) -> float:
    """Return the total-variation distance of two distributions over outcomes."""
    zero = Fraction(0)
    return float(sum((abs(ours.get(k, zero) - theirs.get(k, zero)) for k in ours.keys() | theirs.keys()), zero) / 2)


@dataclass(frozen=True)
class Errors:
    """What is wrong in a learned model.

    `tv` is the mean over the truly stochastic capabilities of the total-variation error of their outcomes, where a
    wrong precondition or no execution at all counts 1; `tv_outcomes` does not look at preconditions.
    """

    wrong_preconditions: int
    missed_outcomes: int
    spurious_outcomes: int
    tv: float
    tv_outcomes: float

    @property
    def exact(self) -> bool:
        """Whether all preconditions and sets of outcomes are right."""
        return not (self.wrong_preconditions or self.missed_outcomes or self.spurious_outcomes)


def errors(learned: Model, truth: Model, never_executed: Collection[str] = ()) -> Errors:
    """Compare a learned model with the true one."""
    modes = compare_modes(learned, truth)
    wrong = Counter(d.capability for d in (*modes.missing, *modes.extra) if d.location == Location.PRECONDITION.value)
    missed = spurious = 0
    tv: list[float] = []
    tv_outcomes: list[float] = []
    for capability in truth.capabilities:
        needs = capability.precondition_literals
        own = rename_parameters(learned.capability_by_name[capability.name], capability)
        ours, theirs = effective_outcomes(own, needs), effective_outcomes(capability, needs)
        if capability.name in never_executed:
            ours = {}
        missed += len(theirs.keys() - ours.keys())
        spurious += len(ours.keys() - theirs.keys())
        if len(theirs) > 1:
            tv_outcomes.append(total_variation(ours, theirs) if ours else 1.0)
            tv.append(1.0 if wrong[capability.name] else tv_outcomes[-1])
    count = max(1, len(tv))
    return Errors(wrong.total(), missed, spurious, sum(tv) / count, sum(tv_outcomes) / count)


def intervals_hold(found: StochasticAssessment, truth: Model) -> list[bool]:
    """Tell of every interval of a run whether the true probability lies in it.

    A true outcome that was not reported is a miss; so is a reported one that there is not, unless its interval begins
    at 0.
    """
    held: list[bool] = []
    for capability in truth.capabilities:
        needs, true = capability.precondition_literals, effective_outcomes(capability, capability.precondition_literals)
        atoms = found.space.capabilities[capability.name].atoms
        reported: dict[frozenset[Literal], tuple[float, float]] = {}
        for item in found.odds[capability.name].outcomes:
            literals = [Literal(atom, True) for n, atom in enumerate(atoms) if item.changes.added >> n & 1]
            literals += [Literal(atom, False) for n, atom in enumerate(atoms) if item.changes.deleted >> n & 1]
            outcome = Outcome(None, tuple(map(ConditionalLiteral, literals)))
            reported[effective_literals(outcome, needs)] = item.lower, item.upper
        for key in true.keys() | reported.keys():
            lower, upper = reported.get(key, (1.0, 0.0))
            held.append(lower <= true.get(key, Fraction(0)) <= upper)
    return held


def samples_in_theory(truth: Model, settings: StochasticSettings) -> int:
    """Return what fixed-sample theory needs for the precision and confidence, if the odds were known beforehand.

    The error is shared among the capabilities, and within one among its outcomes if there are more than two. What was
    never seen must be bounded by the precision too.
    """
    error = (1 - settings.confidence) / len(truth.capabilities)
    total = 0
    for capability in truth.capabilities:
        odds = effective_outcomes(capability, capability.precondition_literals)
        share = error / len(odds) if len(odds) > 2 else error
        widths = [trials_for_width(float(p), settings.precision, share) for p in odds.values()]
        total += max(*widths, trials_for_bound(settings.precision, error))
    return total


# Predictions


@dataclass(frozen=True)
class Predictions:
    """On how many (state, ground capability) pairs a model was asked, and how often its support was wrong.

    The support says whether a capability can be executed, and which states may follow.
    """

    pairs: int
    executable: int
    wrong: int


@cache
def reachable_states(name: str) -> tuple[GroundModel, tuple[int, ...]]:
    """Return every state that the true model can reach from the training problem's initial state."""
    task = load(name)
    ground = GroundModel.of_problem(task.model, task.problem, prune=False)
    start = ground.bits(task.problem.init)
    found, waiting = {start: None}, [start]
    while waiting:
        bits = waiting.pop()
        for number in ground.applicable(bits):
            for outcome in ground.operators[number].outcomes:
                after = outcome.apply(bits)
                if after not in found:
                    found[after] = None
                    waiting.append(after)
    return ground, tuple(found)


def predictions_everywhere(learned: Model, name: str) -> Predictions:
    """Compare the support of the predictions in every reachable state, for every ground capability there is."""
    task = load(name)
    ground, states = reachable_states(name)
    pairs = executable = wrong = 0
    for ours, theirs in _operators(learned, task.model, ground.grounder):
        mask = _relevant(ours) | _relevant(theirs)
        for bits, times in Counter(state & mask for state in states).items():
            expected = theirs.distribution(bits).keys()
            pairs += times
            executable += times * bool(expected)
            wrong += times * (ours.distribution(bits).keys() != expected)
    return Predictions(pairs, executable, wrong)


def predictions_on(learned: Model, truth: Model, pair_sets: Sequence[PairSet]) -> Predictions:
    """Compare the support of the predictions on fixed pairs."""
    pairs = executable = wrong = 0
    for pair_set in pair_sets:
        grounder = Grounder(truth.types, (*truth.constants, *pair_set.objects))
        for pair in pair_set.pairs:
            bits = grounder.index.bits(pair.state.atoms)
            schema = truth.capability_by_name[pair.capability.name]
            own = rename_parameters(learned.capability_by_name[schema.name], schema)
            ours, theirs = (grounder.operator(one, pair.capability.args) for one in (own, schema))
            expected = theirs.distribution(bits).keys() if theirs is not None else set()
            pairs += 1
            executable += bool(expected)
            wrong += (ours.distribution(bits).keys() if ours is not None else set()) != expected
    return Predictions(pairs, executable, wrong)


def _operators(learned: Model, truth: Model, grounder: Grounder) -> Iterator[tuple[Operator, Operator]]:
    """Yield the learned and the true operator for all arguments that the types allow."""
    for schema in truth.capabilities:
        own = rename_parameters(learned.capability_by_name[schema.name], schema)
        for args in product(*(grounder.objects_of(parameter.types) for parameter in schema.parameters)):
            ours, theirs = grounder.operator(own, args), grounder.operator(schema, args)
            if ours is not None and theirs is not None:
                yield ours, theirs


def _relevant(operator: Operator) -> int:
    """Return the atoms on which the prediction depends; all of them where conditions are more than literals."""
    condition = operator.condition
    if condition.clauses or any(outcome.conditional for outcome in operator.outcomes):
        return -1
    relevant = condition.positive | condition.negative
    for outcome in operator.outcomes:
        relevant |= outcome.adds | outcome.deletes
    return relevant
