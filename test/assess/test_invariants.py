"""Invariants hold in every state they were learned from, and mended states keep them."""

from __future__ import annotations

import pytest
from examinees import examinee, load

from assay.agents.agent import Access
from assay.assess.invariants import Invariants
from assay.logic.atoms import Atom, State
from assay.logic.pairs import reachable_pairs


def learned(name: str) -> tuple[Invariants, list[State]]:
    states = list(dict.fromkeys(pair.state for pair in reachable_pairs(*load(name), 1000, 0).pairs))
    invariants = Invariants(examinee(name, Access.REALISABLE).description)
    for state in states:
        invariants.watch(state)
    return invariants, states


def exactly_one(invariants: Invariants) -> set[frozenset[tuple[str, int]]]:
    return {
        frozenset((part.predicate, part.place) for part in group.parts)
        for group, exactly in invariants.groups()
        if exactly
    }


def test_the_groups_of_known_domains_are_found() -> None:
    blocks = exactly_one(learned("blocksworld")[0])
    assert {("handempty", -1), ("holding", -1)} in blocks
    assert {("ontable", 0), ("on", 0), ("holding", 0)} in blocks
    assert {("clear", 0), ("on", 1), ("holding", 0)} in blocks
    assert {("at", 0), ("in", 0)} in exactly_one(learned("logistics")[0])


@pytest.mark.parametrize("name", ["gripper", "blocksworld", "miconic", "logistics", "satellite", "parking"])
def test_a_state_that_was_seen_needs_no_repair(name: str) -> None:
    invariants, states = learned(name)
    assert invariants.groups()
    for state in states[:50]:
        assert invariants.repaired(state.atoms, {}) == state


def test_an_invariant_is_dropped_as_soon_as_a_state_breaks_it() -> None:
    invariants, states = learned("blocksworld")
    before = exactly_one(invariants)
    broken = State(atom for atom in states[0].atoms if atom.predicate not in ("handempty", "holding"))
    invariants.watch(broken)
    gone = before - exactly_one(invariants)
    assert {("handempty", -1), ("holding", -1)} in gone
    assert invariants.repaired(broken.atoms, {}) == broken


def test_a_mended_state_keeps_what_is_fixed_and_all_groups() -> None:
    invariants, states = learned("logistics")
    state = next(state for state in states if any(atom.predicate == "in" for atom in state.atoms))
    inside = next(atom for atom in state if atom.predicate == "in")
    mended = invariants.repaired(state.atoms - {inside}, {inside: False})
    assert mended is not None
    assert inside not in mended
    places = [atom for atom in mended if atom.predicate in ("at", "in") and atom.args[0] == inside.args[0]]
    assert len(places) == 1


def test_what_cannot_be_mended_is_not_proposed() -> None:
    invariants, states = learned("gripper")
    rooms = {atom for state in states for atom in state.atoms if atom.predicate == "at_robby"}
    fixed: dict[Atom, bool] = dict.fromkeys(rooms, False)
    assert len(rooms) > 1
    assert invariants.repaired(states[0].atoms - rooms, fixed) is None
