"""Evaluators: a vocabulary compiled for the objects of a world, which turn world states into symbolic states.

    evaluators = Evaluators(load_vocabulary_file("cafe.yaml"), geometry)
    evaluators.evaluate(world_state)      # State((at counter cup) (empty-arm) ...)

They are pure: equal world states give equal symbolic states, in any order and in any process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from assay.logic.atoms import Atom, State
from assay.logic.types import TypedName
from assay.marked_yaml import YamlFault, listed_faults
from assay.worlds.errors import VocabularyError
from assay.worlds.geometry import WorldGeometry
from assay.worlds.primitives import SIZES, FunctionFault, GroundTest, Sizes
from assay.worlds.state import WorldState
from assay.worlds.vocabulary import ANY, DefinedPredicate, Group, GroupKind, Vocabulary

MAX_ATOMS = 100_000


@dataclass(frozen=True)
class GroundGroup:
    """The atoms of a group for certain objects, of which one (or at most one) is true in every state."""

    group: Group
    atoms: frozenset[Atom]

    def allows(self, state: State) -> bool:
        """Tell whether a state agrees with the group."""
        count = len(self.atoms & state.atoms)
        return count == 1 or (count == 0 and self.group.kind is GroupKind.AT_MOST_ONE)


class Evaluators:
    """The predicates of a vocabulary for all objects of a world. Immutable, and safe for several threads."""

    def __init__(self, vocabulary: Vocabulary, world: WorldGeometry) -> None:
        """Compile. Raises `VocabularyError` for each predicate that does not fit the world."""
        self.vocabulary = vocabulary
        self.world = world
        self.objects = vocabulary.objects_in(world)
        faults = []
        tests: list[tuple[Atom, GroundTest]] = []
        for predicate in vocabulary.predicates:
            try:
                tests.extend(self._ground(predicate, MAX_ATOMS - len(tests)))
            except YamlFault as fault:
                faults.append((fault.place, f"predicate {predicate.header.name}: {fault.message}"))
        if faults:
            raise VocabularyError(listed_faults(vocabulary.source, faults))
        self._tests = dict(tests)
        self._holds = tuple((atom, test.holds) for atom, test in tests)
        self._predicates = {predicate.header.name: predicate for predicate in vocabulary.predicates}
        self.groups: tuple[GroundGroup, ...] = tuple(
            ground for group in vocabulary.groups for ground in self._ground_group(group)
        )

    def __reduce__(self) -> tuple[type[Evaluators], tuple[Vocabulary, WorldGeometry]]:
        """Compile again in another process: compiled functions do not travel."""
        return (Evaluators, (self.vocabulary, self.world))

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """All ground atoms, in the order of the vocabulary."""
        return tuple(self._tests)

    def evaluate(self, state: WorldState) -> State:
        """Return the symbolic state. Raises `VocabularyError` if the world state lacks what a predicate reads."""
        try:
            return State([atom for atom, holds in self._holds if holds(state)])
        except (KeyError, FunctionFault):
            for atom in self._tests:
                self.holds(atom, state)
            raise

    def holds(self, atom: Atom, state: WorldState) -> bool:
        """Tell whether one atom is true. Raises `VocabularyError` as `evaluate` does."""
        test = self._tests.get(atom)
        if test is None:
            raise VocabularyError(f"{self.vocabulary.source}: {atom} is not an atom of this vocabulary and world")
        try:
            return test.holds(state)
        except KeyError as error:
            raise self._lacking(atom, error, state) from error
        except FunctionFault as error:
            raise VocabularyError(f"{self._where(atom)}: {atom}: {error}") from error

    def margins(self, state: WorldState, sizes: Sizes = SIZES) -> dict[Atom, float]:
        """Return for each measurable atom how many `sizes` it is from changing: positive if true, negative if false.

        Infinite ones cannot change by a small move. Atoms defined by Python functions are left out.
        """
        margins = {}
        for atom, test in self._tests.items():
            if self.measurable(atom):
                try:
                    margins[atom] = test.margin(state, sizes)
                except KeyError as error:
                    raise self._lacking(atom, error, state) from error
        return margins

    def measurable(self, atom: Atom) -> bool:
        """Tell whether `margins` has the atom: not if a Python function is in its definition."""
        return self._predicates[atom.predicate].definition.measurable

    def contradictions(self, state: State) -> list[GroundGroup]:
        """Return the declared groups that a symbolic state does not agree with."""
        return [group for group in self.groups if not group.allows(state)]

    def _ground(self, predicate: DefinedPredicate, room: int) -> Iterator[tuple[Atom, GroundTest]]:
        parameters = predicate.header.parameters
        fitting = self._fitting(parameters)
        if prod(map(len, fitting)) > room:
            raise YamlFault(
                predicate.place, f"more than {MAX_ATOMS:,} ground atoms; give it fewer arguments, or narrower types"
            )
        for objects in product(*fitting):
            arguments = {parameter.name[1:]: name for parameter, name in zip(parameters, objects, strict=True)}
            yield Atom(predicate.header.name, objects), predicate.definition.ground(arguments, self.world)

    def _ground_group(self, group: Group) -> Iterator[GroundGroup]:
        for objects in product(*self._fitting(group.parameters)):
            binding = {parameter.name: name for parameter, name in zip(group.parameters, objects, strict=True)}
            atoms = (atom for pattern in group.patterns for atom in self._matching(pattern, binding))
            yield GroundGroup(group, frozenset(atoms))

    def _matching(self, pattern: Atom, binding: Mapping[str, str]) -> Iterator[Atom]:
        fitting = self._fitting(self._predicates[pattern.predicate].header.parameters)
        for argument, names in zip(pattern.args, fitting, strict=True):
            if argument != ANY:
                wanted = binding.get(argument, argument)
                names[:] = [name for name in names if name == wanted]
        return (Atom(pattern.predicate, objects) for objects in product(*fitting))

    def _fitting(self, parameters: Iterable[TypedName]) -> list[list[str]]:
        return [_of_types(self.objects, parameter.types, self.vocabulary) for parameter in parameters]

    def _where(self, atom: Atom) -> str:
        line, column = self._predicates[atom.predicate].place
        return f"{self.vocabulary.source}:{line}:{column}"

    def _lacking(self, atom: Atom, error: KeyError, state: WorldState) -> VocabularyError:
        names = ", ".join([*state.pose, *state.joint, *state.scalar])
        return VocabularyError(
            f"{self._where(atom)}: {atom} needs {error}, which is no pose, joint or scalar of the world state; it has: "
            f"{names or 'none'}"
        )


def _of_types(objects: Sequence[TypedName], types: tuple[str, ...], vocabulary: Vocabulary) -> list[str]:
    return [thing.name for thing in objects if vocabulary.types.fits(thing.types, types)]
