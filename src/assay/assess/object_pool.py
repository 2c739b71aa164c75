"""Objects for chained tests: each step of a question gets some that no other step of it has."""

from __future__ import annotations

from assay.agents.agent import AgentDescription
from assay.assess.bystanders import bystanding_types
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
        self._wanted = bystanding_types(description)
        self._true: list[TypedName] = []
        self._false: list[TypedName] = []
        if not self._fixed:
            for name, count in self._wanted.items():
                self._true += [TypedName(self._new_name(f"other-{name}-{i + 1}"), (name,)) for i in range(count)]
                self._false.append(TypedName(self._new_name(f"other-{name}-{count + 1}"), (name,)))
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
            fresh = (TypedName(n, (t,)) for t, names in self._by_type.items() for n in names)
            self._objects = (*fresh, *self._true, *self._false)
        return self._objects

    def bystanders(self, question: int) -> tuple[tuple[TypedName, ...], tuple[TypedName, ...]]:
        """Return objects that no step has: those to be given true atoms, and those to be given none.

        Where objects are fixed, these are the ones left over. A single one of its type is chosen for the first kind
        in every other question, so that it is seen both ways.
        """
        if not self._fixed:
            return tuple(self._true), tuple(self._false)
        chosen: list[TypedName] = []
        others: list[TypedName] = []
        for name, count in self._wanted.items():
            left = [thing for thing in self._free if self._types.fits(self._own[thing], (name,))]
            first = question % 2 if len(left) == 1 else min(count, len(left) - 1)
            chosen += [TypedName(thing, self._own[thing]) for thing in left[:first]]
            others += [TypedName(thing, self._own[thing]) for thing in left[first : first + 1]]
        return tuple(chosen), tuple(others)

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
                names.append(self._new_name(f"{type_name}-{len(names) + 1}"))
            self._objects = None
        self._used[type_name] = used + 1
        return names[used]

    def _new_name(self, name: str) -> str:
        while name.lower() in self._taken_names:
            name += "x"
        self._taken_names.add(name.lower())
        return name
