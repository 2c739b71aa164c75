"""Checks evaluators on many world states: do predicates flicker, are they ever true and ever false, do they agree?

A predicate whose value hangs on a millimetre makes a robot's behaviour look random, and one that never changes
teaches nothing; both are faults of the vocabulary or of the world, not of the robot.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from math import cos, inf, sin

import numpy as np
import numpy.typing as npt

from assay.agents.findings import Severity
from assay.logic.atoms import Atom
from assay.worlds.evaluators import Evaluators, GroundGroup
from assay.worlds.primitives import SIZES, Sizes
from assay.worlds.state import Pose, WorldState
from assay.worlds.vocabulary import GroupKind


class EvaluatorCheck(Enum):
    """The checks, by the name that a report shows."""

    STATES = "there are states to check"
    FLICKER = "no predicate changes when hardly anything moves"
    SOMETIMES_TRUE = "every predicate is true at times"
    SOMETIMES_FALSE = "every predicate is false at times"
    GROUPS = "declared groups of exclusive atoms hold"


@dataclass(frozen=True)
class EvaluatorFinding:
    """One fault of a vocabulary in a world, and how to mend it."""

    severity: Severity
    check: EvaluatorCheck
    predicates: tuple[str, ...]
    example: Atom | None
    """One atom that shows the fault."""
    state: WorldState | None
    """A state that shows it, if it takes one state to show it."""
    count: int
    """In how many states it was seen."""
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity.value}: {self.message}; {self.remedy}"


@dataclass(frozen=True)
class EvaluatorReport:
    """What `check_evaluators` found in so many states."""

    states: int
    findings: tuple[EvaluatorFinding, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether there are no errors; warnings do not count."""
        return not any(finding.severity is Severity.ERROR for finding in self.findings)


@dataclass
class _Sighting:
    """In how many states something was seen, and how it looked first."""

    count: int = 0
    atom: Atom | None = None
    state: WorldState | None = None
    margin: float = inf
    last: int = -1

    def note(self, number: int, atom: Atom | None, state: WorldState, margin: float = inf) -> None:
        """Count each state once; keep the atom that is closest to its threshold."""
        self.count += number != self.last
        self.last = number
        if self.state is None or abs(margin) < abs(self.margin):
            self.atom, self.state, self.margin = atom, state, margin


@dataclass
class _Tally:
    states: int = 0
    true: Counter[Atom] = field(default_factory=Counter)
    flickers: dict[str, _Sighting] = field(default_factory=lambda: defaultdict(_Sighting))
    contradictions: dict[GroundGroup, _Sighting] = field(default_factory=lambda: defaultdict(_Sighting))


def check_evaluators(
    evaluators: Evaluators,
    states: Iterable[WorldState],
    rng: np.random.Generator,
    sizes: Sizes = SIZES,
    perturbations: int = 8,
) -> EvaluatorReport:
    """Evaluate all states, and return what is wrong.

    Flicker is told by margins; where a Python function has none, by so many random `perturbations` of each state.
    """
    unmeasurable = [atom for atom in evaluators.atoms if not evaluators.measurable(atom)]
    tally = _Tally()
    for number, state in enumerate(states):
        symbolic = evaluators.evaluate(state)
        tally.states += 1
        tally.true.update(symbolic.atoms)
        for atom, margin in evaluators.margins(state, sizes).items():
            if abs(margin) < 1:
                tally.flickers[atom.predicate].note(number, atom, state, margin)
        for _ in range(perturbations if unmeasurable else 0):
            moved = perturbed(state, sizes, rng)
            for atom in unmeasurable:
                if evaluators.holds(atom, moved) != (atom in symbolic):
                    tally.flickers[atom.predicate].note(number, atom, state)
        for group in evaluators.contradictions(symbolic):
            tally.contradictions[group].note(number, None, state)
    if not tally.states:
        nothing = EvaluatorFinding(
            Severity.ERROR, EvaluatorCheck.STATES, (), None, None, 0, "no states were given", "give some to check"
        )
        return EvaluatorReport(0, (nothing,))
    findings = (
        *_flickers(evaluators, tally, sizes),
        *_constants(evaluators, tally),
        *_contradictions(evaluators, tally),
    )
    return EvaluatorReport(tally.states, findings)


def perturbed(state: WorldState, sizes: Sizes, rng: np.random.Generator) -> WorldState:
    """Return a state in which everything is moved, turned or changed by one size, in random directions."""
    return WorldState.of(
        {name: _moved(pose, sizes, rng) for name, pose in state.poses},
        {name: value + sizes.joint * _sign(rng) for name, value in state.joints},
        dict(state.attached),
        {name: value + sizes.scalar * _sign(rng) for name, value in state.scalars},
    )


def _moved(pose: Pose, sizes: Sizes, rng: np.random.Generator) -> Pose:
    x, y, z = (float(step) for step in _direction(rng) * sizes.position)
    a, b, c = (float(part) for part in _direction(rng) * sin(sizes.angle / 2))
    d = cos(sizes.angle / 2)
    px, py, pz = pose.position
    qx, qy, qz, qw = pose.orientation
    turned = (
        d * qx + a * qw + b * qz - c * qy,
        d * qy - a * qz + b * qw + c * qx,
        d * qz + a * qy - b * qx + c * qw,
        d * qw - a * qx - b * qy - c * qz,
    )
    return Pose((px + x, py + y, pz + z), turned)


def _direction(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    vector: npt.NDArray[np.float64] = rng.standard_normal(3)
    return vector / float(np.linalg.norm(vector))


def _sign(rng: np.random.Generator) -> float:
    return 1.0 if rng.random() < 0.5 else -1.0


def _flickers(evaluators: Evaluators, tally: _Tally, sizes: Sizes) -> Iterator[EvaluatorFinding]:
    for predicate, seen in tally.flickers.items():
        tiny = (
            f"{sizes.position * 1000:g} mm, {np.degrees(sizes.angle):.2g} degrees, {sizes.joint:g} of a joint or "
            f"{sizes.scalar:g} of a scalar"
        )
        yield EvaluatorFinding(
            Severity.ERROR,
            EvaluatorCheck.FLICKER,
            (predicate,),
            seen.atom,
            seen.state,
            seen.count,
            f"{predicate} ({_place(evaluators, predicate)}) may change by {tiny} in {seen.count} of {tally.states} "
            f"states, for example {seen.atom}",
            "move its thresholds away from where things come to rest, or let things come to rest elsewhere",
        )


def _constants(evaluators: Evaluators, tally: _Tally) -> Iterator[EvaluatorFinding]:
    atoms: dict[str, list[Atom]] = {predicate.header.name: [] for predicate in evaluators.vocabulary.predicates}
    for atom in evaluators.atoms:
        atoms[atom.predicate].append(atom)
    for predicate, instances in atoms.items():
        if not instances:
            yield _constant(
                evaluators, tally, EvaluatorCheck.SOMETIMES_TRUE, Severity.WARNING, predicate, None,
                "has no instance: the world has no objects for its arguments", "add things of those types to the world",
            )  # fmt: skip
            continue
        for check, constant, word in (
            (EvaluatorCheck.SOMETIMES_TRUE, 0, "true"),
            (EvaluatorCheck.SOMETIMES_FALSE, tally.states, "false"),
        ):
            remedy = f"correct its definition or the world, or check states in which it is {word}"
            if all(tally.true[atom] == constant for atom in instances):
                said = f"was never {word}"
                yield _constant(evaluators, tally, check, Severity.ERROR, predicate, instances[0], said, remedy)
                continue
            for position, thing, found in _slices(instances):
                if all(tally.true[atom] == constant for atom in found):
                    said = f"was never {word} with {thing} as argument {position + 1}"
                    yield _constant(evaluators, tally, check, Severity.WARNING, predicate, found[0], said, remedy)


def _slices(atoms: list[Atom]) -> Iterator[tuple[int, str, list[Atom]]]:
    """Yield the atoms of a predicate that have the same object at the same position."""
    slices: dict[tuple[int, str], list[Atom]] = defaultdict(list)
    for atom in atoms:
        for position, thing in enumerate(atom.args):
            slices[position, thing].append(atom)
    for (position, thing), found in slices.items():
        yield position, thing, found


def _constant(
    evaluators: Evaluators,
    tally: _Tally,
    check: EvaluatorCheck,
    severity: Severity,
    predicate: str,
    example: Atom | None,
    said: str,
    remedy: str,
) -> EvaluatorFinding:
    message = f"{predicate} ({_place(evaluators, predicate)}) {said}, in {tally.states} states"
    return EvaluatorFinding(severity, check, (predicate,), example, None, tally.states, message, remedy)


def _contradictions(evaluators: Evaluators, tally: _Tally) -> Iterator[EvaluatorFinding]:
    for ground, seen in tally.contradictions.items():
        if seen.state is None:
            continue
        true = sorted(ground.atoms & evaluators.evaluate(seen.state).atoms)
        line, column = ground.group.place
        found = " and ".join(map(str, true)) or "none of them"
        if true:
            remedy = "bring the thresholds of their definitions together, so that the predicates exclude each other"
        else:
            remedy = (
                "widen the thresholds of their definitions, or declare the group under "
                f"{GroupKind.AT_MOST_ONE.value} if such states are meant"
            )
        yield EvaluatorFinding(
            Severity.ERROR,
            EvaluatorCheck.GROUPS,
            tuple(dict.fromkeys(pattern.predicate for pattern in ground.group.patterns)),
            true[0] if true else None,
            seen.state,
            seen.count,
            f"the group ({evaluators.vocabulary.source}:{line}:{column}) {ground.group} is contradicted in "
            f"{seen.count} of {tally.states} states: {found} true",
            remedy,
        )


def _place(evaluators: Evaluators, predicate: str) -> str:
    source = evaluators.vocabulary.source
    line, column = next(each.place for each in evaluators.vocabulary.predicates if each.header.name == predicate)
    return f"{source}:{line}:{column}"
