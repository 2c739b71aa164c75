"""The wrapper around PRP: its encoding, the files it reads, how it takes every way in which PRP can end.

A directory of small scripts stands for PRP, to end as the test says. Where PRP_HOME names a real installation, the
wrapper is also run on it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random

import pytest
from small_fond import Enumeration, random_problem

from assay.errors import AssayError
from assay.logic.atoms import Atom, GroundCapability, Literal
from assay.logic.ground_model import GroundModel
from assay.logic.model import Model, Problem
from assay.logic.pddl import parse_model, parse_problem, read_model, read_problem
from assay.planning.errors import PlannerFault, PlannerMissing, PlannerRefused
from assay.planning.fond import FondMethod, solve_problem
from assay.planning.prp import find_prp, solve_with_prp
from assay.planning.prp_encoding import Encoding, encode
from assay.planning.prp_output import Fact, RawForbidden, RawRule, read_forbidden, read_policy, read_variables
from assay.planning.results import PolicyKind
from assay.planning.verify import verify

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("ASSAY_DATA") or ROOT.parent / "shared" / "data") / "pddl" / "fond"
needs_prp = pytest.mark.skipif(not os.environ.get("PRP_HOME"), reason="PRP_HOME names no PRP")

LAMP = """
(define (domain lamp) (:requirements :typing) (:types Lamp)
  (:predicates (lit ?l - Lamp) (warm ?l - Lamp) (power))
  (:action Press :parameters (?l - Lamp) :precondition (and (power) (not (lit ?l)))
    :effect (oneof (and) (lit ?l)))
  (:action touch :parameters (?l - Lamp) :precondition (or (lit ?l) (power)) :effect (warm ?l)))
"""


def lamp(goal: str = "(lit A)", init: str = "(power)") -> tuple[Model, Problem]:
    model = parse_model(LAMP)
    text = f"(define (problem p) (:domain lamp) (:objects A b - Lamp) (:init {init}) (:goal {goal}))"
    return model, parse_problem(text, model)


def encoded(model: Model, problem: Problem) -> tuple[Encoding, Model, Problem]:
    """Return the encoding, and what it says as our reader reads it."""
    encoding = encode(model, problem)
    assert encoding is not None
    written = parse_model(encoding.domain)
    return encoding, written, parse_problem(encoding.problem, written)


def test_alternatives_become_actions_and_negated_facts_complements() -> None:
    encoding, model, problem = encoded(*lamp())
    assert [capability.name for capability in model.capabilities] == ["assay-0-0", "assay-1-0", "assay-1-1"]
    assert encoding.capability("assay-1-1", ("a",)) == GroundCapability("touch", ("A",))
    assert encoding.literal("assay-not-lit", ("a",), True) == Literal(Atom("lit", ("A",)), False)
    assert encoding.literal("assay-not-lit", ("b",), False) == Literal(Atom("lit", ("b",)), True)
    assert "(not (lit" not in encoding.domain.split("assay-0-0")[1].split(":effect")[0]
    assert Atom("assay-not-lit", ("A",)) in problem.init


def test_a_goal_that_is_no_conjunction_is_declared() -> None:
    encoding, model, problem = encoded(*lamp("(exists (?l - Lamp) (and (lit ?l) (warm ?l)))"))
    assert problem.goal == Atom("assay-goal")
    assert [encoding.capability(f"assay-goal-{number}", ()) for number in range(2)] == [None, None]
    assert encoding.literal("assay-goal", (), True) is None
    assert sum(capability.name.startswith("assay-goal") for capability in model.capabilities) == 2


def test_a_goal_that_no_state_satisfies_needs_no_planner() -> None:
    assert encode(*lamp("(and (lit A) (not (lit A)))")) is None
    assert encode(*lamp("(power)", init="")) is None


def test_to_add_wins_over_to_delete_in_complements_too() -> None:
    model = parse_model(
        "(define (domain d) (:predicates (at ?x) (seen))"
        " (:action go :parameters (?x ?y) :precondition (at ?x)"
        "  :effect (oneof (and (not (at ?x)) (at ?y)) (seen)))"
        " (:action look :parameters (?x) :precondition (not (at ?x)) :effect (oneof (seen) (and))))"
    )
    problem = parse_problem("(define (problem p) (:domain d) (:objects a b) (:init (at a)) (:goal (seen)))", model)
    _, written, rewritten = encoded(model, problem)
    ground = GroundModel.of_problem(written, rewritten, prune=False)
    operator = ground.operator(GroundCapability("assay-0-0", ("a", "a")))
    assert operator is not None
    state = ground.index.state(operator.outcomes[0].apply(ground.bits(rewritten.init)))
    assert Atom("at", ("a",)) in state and Atom("assay-not-at", ("a",)) not in state


def test_encodings_mean_the_same() -> None:
    """The rewritten problem has the same kind of solution, whatever the random problem is."""
    tried = 0
    for seed in range(250):
        model, problem = random_problem(Random(seed))
        try:
            encoding = encode(model, problem)
        except PlannerRefused:
            continue
        before = solve_problem(model, problem, method=FondMethod.EXPLICIT).kind
        if encoding is None:
            assert before is PolicyKind.NONE, seed
            continue
        written = parse_model(encoding.domain)
        after = solve_problem(written, parse_problem(encoding.problem, written), method=FondMethod.EXPLICIT).kind
        # To declare the goal is one step more, which changes no kind.
        assert after is before, seed
        tried += 1
    assert tried > 150


@pytest.mark.parametrize(
    ("domain", "init", "message"),
    [
        ("(:predicates (p) (q)) (:action a :effect (p))", "(oneof (p) (q))", "one initial state"),
        ("(:types s t) (:predicates (p) (r ?x - (either s t)))", "", "either"),
        ("(:types a b - object c - (either a b)) (:predicates (p))", "", "several parents"),
        ("(:predicates (p) (assay-x))", "", "assay-"),
        ("(:predicates (p) (u ?x)) (:action a :effect (forall (?x) (oneof (p) (u ?x))))", "", "depend on the objects"),
    ],
)
def test_what_prp_cannot_take_is_refused(domain: str, init: str, message: str) -> None:
    model = parse_model(f"(define (domain d) {domain})")
    problem = parse_problem(f"(define (problem x) (:domain d) (:init {init}) (:goal (p)))", model)
    with pytest.raises(PlannerRefused, match=message):
        encode(model, problem)


VARIABLES = """begin_version
3
end_version
begin_metric
0
end_metric
2
begin_variable
var1
-1
2
Atom power()
NegatedAtom power()
end_variable
begin_variable
var0
-1
3
Atom lit(a)
Atom lit(b)
<none of those>
end_variable
"""
POLICY = """
If holds: var0:0
Execute: goal / SC / d=0

If holds: var1:0 var0:2
Execute: assay-0-0_v12 a / SC / d=1
"""


def test_files_are_read() -> None:
    variables = read_variables(VARIABLES)
    assert variables["var1"] == ((Fact("power", (), True),), (Fact("power", (), False),))
    assert variables["var0"][2] == (Fact("lit", ("a",), False), Fact("lit", ("b",), False))
    assert read_policy(POLICY)[1] == RawRule((("var1", 0), ("var0", 2)), "assay-0-0", ("a",), True, 1)
    assert read_policy("") == ()
    assert read_policy("If holds:\nExecute: x / NSC / d=3\n") == (RawRule((), "x", (), False, 3),)
    assert read_forbidden("\nIf holds: var0:1\nForbid: move_v2 a b\n") == (
        RawForbidden((("var0", 1),), "move", ("a", "b")),
    )


@pytest.mark.parametrize("cut", range(1, 20))
def test_broken_files_are_faults(cut: int) -> None:
    for text, reader in ((VARIABLES, read_variables), (POLICY, read_policy)):
        broken = "\n".join(text.splitlines()[:-cut])
        try:
            reader(broken)
        except PlannerFault:
            continue
    for bad in ("Execute: a / SC / d=1", "If holds: x\nExecute: a / SC / d=1", "If holds: v:1\nExecute: a / d=1"):
        with pytest.raises(PlannerFault):
            read_policy(bad)
    with pytest.raises(PlannerFault):
        read_variables("begin_variable\nv\n-1\n2\nAtom p()\n")
    with pytest.raises(PlannerFault, match="no variables"):
        read_variables("")


def fake_prp(root: Path, search: str, translate: str = "open('output.sas', 'w').write('x')") -> Path:
    """Make a directory that looks like PRP; its search is a shell script, its translator Python."""
    for folder in ("translate", "preprocess", "search"):
        (root / folder).mkdir(parents=True)
    (root / "translate" / "translate.py").write_text(translate)
    scripts = {"preprocess/preprocess": f"cat > /dev/null\ncat > output <<'END'\n{VARIABLES}END\n"}
    scripts["search/downward-release"] = search
    for name, text in scripts.items():
        (root / name).write_text(f"#!/bin/sh\n{text}")
        (root / name).chmod(0o755)
    return root


def writing(policy: str, code: int, words: str, forbidden: str = "") -> str:
    return (
        f"cat > policy.out <<'END'\n{policy}END\ncat > policy.fsap <<'END'\n{forbidden}END\n"
        f"echo '{words}'\nexit {code}\n"
    )


STRONG_CYCLIC = "Strong cyclic plan found."


def test_a_policy_is_verified(tmp_path: Path) -> None:
    home = fake_prp(tmp_path / "prp", writing(POLICY, 8, STRONG_CYCLIC))
    model, problem = lamp()
    result = solve_with_prp(model, problem, home=home)
    assert result.kind is result.claimed is PolicyKind.STRONG_CYCLIC
    assert [rule.capability for rule in result.policy.rules] == [GroundCapability("Press", ("A",))]
    assert set(result.policy.rules[0].condition) == {
        Literal(Atom("power")),
        Literal(Atom("lit", ("A",)), False),
        Literal(Atom("lit", ("b",)), False),
    }


def test_a_false_claim_is_not_believed(tmp_path: Path) -> None:
    wrong = POLICY.replace("assay-0-0_v12 a", "assay-1-0 a").replace("var0:2", "")
    home = fake_prp(tmp_path / "prp", writing(wrong, 8, STRONG_CYCLIC))
    result = solve_with_prp(*lamp(), home=home)
    assert (result.claimed, result.kind) == (PolicyKind.STRONG_CYCLIC, PolicyKind.NONE)


def test_forbidden_pairs_are_respected(tmp_path: Path) -> None:
    """The nearer rule would press the wrong lamp for ever; it is forbidden while no lamp is lit."""
    policy = "If holds: var1:0\nExecute: assay-1-1 b / SC / d=1\n" + POLICY
    home = fake_prp(tmp_path / "prp", writing(policy, 8, STRONG_CYCLIC, "If holds: var0:2\nForbid: assay-1-1 b\n"))
    assert solve_with_prp(*lamp(), home=home).kind is PolicyKind.STRONG_CYCLIC


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo 'No solution -- aborting repairs.'; exit 1", PolicyKind.NONE),
        (writing(POLICY, 10, "Plan found, but not strong cyclic."), PolicyKind.STRONG_CYCLIC),
        ("echo 'Error: Axioms are not permitted.'; exit 1", "Axioms"),
        ("echo 'Task has no goal condition!'; exit 2", "code 2"),
        ("exit 8", "code 8"),
        ("exit 0", "code 0"),
        ("kill -SEGV $$", "code -11"),
        (f"echo '{STRONG_CYCLIC}'; exit 8", "did not leave its file 'policy.out'"),
        (writing("garbage\n", 8, STRONG_CYCLIC), "not expected"),
        (writing(POLICY.replace("var1:0", "var1:7"), 8, STRONG_CYCLIC), "var1:7"),
        (writing(POLICY.replace("assay-0-0", "unheard-of"), 8, STRONG_CYCLIC), "not given"),
        (writing(POLICY.replace(" a /", " zebra /"), 8, STRONG_CYCLIC), "not given"),
    ],
)
def test_every_way_to_end(tmp_path: Path, script: str, expected: PolicyKind | str) -> None:
    home = fake_prp(tmp_path / "prp", script)
    if isinstance(expected, PolicyKind):
        assert solve_with_prp(*lamp(), home=home).kind is expected
    else:
        with pytest.raises(PlannerFault, match=expected):
            solve_with_prp(*lamp(), home=home)


@pytest.mark.parametrize("translate", ["import sys; sys.exit('AssertionError: names must be unique')", "pass"])
def test_a_translator_that_fails_is_a_fault(tmp_path: Path, translate: str) -> None:
    home = fake_prp(tmp_path / "prp", "exit 8", translate)
    with pytest.raises(PlannerFault, match="translator failed"):
        solve_with_prp(*lamp(), home=home)


def test_the_deadline_ends_the_whole_group(tmp_path: Path) -> None:
    mark = tmp_path / "child.pid"
    home = fake_prp(tmp_path / "prp", f"sleep 60 &\necho $! > {mark}\nwait\n")
    began = time.monotonic()
    result = solve_with_prp(*lamp(), home=home, seconds=1.5)
    assert result.kind is result.claimed is PolicyKind.UNKNOWN
    assert time.monotonic() - began < 20
    child = int(mark.read_text())
    for _ in range(100):
        if not _running(child):
            return
        time.sleep(0.05)
    pytest.fail("the child of the search is still running")


def _running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.chdir(tmp_path / "here")
    solve_with_prp(*lamp(), home=fake_prp(tmp_path / "prp", writing(POLICY, 8, STRONG_CYCLIC)))
    assert not list((tmp_path / "tmp").iterdir()) and not list((tmp_path / "here").iterdir())


def test_a_goal_that_holds_needs_no_run(tmp_path: Path) -> None:
    home = fake_prp(tmp_path / "prp", "exit 2")
    assert solve_with_prp(*lamp("(power)"), home=home).kind is PolicyKind.STRONG


def test_a_missing_installation_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRP_HOME", raising=False)
    with pytest.raises(PlannerMissing, match="PRP_HOME"):
        find_prp()
    with pytest.raises(AssayError, match="no built PRP"):
        solve_with_prp(*lamp(), home=tmp_path)
    monkeypatch.setenv("PRP_HOME", str(fake_prp(tmp_path / "prp" / "src", "exit 0").parent))
    assert find_prp().search.name == "downward-release"


@needs_prp
@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "triangle-tireworld/p1",
        "triangle-tireworld/p3",
        "first-responders/p_1_1",
        "first-responders/p_2_1",
        "first-responders/p_2_2",
        "elevators/p01",
        "blocksworld/p1",
        "tireworld/p01",
    ],
)
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no benchmark files in {DATA} (set ASSAY_DATA)")
def test_prp_agrees_with_the_embedded_planner(name: str) -> None:
    folder, stem = name.split("/")
    model = read_model(DATA / folder / "domain.pddl")
    problem = read_problem(DATA / folder / f"{stem}.pddl", model)
    theirs, ours = solve_with_prp(model, problem), solve_problem(model, problem)
    assert theirs.kind is ours.kind
    ground = GroundModel.of_problem(model, problem, prune=False)
    assert verify(theirs.policy, ground, ground.bits(problem.init), problem.goal) is theirs.kind


@needs_prp
@pytest.mark.slow
def test_prp_agrees_on_random_problems() -> None:
    solved = {PolicyKind.STRONG, PolicyKind.STRONG_CYCLIC}
    for seed in range(60):
        model, problem = random_problem(Random(seed))
        try:
            theirs = solve_with_prp(model, problem, seconds=10)
        except PlannerRefused:
            continue
        expected = solve_problem(model, problem).kind
        if theirs.kind is not PolicyKind.UNKNOWN:
            assert theirs.kind is expected or {theirs.kind, expected} == solved, seed
        assert Enumeration(model, problem).kind_of(theirs.policy) is theirs.kind or not theirs.policy.rules, seed
