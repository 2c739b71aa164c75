"""Objects for chained tests: each step of a question gets some that no other step of it has."""

from __future__ import annotations

from assay.agents.agent import AgentDescription
from assay.evidence.version_space import CapabilitySpace
from assay.logic.types import TypedName


class ObjectPool:
    """Objects for the steps of one question: fresh ones, or the agent's own where they are fixed.

    The set grows and never shrinks, so that an agent can keep what it knows about it from question to question.
    """

    def __init__(self, description: AgentDescription) -> None:
        self._fixed = description.fixed_objects
        self._types = description.types
        self._taken_names = {constant.name.lower() for constant in description.constants}
        self._by_type: dict[str, list[str]] = {}
        self._used: dict[str, int] = {}
        self._own = {thing.name: thing.types for thing in description.objects}
        self._free: list[str] = []
        self._objects: tuple[TypedName, ...] | None = None

    def restart(self) -> None:
        """Make all objects free again."""
        self._used = dict.fromkeys(self._by_type, 0)
        self._free = list(self._own)

    @property
    def objects(self) -> tuple[TypedName, ...]:
        """The objects of a question; empty where they are the agent's own."""
        if self._fixed:
            return ()
        if self._objects is None:
            self._objects = tuple(TypedName(n, (t,)) for t, names in self._by_type.items() for n in names)
        return self._objects

    def fits(self, capability: CapabilitySpace) -> bool:
        """Tell whether enough objects are free for one more step."""
        if not self._fixed:
            return True
        free = list(self._free)
        for parameter in capability.header.parameters:
            found = next((name for name in free if self._types.fits(self._own[name], parameter.types)), None)
            if found is None:
                return False
            free.remove(found)
        return True

    def take(self, capability: CapabilitySpace) -> tuple[str, ...]:
        """Return distinct objects that no other step of this question has."""
        args = []
        for parameter in capability.header.parameters:
            if self._fixed:
                name = next(n for n in self._free if self._types.fits(self._own[n], parameter.types))
                self._free.remove(name)
            else:
                name = self._fresh(parameter.types[0])
            args.append(name)
        return tuple(args)

    def _fresh(self, type_name: str) -> str:
        names = self._by_type.setdefault(type_name, [])
        used = self._used.get(type_name, 0)
        if used == len(names):
            while len(names) < max(8, 2 * used):  # by doubling, so that the set seldom changes
                name = f"{type_name}-{len(names) + 1}"
                while name.lower() in self._taken_names:
                    name += "x"
                self._taken_names.add(name.lower())
                names.append(name)
            self._objects = None
        self._used[type_name] = used + 1
        return names[used]
