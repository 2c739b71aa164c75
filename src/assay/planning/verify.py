"""Independent verification of plans and policies on the explicit graph that they can lead through.

Whatever planner a policy comes from, ours or another's, it is verified here against the model before it is used.
Nothing of the planners is shared but the operators.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from assay.agents.questions import Policy, PolicyRule
from assay.logic.atoms import GroundCapability
from assay.logic.formulas import Condition
from assay.logic.ground_model import GroundModel
from assay.logic.model import Plan
from assay.logic.operators import Conjunction, GroundOutcome
from assay.planning.conditions import Partial, as_rule, certain, ground_goal, possible
from assay.planning.results import PolicyKind

VERIFY_BUDGET = 1_000_000
# Past this many states, whole rules are tried first: a policy of few rules may lead through very many states.
_PLAIN_BUDGET = 20_000
_MOST_RULES = 4_000


class CompiledPolicy:
    """A policy over bit sets. Rules about the same atoms are looked up at once."""

    def __init__(self, policy: Policy, ground: GroundModel) -> None:
        self._tables: dict[int, dict[int, tuple[int, GroundCapability]]] = {}
        for number, rule in enumerate(policy.rules):
            true, false = _rule_partial(rule, ground)
            if not true & false:
                self._tables.setdefault(true | false, {}).setdefault(true, (number, rule.capability))

    def choose(self, bits: int) -> GroundCapability | None:
        """Return what the first rule that holds says, or None if the policy stops here."""
        best: tuple[int, GroundCapability] | None = None
        for mask, table in self._tables.items():
            found = table.get(bits & mask)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
        return None if best is None else best[1]


def verify(
    policy: Policy,
    ground: GroundModel,
    start: int | Iterable[int],
    goal: Condition | Conjunction,
    budget: int = VERIFY_BUDGET,
) -> PolicyKind:
    """Return how far a policy can be trusted from a state, or from each of several.

    The policy ends where the goal holds; elsewhere it is stuck without a rule, or where its rule cannot be
    executed. STRONG: never stuck and without circles. STRONG_CYCLIC: the goal can be reached from every state that
    it can lead to. WEAK: from a start at least. NONE: from no start. UNKNOWN: `budget` states were not enough.
    """
    starts = tuple(dict.fromkeys((start,) if isinstance(start, int) else start))
    condition = ground_goal(ground, goal)
    kind = _explore(policy, ground, starts, condition, min(budget, _PLAIN_BUDGET), [])
    if kind is PolicyKind.UNKNOWN and budget > _PLAIN_BUDGET:
        sure = _Certifier(ground, starts, condition).prefix(policy)
        kind = _explore(policy, ground, starts, condition, budget, sure)
    return kind


def certified_first(policy: Policy, ground: GroundModel, start: int, goal: Condition | Conjunction) -> Policy:
    """Return the policy with those rules first, in an order that verification can follow rule by rule.

    It may act otherwise than the given one, and must be verified by itself.
    """
    certifier = _Certifier(ground, (start,), ground_goal(ground, goal))
    left = list(policy.rules)
    first: list[PolicyRule] = []
    sure: list[Partial] = []
    while found := [rule for rule in left if certifier.certifies(rule, sure)]:
        sure += [certifier.partial(rule) for rule in found]
        first += found
        left = [rule for rule in left if rule not in found]
    return Policy((*first, *left))


def _explore(
    policy: Policy,
    ground: GroundModel,
    starts: tuple[int, ...],
    condition: Conjunction,
    budget: int,
    sure: list[Partial],
) -> PolicyKind:
    """Classify the policy on the graph of the states that it leads to; those of `sure` are as good as goals."""
    compiled = CompiledPolicy(policy, ground)
    after: dict[int, tuple[int, ...]] = {}
    goals: list[int] = []
    queue = deque(starts)
    known = set(starts)
    while queue:
        bits = queue.popleft()
        after[bits] = ()
        if condition.holds(bits) or any(partial.holds(bits) for partial in sure):
            goals.append(bits)
            continue
        if len(after) > budget:
            return PolicyKind.UNKNOWN
        after[bits] = _successors(ground, compiled.choose(bits), bits)
        for successor in after[bits]:
            if successor not in known:
                known.add(successor)
                queue.append(successor)
    before: dict[int, list[int]] = {}
    for bits, successors in after.items():
        for successor in successors:
            before.setdefault(successor, []).append(bits)
    reaching = _reaching(goals, before)
    if len(reaching) < len(after):
        return PolicyKind.WEAK if any(bits in reaching for bits in starts) else PolicyKind.NONE
    return PolicyKind.STRONG if _acyclic(after, before) else PolicyKind.STRONG_CYCLIC


class _Certifier:
    """Tells of whole rules that they lead nowhere but to the goal, or to states of other rules.

    A rule is certified if, in every state where it holds, its capability can be executed, and each outcome leads
    to the goal or to where an earlier certified rule holds. Where all rules before it are certified too, whichever
    rule is used there leads on to a still earlier one: the goal is reached without circles.
    """

    def __init__(self, ground: GroundModel, starts: tuple[int, ...], goal: Conjunction) -> None:
        self._ground = ground
        self._goal = goal
        changing = 0
        for operator in ground.operators:
            for outcome in operator.outcomes:
                changing |= outcome.adds | outcome.deletes
                for change in outcome.conditional:
                    changing |= change.adds | change.deletes
        for bits in starts:
            changing |= bits ^ starts[0]
        width = (1 << len(ground.index)) - 1
        self._fixed = Partial(starts[0] & ~changing & width, ~starts[0] & ~changing & width)

    def prefix(self, policy: Policy) -> list[Partial]:
        """Return where the first rules hold, as many of them as are certified one after the other."""
        found: list[Partial] = []
        for rule in policy.rules[:_MOST_RULES]:
            if not self.certifies(rule, found):
                break
            found.append(self.partial(rule))
        return found

    def certifies(self, rule: PolicyRule, earlier: list[Partial]) -> bool:
        """Tell whether a rule leads to the goal or to where an earlier rule holds, whatever the outcome is."""
        operator = self._ground.operator(rule.capability)
        before = self.partial(rule).joined(self._fixed)
        if operator is None or before.true & before.false or not certain(operator.condition, before):
            return False
        return all(
            certain(self._goal, after) or any(after.entails(partial) for partial in earlier)
            for after in (_progress(before, outcome) for outcome in operator.outcomes)
        )

    def partial(self, rule: PolicyRule) -> Partial:
        """Return where a rule holds."""
        return _rule_partial(rule, self._ground)


def _progress(before: Partial, outcome: GroundOutcome) -> Partial:
    """Return what is surely so after an outcome."""
    adds, deletes = outcome.adds, outcome.deletes
    may_add = may_delete = 0
    for change in outcome.conditional:
        if certain(change.condition, before):
            adds |= change.adds
            deletes |= change.deletes
        elif possible(change.condition, ~before.false, ~before.true):
            may_add |= change.adds
            may_delete |= change.deletes
    true = before.true & ~deletes & ~may_delete | adds
    false = (before.false | deletes) & ~adds & ~may_add
    return Partial(true, false)


def verify_plan(plan: Plan, ground: GroundModel, start: int, goal: Condition | Conjunction) -> bool:
    """Tell whether every step of a plan can be executed, has one outcome, and the goal holds after the last."""
    bits = start
    for step in plan:
        successors = _successors(ground, step, bits)
        if len(successors) != 1:
            return False
        bits = successors[0]
    return ground_goal(ground, goal).holds(bits)


def state_policy(ground: GroundModel, choices: Mapping[int, int]) -> Policy:
    """Return the policy that uses, in each of these states, the operator of that number.

    Its conditions mention only the atoms in which the states differ; elsewhere nothing is known of it.
    """
    if not choices:
        return Policy()
    states = list(choices)
    differing = 0
    for bits in states:
        differing |= bits ^ states[0]
    return Policy(
        tuple(
            as_rule(ground, Partial(bits & differing, ~bits & differing), ground.operators[number].capability)
            for bits, number in choices.items()
        )
    )


def _rule_partial(rule: PolicyRule, ground: GroundModel) -> Partial:
    true = ground.index.bits(literal.atom for literal in rule.condition if literal.positive)
    return Partial(true, ground.index.bits(literal.atom for literal in rule.condition if not literal.positive))


def _successors(ground: GroundModel, capability: GroundCapability | None, bits: int) -> tuple[int, ...]:
    operator = None if capability is None else ground.operator(capability)
    if operator is None or not operator.condition.holds(bits):
        return ()
    return tuple(dict.fromkeys(outcome.apply(bits) for outcome in operator.outcomes))


def _reaching(goals: Iterable[int], before: Mapping[int, list[int]]) -> set[int]:
    found = set(goals)
    stack = list(found)
    while stack:
        for bits in before.get(stack.pop(), ()):
            if bits not in found:
                found.add(bits)
                stack.append(bits)
    return found


def _acyclic(after: Mapping[int, tuple[int, ...]], before: Mapping[int, list[int]]) -> bool:
    """Tell whether every state can be taken away after all its successors."""
    left = {bits: len(successors) for bits, successors in after.items()}
    ready = [bits for bits, count in left.items() if not count]
    removed = 0
    while ready:
        removed += 1
        for bits in before.get(ready.pop(), ()):
            left[bits] -= 1
            if not left[bits]:
                ready.append(bits)
    return removed == len(after)
