"""Exam files: good ones, every kind of fault with its place, agents built from them, and hostile text."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest

from assay.agents.agent import Access, Determinism
from assay.agents.questions import PlanOutcome, PlanOutcomeQuery
from assay.agents.symbolic import SymbolicAgent
from assay.errors import AssayError, ExamError, LogicError, ReadError
from assay.exam import (
    AGENT_FACTORIES,
    CafeSettings,
    Durability,
    Exam,
    Method,
    RosSettings,
    SymbolicSettings,
    Vocabulary,
    build_agent,
    load_exam,
    load_vocabulary,
    parse_exam,
)
from assay.logic.atoms import GroundCapability
from assay.marked_yaml import MAX_BYTES

DOMAIN = """
(define (domain lamp) (:predicates (lit))
  (:action switch :parameters () :precondition (not (lit)) :effect (lit)))
"""
PROBLEM = "(define (problem dark) (:domain lamp) (:init))"
FULL = """\
# A lamp.
agent:
  kind: symbolic
  domain: lamp.pddl
  problem: dark.pddl
  access: realisable
  seed: 7
  fixed_objects: yes
  reports_execution: false
  continues_after_refusal: false
  budget: 500
vocabulary:
  predicates:
    on: "{0} stands on {1}"
    lit: the lamp is lit
  capabilities: {switch: "switch the lamp on"}
method: interrogation
settings: {confidence: 0.95, rounds: 3, careful: true, note: fast, big: 1e3}
output:
  directory: results
  durability: power
"""
MINIMAL = "agent: {kind: symbolic, domain: lamp.pddl}\n"


def test_a_full_exam() -> None:
    exam = parse_exam(FULL, "lamp.yaml", "exams")
    assert exam.agent == SymbolicSettings(
        domain=Path("exams/lamp.pddl"),
        problem=Path("exams/dark.pddl"),
        access=Access.REALISABLE,
        seed=7,
        fixed_objects=True,
        reports_execution=False,
        continues_after_refusal=False,
        budget=500,
    )
    assert isinstance(exam.vocabulary, Vocabulary)
    assert exam.vocabulary.predicates["on"] == "{0} stands on {1}"
    assert load_vocabulary(exam) is exam.vocabulary
    assert exam.method is Method.INTERROGATION
    assert exam.settings == {"confidence": 0.95, "rounds": 3, "careful": True, "note": "fast", "big": 1000.0}
    assert [type(value) for value in exam.settings.values()] == [float, int, bool, str, float]
    assert exam.output is not None
    assert exam.output.directory == Path("exams/results")
    assert exam.output.durability is Durability.POWER


def test_defaults() -> None:
    exam = parse_exam(MINIMAL)
    assert isinstance(exam.agent, SymbolicSettings)
    assert exam.agent.access is Access.ANY
    assert (exam.agent.problem, exam.vocabulary, exam.method, exam.settings, exam.output) == (
        None,
        None,
        None,
        {},
        None,
    )
    assert load_vocabulary(exam) == Vocabulary()


def test_absolute_paths_stay() -> None:
    exam = parse_exam("agent: {kind: symbolic, domain: /data/lamp.pddl}", base_dir="exams")
    assert isinstance(exam.agent, SymbolicSettings)
    assert exam.agent.domain == Path("/data/lamp.pddl")


def test_an_exam_does_not_change() -> None:
    exam = parse_exam(MINIMAL)
    with pytest.raises(ValueError, match="frozen"):
        exam.method = Method.DISCOVERY  # type: ignore[misc]


@pytest.mark.parametrize("name", ["robot", "/cafe/robot", "cafe/robot_1", "_r"])
def test_ros_names(name: str) -> None:
    exam = parse_exam(f"agent: {{kind: ros, name: {name}, deadline: 2}}")
    assert exam.agent == RosSettings(name=name, deadline=2)


@pytest.mark.parametrize("name", ["1robot", "a//b", "a/", "/", "a-b", "a b", "''", "~a", "é", "x" * 300])
def test_bad_ros_names(name: str) -> None:
    with pytest.raises(ExamError, match=r"x:1:26: field agent\.name: .*not a ROS name"):
        parse_exam(f"agent: {{kind: ros, name: {name}}}", "x")


# Files and agents


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "lamp.pddl").write_text(DOMAIN)
    (tmp_path / "dark.pddl").write_text(PROBLEM)
    (tmp_path / "both.pddl").write_text(DOMAIN + PROBLEM)
    (tmp_path / "words.yaml").write_text("predicates: {lit: it is light}\n")
    return tmp_path


def _exam_file(directory: Path, text: str) -> Path:
    path = directory / "exam.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("files", ["domain: lamp.pddl, problem: dark.pddl", "domain: both.pddl"])
def test_building_a_symbolic_agent(directory: Path, files: str) -> None:
    exam = load_exam(_exam_file(directory, f"agent: {{kind: symbolic, {files}, access: reset, seed: 3}}"))
    agent = build_agent(exam)
    assert isinstance(agent, SymbolicAgent)
    assert agent.description.access is Access.RESET
    assert agent.description.determinism is Determinism.DETERMINISTIC
    outcome = agent.ask(PlanOutcomeQuery((GroundCapability("switch"),)))
    assert isinstance(outcome, PlanOutcome)
    assert outcome.prefix_length == 1


def test_options_reach_the_agent(directory: Path) -> None:
    description = build_agent(load_exam(_exam_file(directory, FULL))).description
    assert (description.access, description.fixed_objects) == (Access.REALISABLE, True)
    assert (description.reports_execution, description.continues_after_refusal) == (False, False)


def test_files_of_an_agent_that_are_wrong(directory: Path) -> None:
    with pytest.raises(ReadError, match=r"none\.pddl:1:1: cannot be opened"):
        build_agent(load_exam(_exam_file(directory, "agent: {kind: symbolic, domain: none.pddl}")))
    with pytest.raises(LogicError, match=r"lamp\.pddl: expected one domain and one problem .* found 1 and 0"):
        build_agent(load_exam(_exam_file(directory, "agent: {kind: symbolic, domain: lamp.pddl}")))


def test_a_ros_agent_without_ros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "assay.ros.remote_agent", None)  # makes its import fail
    with pytest.raises(ExamError, match="kind ros needs ROS 2"):
        build_agent(parse_exam("agent: {kind: ros, name: robot}"))


def test_every_kind_of_agent_has_a_factory() -> None:
    cafe = CafeSettings(world=Path("w"), vocabulary=Path("v"), behaviour=Path("b"))
    assert set(AGENT_FACTORIES) == {SymbolicSettings(domain=Path("d")).kind, RosSettings(name="r").kind, cafe.kind}


def test_a_vocabulary_in_its_own_file(directory: Path) -> None:
    exam = load_exam(_exam_file(directory, MINIMAL + "vocabulary: words.yaml\n"))
    assert exam.vocabulary == directory / "words.yaml"
    assert load_vocabulary(exam).predicates == {"lit": "it is light"}
    (directory / "words.yaml").write_text("predicates:\n  lit: 3\n")
    with pytest.raises(ExamError, match=r"words\.yaml:2:8: field predicates\.lit: found 3; expected a valid string"):
        load_vocabulary(exam)
    (directory / "words.yaml").unlink()
    with pytest.raises(ExamError, match="cannot be opened"):
        load_vocabulary(exam)


def test_files_that_cannot_be_read(directory: Path) -> None:
    with pytest.raises(ExamError, match=r"missing\.yaml': cannot be opened: No such file"):
        load_exam(directory / "missing.yaml")
    with pytest.raises(ExamError, match="cannot be opened: Is a directory"):
        load_exam(directory)
    with pytest.raises(ExamError, match="cannot be opened"):
        load_exam("exam\0.yaml")
    latin = directory / "latin.yaml"
    latin.write_bytes(b"# first\nmethod: \xe9t\xe9\n")
    with pytest.raises(ExamError, match=r"latin\.yaml:2:9: not UTF-8 text; save the file as UTF-8"):
        load_exam(latin)
    large = directory / "large.yaml"
    large.write_bytes(b"# " + b"x" * MAX_BYTES)
    with pytest.raises(ExamError, match=r"large\.yaml:1:1: larger than 1,048,576 bytes"):
        load_exam(large)
    marked = directory / "marked.yaml"
    marked.write_bytes(b"\xef\xbb\xbf" + MINIMAL.encode())
    assert load_exam(marked).agent.kind == "symbolic"


# Faults

FAULTS = {
    # fields
    "method: interrogation\n": "x:1:1: field agent: is missing; add it",
    "agent: {domain: d}": "x:1:8: field agent.kind: is missing; one of symbolic, ros",
    "agent:\n  kind: robot": "x:2:9: field agent.kind: found 'robot'; one of symbolic, ros",
    "agent: {kind: [symbolic]}": "x:1:15: field agent.kind: found",
    "agent: 5": "x:1:8: field agent: found 5; expected a mapping",
    "agent:": "x:1:7: field agent: found None; expected a mapping",
    "agent: {kind: symbolic}": "x:1:8: field agent.domain: is missing; add it",
    "agent: {kind: ros}": "x:1:8: field agent.name: is missing; add it",
    "agent: {kind: symbolic, domain: 5}": "x:1:33: field agent.domain: found 5: expected a path",
    "agent: {kind: symbolic, domain: ' '}": "x:1:33: field agent.domain: found ' ': expected a path",
    MINIMAL.replace("}", ", access: all}"): "x:1:52: field agent.access: found 'all'; one of any, realisable, seen, "
    "reset",
    MINIMAL.replace("}", ", seed: -1}"): "x:1:50: field agent.seed: found -1; expected greater than or equal to 0",
    MINIMAL.replace("}", ", seed: true}"): "x:1:50: field agent.seed: found True; expected a valid integer",
    MINIMAL.replace("}", ", seed: 99999999999999999999}"): "x:1:50: field agent.seed: found '99999999999999999999'",
    MINIMAL.replace("}", ", budget: 0}"): "x:1:52: field agent.budget: found 0; expected greater than or equal to 1",
    MINIMAL.replace("}", ", fixed_objects: maybe}"): "x:1:59: field agent.fixed_objects: found 'maybe'; expected true",
    MINIMAL.replace("}", ", acess: any}"): "x:1:44: field agent.acess: is not a field here (did you mean access?); "
    "one of kind, domain, problem, access",
    "agent: {kind: ros, name: r, deadline: 0}": "x:1:39: field agent.deadline: found 0; expected greater than 0",
    "agent: {kind: ros, name: r, deadline: soon}": "x:1:39: field agent.deadline: found 'soon'",
    MINIMAL + "metod: x": "x:2:1: field metod: is not a field here (did you mean method?); one of agent, vocabulary",
    MINIMAL + "method: guess": "x:2:9: field method: found 'guess'; one of interrogation, stochastic, differential, "
    "discovery, continual",
    MINIMAL + "settings: 3": "x:2:11: field settings: found 3; expected a mapping",
    MINIMAL + "settings:\n  a: [1]": "x:3:6: field settings.a: found [1]: expected a number, a text, true or false",
    MINIMAL + "settings:\n  a: ~": "x:3:6: field settings.a: found None: expected a number",
    MINIMAL + "settings:\n  a b: 1": "x:3:3: field settings.a b: found 'a b': not a name",
    MINIMAL + f"settings: {{a: {'x' * 3000}}}": "x:2:15: field settings.a: found 'xxxx",
    MINIMAL + "settings: {" + ", ".join(f"a{n}: 1" for n in range(300)) + "}": "x:2:11: field settings: found",
    MINIMAL + "vocabulary: 3": "x:2:13: field vocabulary: found 3: expected a path",
    MINIMAL + "vocabulary: {words: {}}": "x:2:14: field vocabulary.words: is not a field here; one of predicates, cap",
    MINIMAL + "vocabulary:\n  predicates:\n    on: ''": "x:4:9: field vocabulary.predicates.on: found ''; expected",
    MINIMAL + "vocabulary:\n  predicates:\n    on it: x": "x:4:5: field vocabulary.predicates.on it: found 'on it'",
    MINIMAL + "output: results": "x:2:9: field output: found 'results'; expected a mapping",
    MINIMAL + "output: {}": "x:2:9: field output.directory: is missing; add it",
    MINIMAL + "output: {directory: r, durability: high}": "x:2:36: field output.durability: found 'high'; one of "
    "process, power",
    MINIMAL + "output: {directory: r, size: 1}": "x:2:24: field output.size: is not a field here; one of directory, d",
    # text
    "": "x:1:1: the text is empty",
    "# nothing": "x:1:1: the text is empty",
    "- agent": "x:1:1: expected a mapping with the fields agent, vocabulary, method, settings, output",
    "agent": "x:1:1: expected a mapping",
    "agent: {kind: symbolic\nmethod: x": "x:2:7: not YAML: ",
    "agent: a: b": "x:1:9: not YAML: mapping values are not allowed here",
    "agent:\n\tkind: ros": "x:2:1: not YAML: while scanning for the next token, found character",
    "a: 1\n---\nb: 2": "x:2:1: not YAML: expected a single document in the stream, but found another document",
    MINIMAL + MINIMAL: "x:2:1: the key 'agent' stands here twice (first in line 1); remove one",
    "agent: {kind: ros, kind: ros}": "x:1:20: the key 'kind' stands here twice",
    "a: &x 1\nb: *x": "x:2:4: the alias *x is not allowed; write the value out",
    "a: &x [*x]": "x:1:8: the alias *x is not allowed",
    "a: &x {k: 1}\nb: {<<: *x}": "x:2:9: the alias *x is not allowed",
    "agent: !!python/object/apply:os.system [ls]": "x:1:8: the tag 'tag:yaml.org,2002:python/object/apply:os.system'",
    "agent: !robot {}": "x:1:8: the tag '!robot' is not allowed",
    "agent: !robot x": "x:1:8: the tag '!robot' is not allowed",
    "agent: !!binary aGk=": "x:1:8: the tag 'tag:yaml.org,2002:binary' is not allowed",
    "agent: !!set {a}": "x:1:8: the tag 'tag:yaml.org,2002:set' is not allowed",
    "agent: !!int five": "x:1:8: 'five' is not of the type !!int",
    "agent: 1e999": "x:1:8: the number '1e999' is too large",
    "? [a]\n: b": "x:1:3: a key must be a word, not a list or a mapping",
    "agent: \x01": "x:1:8: the character '\\x01' is not allowed; remove it",
    'a: b\nagent: "\\0"': "x:2:8: the text contains the character '\\x00'; remove it",
    'agent: "\\uD800"': "x:1:8: the text contains the character '\\ud800'; remove it",
    'a: b\nagent: "\\UFFFFFFFF"': "x:2:",
    "[" * 5000: "x:1:33: more than 32 levels deep; flatten the file",
    "- " * 5000: "x:1:65: more than 32 levels deep",
    "? " * 5000: "x:1:65: more than 32 levels deep",
    "[" + "1," * 30_000 + "]": "x:1:40000: more than 20,000 values; shorten the file",
    "x" * (MAX_BYTES + 1): "x:1:1: 1,048,577 characters; at most 1,048,576 are read",
}


@pytest.mark.parametrize("text", FAULTS, ids=[text[:40].strip().replace("\n", "|") for text in FAULTS])
def test_faults_name_the_place(text: str) -> None:
    with pytest.raises(ExamError) as caught:
        parse_exam(text, "x")
    assert str(caught.value).splitlines()[0].startswith(FAULTS[text]), str(caught.value)[:500]


def test_all_faults_are_listed_in_order() -> None:
    text = "method: guess\nagent:\n  seed: x\n  kind: symbolic\n  bogus: 1\noutput: 3\n"
    with pytest.raises(ExamError) as caught:
        parse_exam(text, "x")
    places = [line.split(": ")[0] + " " + line.split(": ")[1] for line in str(caught.value).splitlines()]
    assert places == [
        "x:1:9 field method",
        "x:3:3 field agent.domain",
        "x:3:9 field agent.seed",
        "x:5:3 field agent.bogus",
        "x:6:9 field output",
    ]


def test_many_faults_are_cut_short() -> None:
    text = MINIMAL + "".join(f"extra{number}: 1\n" for number in range(1000))
    with pytest.raises(ExamError) as caught:
        parse_exam(text, "x")
    lines = str(caught.value).splitlines()
    assert len(lines) == 101
    assert lines[-1] == "x: and 900 more faults"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 500_000,
        "{a: " * 200_000,
        "- " * 500_000,
        "? " * 500_000,
        '"' + "\\x41" * 250_000 + '"',
        "a: " + "x " * 500_000,
        "a: " + "1:" * 500_000,
        "a: " + "9" * 1_000_000,
        "&a " * 300_000,
        "!" * 1_000_000,
        "#" * 1_000_000,
        "\n" * 1_000_000,
        "a: |\n" + " x\n" * 300_000,
        "".join(f"k{number}: 1\n" for number in range(100_000)),
        "---\n" * 200_000,
        "%TAG ! tag:x,2000:\n" * 50_000,
        "\u2028" * 300_000,
        "*" * 1_000_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_large_hostile_texts_cost_little(text: str) -> None:
    begin = time.monotonic()
    with pytest.raises(ExamError):
        parse_exam(text)
    assert time.monotonic() - begin < 10


# Fuzz

_PIECES = [
    *"{}[]:,-?&*!|>'\"%@`#~\\ \n\t", "\n  ", ": ", "- ", "agent", "kind", "symbolic", "ros", "domain", "access", "any",
    "seed", "method", "settings", "output", "true", "null", "1e5", "-1", "0x1F", "0o7", "1:30", "2001-01-01", ".nan",
    ".inf", "<<", "=", "*a", "&a ", "!!int ", "!!float ", "!!timestamp ", "!!binary ", "!x ", "---\n", "...\n",
    "%YAML 1.1\n", "\\x00", '"\\u', '"\\UFFFFFFFF"', "\x00", "\x85", "\u2028", "\ufeff", "\ud800", "é", "9" * 5000,
]  # fmt: skip
_TEXTS = [FULL, MINIMAL, "agent: {kind: ros, name: /cafe/robot, deadline: 2.5}\nmethod: discovery\n"]


def _mutated(rng: random.Random) -> str:
    text = rng.choice(_TEXTS)
    for _ in range(rng.randint(1, 6)):
        at = rng.randint(0, len(text))
        to = min(len(text), at + rng.choice((0, 0, 1, 3, 20)))
        piece = rng.choice(_PIECES)
        if rng.random() < 0.2:
            start = rng.randint(0, len(text))
            piece = text[start : start + rng.randint(1, 40)]
        text = text[:at] + piece + text[to:]
    return text


def _random(rng: random.Random) -> str:
    if rng.random() < 0.3:
        return "".join(chr(rng.choice((rng.randrange(128), rng.randrange(0x110000)))) for _ in range(rng.randrange(60)))
    return "".join(rng.choice(_PIECES) for _ in range(rng.randrange(25)))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_fuzz(part: int) -> None:
    rng = random.Random(part)
    begin = time.monotonic()
    accepted = 0
    for number in range(3000):
        text = _mutated(rng) if number % 3 else _random(rng)
        try:
            exam = parse_exam(text, "x", "base")
        except AssayError as fault:
            str(fault).encode()  # whatever is wrong with the text, the message can be printed
            assert all(line.startswith("x:") for line in str(fault).splitlines())
        else:
            assert isinstance(exam, Exam)
            accepted += 1
    assert 0 < accepted < 3000
    assert time.monotonic() - begin < 45
