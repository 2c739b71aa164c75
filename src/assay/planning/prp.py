"""PRP, the planner for relevant policies, where the user has an installation of it: a wrapper.

PRP runs in a fresh temporary directory, as three processes that share one deadline. It is told only what it can
take (`prp_encoding`), and the policy that comes back is verified on our model: what counts is what we verified.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.agents.questions import Policy
from assay.logic.ground_model import GroundModel
from assay.logic.model import Model, Problem
from assay.logic.operators import Conjunction
from assay.planning.conditions import Partial, as_rule, ground_goal
from assay.planning.errors import PlannerFault, PlannerMissing
from assay.planning.processes import Deadline, Finished, run
from assay.planning.prp_encoding import Encoding, encode
from assay.planning.prp_output import Fact, RawCondition, read_forbidden, read_policy, read_variables
from assay.planning.results import PolicyKind
from assay.planning.verify import VERIFY_BUDGET, certified_first, state_policy, verify

HOME_VARIABLE = "PRP_HOME"
DEFAULT_SECONDS = 60.0
_TRANSLATE, _PREPROCESS, _SEARCH = "translate/translate.py", "preprocess/preprocess", "search/downward-release"
_INVARIANT_SECONDS = "300"
_STRONG_CYCLIC, _WEAK, _NO_PLAN = 8, 10, 1
_STRENGTH = {PolicyKind.STRONG: 3, PolicyKind.STRONG_CYCLIC: 2, PolicyKind.WEAK: 1}


@dataclass(frozen=True)
class PrpInstallation:
    """The three programs that PRP consists of."""

    translate: Path
    preprocess: Path
    search: Path


@dataclass(frozen=True)
class PrpResult:
    """What PRP found.

    `kind` is what its policy was verified to be on our model, `claimed` what PRP says of it; they differ where PRP
    is wrong, or where its policy happens to be strong. NONE without a policy is PRP's word alone. UNKNOWN: the
    deadline passed.
    """

    kind: PolicyKind
    claimed: PolicyKind
    policy: Policy = field(default_factory=Policy)


def find_prp(home: str | Path | None = None) -> PrpInstallation:
    """Return the installation below `home`, or below PRP_HOME. Raises `PlannerMissing`."""
    named = home if home is not None else os.environ.get(HOME_VARIABLE)
    if not named:
        raise PlannerMissing(f"no PRP installation is named; set {HOME_VARIABLE} to the directory where PRP was built")
    for root in (Path(named).resolve(), Path(named).resolve() / "src"):
        found = PrpInstallation(root / _TRANSLATE, root / _PREPROCESS, root / _SEARCH)
        if found.translate.is_file() and found.preprocess.is_file() and found.search.is_file():
            return found
    raise PlannerMissing(f"{named} is no built PRP: it needs {_TRANSLATE}, {_PREPROCESS} and {_SEARCH}")


def solve_with_prp(
    model: Model, problem: Problem, *, home: str | Path | None = None, seconds: float = DEFAULT_SECONDS
) -> PrpResult:
    """Solve a FOND problem with PRP, within `seconds` of wall time.

    Raises `PlannerMissing` without PRP, `PlannerRefused` for a problem that it cannot be given, and `PlannerFault`
    when it breaks down.
    """
    installation = find_prp(home)
    encoding = encode(model, problem)
    ground = GroundModel.of_problem(model, problem)
    start, goal = ground.bits(problem.init), ground_goal(ground, problem.goal)
    if goal.holds(start):
        # PRP calls this an input error.
        return PrpResult(PolicyKind.STRONG, PolicyKind.STRONG)
    if encoding is None:
        return PrpResult(PolicyKind.NONE, PolicyKind.NONE)
    with tempfile.TemporaryDirectory(prefix="assay-prp-") as name:
        directory = Path(name)
        claimed = _run(installation, encoding, directory, Deadline(seconds))
        if claimed not in _STRENGTH:
            return PrpResult(claimed, claimed)
        policy = _read(directory, encoding, ground)
    return _verified(policy, claimed, ground, start, goal)


def _run(installation: PrpInstallation, encoding: Encoding, directory: Path, deadline: Deadline) -> PolicyKind:
    """Run the three programs and return what PRP says."""
    (directory / "domain.pddl").write_text(encoding.domain, encoding="utf-8")
    (directory / "problem.pddl").write_text(encoding.problem, encoding="utf-8")
    translate: list[str | Path] = [sys.executable, "-S", installation.translate, _INVARIANT_SECONDS]
    finished = run([*translate, "domain.pddl", "problem.pddl"], directory, deadline)
    if finished is None:
        return PolicyKind.UNKNOWN
    _check_stage(finished, "translator", directory / "output.sas")
    finished = run([installation.preprocess], directory, deadline, stdin=directory / "output.sas")
    if finished is None:
        return PolicyKind.UNKNOWN
    _check_stage(finished, "preprocessor", directory / "output")
    finished = run(
        [
            installation.search,
            *("--heuristic", "h=ff(cost_type=1)", "--search", "lazy_greedy([h],preferred=[h])"),
            *("--random-seed", "814102613", "--dump-policy", "2"),
        ],
        directory,
        deadline,
        stdin=directory / "output",
    )
    return PolicyKind.UNKNOWN if finished is None else _claim(finished)


def _check_stage(finished: Finished, stage: str, product: Path) -> None:
    if finished.code != 0 or not product.is_file():
        raise PlannerFault(f"PRP's {stage} failed with code {finished.code}: {finished.last_words}")


def _claim(finished: Finished) -> PolicyKind:
    """Return what exit code and output say together: the codes alone are ambiguous."""
    code, output = finished.code, finished.output
    if code == _STRONG_CYCLIC and "Strong cyclic plan found." in output:
        return PolicyKind.STRONG_CYCLIC
    if code == _WEAK and "not strong cyclic" in output:
        return PolicyKind.WEAK
    if code == _NO_PLAN and "No solution" in output:
        return PolicyKind.NONE
    raise PlannerFault(f"PRP's search failed with code {code}: {finished.last_words}")


@dataclass(frozen=True)
class _Rule:
    partial: Partial
    operator: int
    strong_cyclic: bool
    distance: int


class _PrpPolicy:
    """PRP's rules over our bits, with its rule of execution.

    Of the rules that hold, those are dropped whose action is forbidden there; the ones marked strong cyclic come
    first, then those nearest to the goal.
    """

    def __init__(self, ground: GroundModel, rules: list[_Rule], forbidden: Mapping[int, list[Partial]]) -> None:
        self._ground = ground
        self._rules = sorted(rules, key=lambda rule: (not rule.strong_cyclic, rule.distance))
        self._forbidden = forbidden

    def choose(self, bits: int) -> int | None:
        """Return the number of the operator that PRP would use."""
        for rule in self._rules:
            if rule.partial.holds(bits) and not any(f.holds(bits) for f in self._forbidden.get(rule.operator, ())):
                return rule.operator
        return None

    def rules(self) -> Policy:
        """Return the rules alone; a policy of ours cannot say what is forbidden."""
        return Policy(
            tuple(as_rule(self._ground, r.partial, self._ground.operators[r.operator].capability) for r in self._rules)
        )

    def choices(self, start: int, goal: Conjunction) -> dict[int, int]:
        """Return what is done in each state that the policy leads to, up to a limit."""
        found: dict[int, int] = {}
        queue, seen = deque((start,)), {start}
        while queue and len(found) < VERIFY_BUDGET:
            bits = queue.popleft()
            number = None if goal.holds(bits) else self.choose(bits)
            if number is None or not self._ground.operators[number].condition.holds(bits):
                continue
            found[bits] = number
            for outcome in self._ground.operators[number].outcomes:
                successor = outcome.apply(bits)
                if successor not in seen:
                    seen.add(successor)
                    queue.append(successor)
        return found


def _verified(policy: _PrpPolicy, claimed: PolicyKind, ground: GroundModel, start: int, goal: Conjunction) -> PrpResult:
    rules = policy.rules()
    kind = verify(rules, ground, start, goal)
    if kind is PolicyKind.UNKNOWN:
        rules = certified_first(rules, ground, start, goal)
        kind = verify(rules, ground, start, goal)
    if _STRENGTH.get(kind, 0) < _STRENGTH[claimed]:
        # The rules alone do not know what is forbidden where: say it state by state.
        by_state = state_policy(ground, policy.choices(start, goal))
        better = verify(by_state, ground, start, goal)
        if _STRENGTH.get(better, 0) > _STRENGTH.get(kind, 0):
            return PrpResult(better, claimed, by_state)
    return PrpResult(kind, claimed, rules)


def _read(directory: Path, encoding: Encoding, ground: GroundModel) -> _PrpPolicy:
    """Read what PRP left in its directory. Raises `PlannerFault`."""
    variables = read_variables(_text(directory / "output"))
    numbers = {operator.capability: number for number, operator in enumerate(ground.operators)}

    def number_of(action: str, args: tuple[str, ...]) -> int | None:
        try:
            capability = encoding.capability(action, args)
            return None if capability is None else numbers[capability]
        except KeyError as error:
            raise PlannerFault(f"PRP uses an action that it was not given: {' '.join((action, *args))}") from error

    rules: list[_Rule] = []
    for rule in read_policy(_text(directory / "policy.out")):
        # The entry "goal" only says where the policy ends.
        number = None if rule.action == "goal" else number_of(rule.action, rule.args)
        if number is not None:
            partial = _partial(rule.condition, variables, encoding, ground)
            rules.append(_Rule(partial, number, rule.strong_cyclic, rule.distance))
    forbidden: dict[int, list[Partial]] = {}
    file = directory / "policy.fsap"
    for pair in read_forbidden(_text(file)) if file.is_file() else ():
        number = number_of(pair.action, pair.args)
        if number is not None:
            partial = _partial(pair.condition, variables, encoding, ground)
            forbidden.setdefault(number, []).append(partial)
    return _PrpPolicy(ground, rules, forbidden)


def _partial(
    condition: RawCondition,
    variables: Mapping[str, tuple[tuple[Fact, ...], ...]],
    encoding: Encoding,
    ground: GroundModel,
) -> Partial:
    true = false = 0
    for variable, value in condition:
        try:
            literals = [encoding.literal(f.predicate, f.args, f.positive) for f in variables[variable][value]]
        except (KeyError, IndexError) as error:
            raise PlannerFault(f"PRP's policy speaks of {variable}:{value}, which its task does not have") from error
        for literal in literals:
            if literal is not None and literal.positive:
                true |= ground.index.mask(literal.atom)
            elif literal is not None:
                false |= ground.index.mask(literal.atom)
    return Partial(true, false)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise PlannerFault(f"PRP did not leave its file {path.name!r}") from error
