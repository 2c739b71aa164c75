"""Distinguishing questions: a plan or policy on which the predictions of two models differ.

Layered forward search over bit sets in one copy of the state (see `model_pair`), until a policy that surely tells
the models apart is found; what else there is (strong cyclic, weak) is read off the states that were expanded.
Learners call `Distinguisher`; nothing here asks an agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assay.agents.questions import Policy, PolicyRule
from assay.errors import LogicError
from assay.logic.atoms import GroundCapability, Literal, State
from assay.logic.bits import AtomIndex, bit_positions
from assay.logic.grounding import Grounder
from assay.logic.model import Model, Plan
from assay.planning.and_or_graph import AndOrGraph, Solution
from assay.planning.model_pair import (
    ModelPair,
    OperatorPair,
    OutcomeAlignment,
    changed_capabilities,
    check_pair,
    shared_statics,
)
from assay.planning.results import PolicyKind
from assay.planning.start_states import impossible_bits, mentioned, operator_pairs, telling_states

DEFAULT_BUDGET = 50_000
MOST_WEAK_STARTS = 16
_SEARCHED = (PolicyKind.STRONG, PolicyKind.STRONG_CYCLIC, PolicyKind.WEAK)


@dataclass(frozen=True)
class Distinction:
    """What tells two models apart, and how surely.

    The policy stops where the models have diverged. `plan` says the same as a sequence of capabilities, if no outcome
    before the last step branches. `depth` counts the steps up to the one that tells the models apart, which is
    included: those of the longest run if the policy is strong, else of the shortest. `sure_if` says for each model
    whether, if that one is right and every outcome has a chance, a run of the policy will tell: false for the model
    with fewer outcomes, where the evidence is that an outcome never comes. `complete` is true if no better kind
    exists.
    """

    kind: PolicyKind
    start: State | None = None
    policy: Policy = field(default_factory=Policy)
    plan: Plan | None = None
    depth: int | None = None
    sure_if: tuple[bool, bool] = (False, False)
    expanded: int = 0
    complete: bool = True
    explanation: str = ""

    @property
    def found(self) -> bool:
        """Whether there is a question to ask."""
        return self.kind in _SEARCHED


class Distinguisher:
    """Finds distinguishing questions over the objects of one grounder, which pairs of models share.

    `enough` is the kind of policy at which a search stops: strong (the answer is then the best kind there is),
    strong cyclic or weak (the first one found, in fewer states). `budget` is the number of states to expand.
    """

    def __init__(
        self,
        grounder: Grounder,
        *,
        alignment: OutcomeAlignment = OutcomeAlignment.SUCCESSORS,
        enough: PolicyKind = PolicyKind.STRONG,
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        if enough not in _SEARCHED:
            raise LogicError(f"a search cannot stop at {enough.value!r}; choose strong, strong cyclic or weak")
        if budget < 1:
            raise LogicError(f"the budget is a number of states, at least 1, found {budget}")
        self._grounder = grounder
        self._alignment = alignment
        self._enough = enough
        self._budget = budget

    def from_states(self, first: Model, second: Model, starts: Sequence[State]) -> Distinction:
        """Return what tells the models apart from one of the given states, the best kind and then the nearest.

        `NONE` means that whatever is done from any of them, both models predict the same; `UNKNOWN` that the budget
        was spent before a difference was met. Raises `LogicError` if the models have different vocabularies.
        """
        pair = self._pair(first, second, starts)
        if pair.equal or not starts:
            why = "both models say the same about these objects" if starts else "there is no state to start in"
            return Distinction(PolicyKind.NONE, explanation=why)
        return _Search(pair, [pair.index.bits(s.atoms) for s in starts], self._enough, self._budget).run()

    def from_any_state(self, first: Model, second: Model, base: State | None = None) -> Distinction:
        """Return what tells the models apart if the agent can be put into any state over the grounder's objects.

        What does not matter is as in `base` (nothing is true without one). A step that surely tells is found if
        there is one in any state; where there is none, policies are searched from states in which a step may tell.
        """
        check_pair(first, second)
        empty = self._grounder.index.bits(base.atoms) if base is not None else 0
        named = frozenset(constant.name for constant in (*first.constants, *second.constants))
        weak: dict[int, None] = {}
        tried = 0
        for one, other in changed_capabilities(first, second):
            for pair in operator_pairs(self._grounder, one, other, named):
                if pair.same:
                    continue
                never = impossible_bits(self._grounder, first, _mentioned_by(pair))
                for bits in telling_states(pair, empty, never):
                    if tried == self._budget:
                        return self._from_weak(first, second, list(weak), tried, False)
                    tried += 1
                    step = pair.step(bits, self._alignment)
                    if step is None or not step.diverges:
                        continue
                    if not step.successors:
                        return _one_step(_Used(self._grounder.index, self._alignment, {bits: pair}), bits, tried)
                    if len(weak) < MOST_WEAK_STARTS:
                        weak[bits] = None
                    if self._enough is PolicyKind.WEAK:
                        return self._from_weak(first, second, list(weak), tried, False)
        return self._from_weak(first, second, list(weak), tried, True)

    def judge(self, first: Model, second: Model, start: State, policy: Policy) -> PolicyKind:
        """Return how surely a policy, whoever made it, tells the models apart from a state. Follows all its outcomes.

        `NONE` if it never can, `UNKNOWN` if it leads to more states than the budget allows.
        """
        pair = self._pair(first, second, [start])
        graph: AndOrGraph[GroundCapability] = AndOrGraph()
        root = graph.node(pair.index.bits(start.atoms))
        node = 0
        while node < len(graph.states):
            if node == self._budget:
                return PolicyKind.UNKNOWN
            bits = graph.states[node]
            chosen = policy.choose(pair.index.state(bits))
            step = pair.pair(chosen).step(bits, pair.alignment) if chosen is not None else None
            if step is not None:
                graph.add(node, step.capability, [graph.node(s) for s in step.successors], step.diverges)
            node += 1
        for kind in _SEARCHED:
            if root in _solution(graph, kind).choice:
                return kind
        return PolicyKind.NONE

    def _pair(self, first: Model, second: Model, starts: Sequence[State]) -> ModelPair:
        check_pair(first, second)
        return ModelPair(first, second, self._grounder, shared_statics(first, second, starts), self._alignment)

    def _from_weak(self, first: Model, second: Model, starts: list[int], tried: int, complete: bool) -> Distinction:
        """Search from states where one step may tell the models apart, when none surely does."""
        if not starts:
            why = "no state tells the models apart" if complete else f"nothing found in {tried} states"
            kind = PolicyKind.NONE if complete else PolicyKind.UNKNOWN
            return Distinction(kind, expanded=tried, complete=complete, explanation=why)
        states = [self._grounder.index.state(bits) for bits in starts]
        pair = self._pair(first, second, states)
        # A strong policy does not exist, or would have been one step.
        enough = PolicyKind.STRONG_CYCLIC if self._enough is PolicyKind.STRONG else self._enough
        found = _Search(pair, starts, enough, max(1, self._budget - tried)).run()
        best = complete and found.kind is PolicyKind.STRONG_CYCLIC
        return replace(found, expanded=found.expanded + tried, complete=best)


class _Search:
    """One layered search from several states at once."""

    def __init__(self, pair: ModelPair, starts: Sequence[int], enough: PolicyKind, budget: int) -> None:
        self._pair = pair
        self._enough = enough
        self._budget = budget
        self._graph: AndOrGraph[GroundCapability] = AndOrGraph()
        self._roots = list(dict.fromkeys(self._graph.node(bits) for bits in starts))
        self._solved = 0
        self._checked = 0

    def run(self) -> Distinction:
        """Expand layer by layer until a policy that is good enough is found, or nothing is left."""
        graph = self._graph
        layer_end = len(graph.states)
        node = 0
        while node < len(graph.states):
            if node == layer_end:
                if self._enough is PolicyKind.STRONG_CYCLIC and self._cyclic_found(node):
                    return self._answer(node, False)
                layer_end = len(graph.states)
            if node == self._budget:
                return self._answer(node, False)
            self._expand(node)
            node += 1
            if self._root_solved():
                return self._answer(node, False)
            if graph.any_goal and self._enough is PolicyKind.WEAK:
                return self._answer(node, False)
        return self._answer(node, True)

    def _expand(self, node: int) -> None:
        graph, bits = self._graph, self._graph.states[node]
        steps = self._pair.changed_steps(bits)
        for step in steps:
            if step.diverges and not step.successors:
                graph.add(node, step.capability, (), True)
                return
        for step in steps:
            self._add(node, step.capability, step.successors, step.diverges)
        for capability, successors in self._pair.shared_steps(bits):
            self._add(node, capability, successors, False)

    def _add(self, node: int, capability: GroundCapability, successors: Sequence[int], diverges: bool) -> None:
        graph = self._graph
        nodes = [graph.node(successor) for successor in successors]
        if diverges or nodes != [node]:
            graph.add(node, capability, nodes, diverges)

    def _root_solved(self) -> bool:
        if self._graph.solved_count == self._solved:
            return False
        self._solved = self._graph.solved_count
        return any(self._graph.solved[root] for root in self._roots)

    def _cyclic_found(self, expanded: int) -> bool:
        """Look for a strong cyclic policy, if the graph has grown by a quarter since the last time."""
        if not self._graph.any_goal or expanded < self._checked * 5 // 4:
            return False
        self._checked = expanded
        solution = self._graph.strong_cyclic()
        return any(root in solution.choice for root in self._roots)

    def _answer(self, expanded: int, exhausted: bool) -> Distinction:
        graph = self._graph
        if graph.any_goal:
            for kind in _SEARCHED:
                if any(root in _solution(graph, kind).choice for root in self._roots):
                    complete = exhausted or kind is PolicyKind.STRONG
                    return _distinction(self._pair, graph, self._roots, kind, expanded, complete)
        if exhausted:
            why = f"whatever is done, both models predict the same; all {expanded} states were searched"
            return Distinction(PolicyKind.NONE, expanded=expanded, explanation=why)
        why = f"both models predict the same in the {expanded} states searched; raise the budget to search more"
        return Distinction(PolicyKind.UNKNOWN, expanded=expanded, complete=False, explanation=why)


def _solution(graph: AndOrGraph[GroundCapability], kind: PolicyKind) -> Solution[GroundCapability]:
    if kind is PolicyKind.STRONG:
        return graph.strong()
    return graph.strong_cyclic() if kind is PolicyKind.STRONG_CYCLIC else graph.weak()


def _distinction(
    pair: ModelPair,
    graph: AndOrGraph[GroundCapability],
    roots: Sequence[int],
    kind: PolicyKind,
    expanded: int,
    complete: bool,
) -> Distinction:
    """Read the policy of a kind off the graph, from the root that is nearest to a difference."""
    solution = _solution(graph, kind)
    root = min((r for r in roots if r in solution.choice), key=lambda r: solution.distance[r])
    visited = [root]
    known = {root}
    for node in visited:  # it grows while it is read
        for successor in solution.choice[node].successors:
            if successor in solution.choice and successor not in known:
                known.add(successor)
                visited.append(successor)
    visited.sort(key=lambda node: solution.distance[node])
    used = _Used(
        pair.index, pair.alignment, {graph.states[node]: pair.pair(solution.choice[node].label) for node in visited}
    )
    return Distinction(
        kind,
        pair.index.state(graph.states[root]),
        used.policy(),
        _plan(solution, root),
        solution.distance[root],
        (used.sure_in(graph.states[root], 0), used.sure_in(graph.states[root], 1)),
        expanded,
        complete,
        used.explanation(),
    )


def _plan(solution: Solution[GroundCapability], root: int) -> Plan | None:
    """Return the policy as a sequence, if every step before the last has one outcome and the last one surely tells."""
    plan: list[GroundCapability] = []
    node = root
    while True:
        step = solution.choice[node]
        plan.append(step.label)
        if not step.successors:
            return tuple(plan)
        if step.reaches_goal or len(step.successors) > 1 or len(plan) > len(solution.choice):
            return None
        node = step.successors[0]
        if node not in solution.choice:
            return None


def _one_step(used: _Used, bits: int, tried: int) -> Distinction:
    (capability,) = used.capabilities
    return Distinction(
        PolicyKind.STRONG,
        used.index.state(bits),
        used.policy(),
        (capability,),
        1,
        (True, True),
        tried,
        True,
        used.explanation(),
    )


class _Used:
    """The states in which a policy acts, with the operators that it uses there, the nearest to a difference first."""

    def __init__(self, index: AtomIndex, alignment: OutcomeAlignment, pairs: dict[int, OperatorPair]) -> None:
        self.index = index
        self._alignment = alignment
        self._pairs = pairs

    @property
    def capabilities(self) -> list[GroundCapability]:
        """What the policy does, in the order of its states."""
        return [pair.capability for pair in self._pairs.values()]

    def policy(self) -> Policy:
        """Return rules that speak only of atoms in which the policy's states, and those it ends in, differ."""
        some = next(iter(self._pairs))
        varying = 0
        for bits in self._pairs:
            varying |= bits ^ some
            for number in (0, 1):
                for successor in self._successors(bits, number):
                    varying |= successor ^ some
        literals = [(1 << position, self.index.atoms[position]) for position in bit_positions(varying)]
        rules = [
            PolicyRule(tuple(sorted(Literal(atom, bool(bits & mask)) for mask, atom in literals)), pair.capability)
            for bits, pair in self._pairs.items()
        ]
        return Policy(tuple(rules))

    def _successors(self, bits: int, number: int) -> list[int]:
        """Return where one of the models (0 or 1) leads."""
        operator = (self._pairs[bits].first, self._pairs[bits].second)[number]
        if operator is None or not operator.condition.holds(bits):
            return []
        return [outcome.apply(bits) for outcome in operator.outcomes]

    def sure_in(self, start: int, number: int) -> bool:
        """Tell whether fair runs from `start` are sure to diverge if one of the models (0 or 1) is right."""
        graph: AndOrGraph[GroundCapability] = AndOrGraph()
        for bits, pair in self._pairs.items():
            step = pair.step(bits, self._alignment)
            if step is not None:
                own = set(self._successors(bits, number))
                telling = not own or not own.issubset(step.successors) or pair.aligned(self._alignment)
                nodes = [graph.node(successor) for successor in step.successors]
                graph.add(graph.node(bits), pair.capability, nodes, step.diverges and telling)
        return graph.node(start) in graph.strong_cyclic().choice

    def explanation(self) -> str:
        """Say where the models differ, at the step that is nearest to it."""
        bits, pair = next(iter(self._pairs.items()))
        allowed = [operator is not None and operator.condition.holds(bits) for operator in (pair.first, pair.second)]
        if allowed[0] != allowed[1]:
            return f"{pair.capability} can be executed in the {'first' if allowed[0] else 'second'} model only"
        ours, theirs = set(self._successors(bits, 0)), set(self._successors(bits, 1))
        differing = 0
        for one in ours ^ theirs:
            # Beside the most similar outcome of the other model: what else differs is not the difference.
            others = theirs if one in ours else ours
            differing |= min((one ^ other for other in others), key=int.bit_count, default=0)
        atoms = " ".join(map(str, sorted(self.index.decode(differing))))
        return f"the outcomes of {pair.capability} differ in {atoms or 'their order'}"


def _mentioned_by(pair: OperatorPair) -> int:
    bits = 0
    for operator in (pair.first, pair.second):
        if operator is not None:
            bits |= mentioned(operator.condition)
            for outcome in operator.outcomes:
                bits |= outcome.adds | outcome.deletes
                for change in outcome.conditional:
                    bits |= change.adds | change.deletes | mentioned(change.condition)
    return bits
