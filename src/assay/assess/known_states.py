"""The states that an agent is known to reach, each with the steps that lead there.

From the states that were seen, others follow by steps whose outcome is certain. Following them again and again is
dear, so it is remembered which capabilities have been followed from which states: one of which more is known now is
followed from all states anew, the others only from new ones.
"""

from __future__ import annotations

from assay.evidence.version_space import NEGATIVE, POSITIVE, CapabilitySpace, VersionSpace
from assay.logic.atoms import GroundCapability, Literal, State
from assay.logic.formulas import conjunction
from assay.logic.ground_model import GroundModel
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Model, Plan
from assay.logic.statics import Statics

MAX_STATES = 20_000


class KnownStates:
    """States in the order in which they became known; every one but the first came from an earlier one."""

    def __init__(self, space: VersionSpace, grounder: Grounder) -> None:
        self._space = space
        self._grounder = grounder
        self._states: list[State] = []
        self._bits: list[int] = []
        self._known: set[int] = set()
        self._position: dict[State, int] = {}
        self._origins: list[tuple[int, GroundCapability] | None] = []
        self._followed = 0
        self._certain: dict[str, Capability] = {}

    def __len__(self) -> int:
        return len(self._states)

    def __contains__(self, state: State) -> bool:
        return state in self._position

    def __getitem__(self, position: int) -> State:
        return self._states[position]

    def parent(self, position: int) -> int | None:
        """Return the position of the state that a state came from; None for the first one."""
        origin = self._origins[position]
        return None if origin is None else origin[0]

    def path(self, position: int) -> Plan:
        """Return the steps that lead from the first state to this one."""
        path: list[GroundCapability] = []
        while (origin := self._origins[position]) is not None:
            position, capability = origin
            path.append(capability)
        return tuple(reversed(path))

    def start(self, state: State) -> None:
        """Take the state after a reset."""
        self._add(state, self._grounder.index.bits(state.atoms), None)

    def add(self, state: State, before: State, capability: GroundCapability) -> None:
        """Take a state that was seen to come from a known one; one that is known is left as it is."""
        if state not in self._position:
            self._add(state, self._grounder.index.bits(state.atoms), (self._position[before], capability))

    def _add(self, state: State, bits: int, origin: tuple[int, GroundCapability] | None) -> None:
        self._position[state] = len(self._states)
        self._states.append(state)
        self._bits.append(bits)
        self._known.add(bits)
        self._origins.append(origin)

    def expand(self, settled: set[str]) -> bool:
        """Follow certain steps from the known states; return whether a new state was found.

        Open effects of the capabilities in `settled` are taken to be absent.
        """
        if not self._states or len(self._states) >= MAX_STATES:
            return False
        certain: dict[str, Capability] = {}
        careful = self._space.model(assume_needed=True)
        for name, space in self._space.capabilities.items():
            capability = certain_steps(space, careful.capability_by_name[name], name in settled)
            if capability is not None:
                certain[name] = capability
        changed = [capability for name, capability in certain.items() if self._certain.get(name) != capability]
        if not changed and self._followed >= len(self._states):
            return False
        self._certain = certain
        known = len(self._states)
        statics = Statics.of(careful, self._states[0])
        if changed and self._followed:
            self._follow(self._ground(careful, changed, statics), 0, self._followed)
        ground = self._ground(careful, list(certain.values()), statics)
        while self._followed < len(self._states) < MAX_STATES:
            end = len(self._states)
            self._follow(ground, self._followed, end)
            self._followed = end
        return len(self._states) > known

    def _ground(self, careful: Model, capabilities: list[Capability], statics: Statics) -> GroundModel:
        model = Model(careful.name, careful.types, careful.predicates, tuple(capabilities), careful.constants)
        return GroundModel(model, self._grounder, statics)

    def _follow(self, ground: GroundModel, start: int, end: int) -> None:
        for position in range(start, end):
            bits = self._bits[position]
            for number in ground.applicable(bits):
                operator = ground.operators[number]
                after = operator.outcomes[0].apply(bits)
                if after not in self._known:
                    self._add(ground.index.state(after), after, (position, operator.capability))
            if len(self._states) >= MAX_STATES:
                return


def certain_steps(space: CapabilitySpace, careful: Capability, settled: bool) -> Capability | None:
    """Return the capability restricted to steps with a known outcome, or None if there are none.

    An effect that is still open does not matter where the atom already has the value that it would give.
    """
    if space.executed is None:
        return None
    needed = list(careful.precondition_literals)
    for atom, modes in () if settled else space.effect.items():
        if len(modes) == 1:
            continue
        if {POSITIVE, NEGATIVE} <= modes:
            return None
        needed.append(Literal(atom, POSITIVE in modes))
    precondition = conjunction(tuple(sorted(set(needed))))
    return Capability(careful.name, careful.parameters, precondition, careful.effect)
