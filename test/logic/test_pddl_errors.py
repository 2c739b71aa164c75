"""Every refusal names the place, what was found and what was expected (or what to do)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.errors import LimitExceeded, LogicError, ReadError, UnsupportedConstruct
from assay.logic.pddl import (
    definition_kinds,
    parse_document,
    parse_model,
    parse_problem,
    read_document,
    read_model,
    read_problem,
)
from assay.logic.sexpr import MAX_DEPTH, Source
from assay.logic.types import MAX_ANCESTORS, TypeHierarchy

VOCABULARY = """(define (domain d)
  (:types car slot - thing)
  (:constants depot - slot)
  (:predicates (at ?c - car ?s - slot) (free ?s - slot) (idle))
  (:functions (toll ?s - slot))
"""


def domain(*sections: str) -> str:
    """Return a domain whose sections begin on line 6, column 1."""
    return VOCABULARY + "\n".join(sections) + ")"


def action(precondition: str = "()", effect: str = "()") -> str:
    """Return a domain with one action; its precondition is on line 7 and its effect on line 8, from column 1."""
    return domain("(:action go :parameters (?c - car ?s - slot) :precondition", precondition, ":effect", effect, ")")


def in_precondition(text: str) -> str:
    return action(precondition=text)


def in_effect(text: str) -> str:
    return action(effect=text)


# (text, line, column, words of the message)
BAD_MODELS = [
    # parentheses
    ("", 1, 1, ["expected one (define (domain ...) ...)", "found 0"]),
    ("; only a comment\n", 1, 1, ["expected one (define (domain ...) ...)", "found 0"]),
    ("(define (domain d)", 1, 1, ["this '(' is never closed", "expected ')'"]),
    ("(define\n  (domain d", 2, 3, ["this '(' is never closed"]),
    ("(define (domain d)))", 1, 20, ["found ')' without its '('"]),
    ("(define (domain d))\n ) ", 2, 2, ["found ')' without its '('"]),
    (")(", 1, 1, ["found ')' without its '('"]),
    # the frame
    ("hello", 1, 1, ["expected (define (domain NAME) ...)", "found 'hello'"]),
    ("()", 1, 1, ["expected (define (domain NAME) ...)", "found ()"]),
    ("(defin (domain d))", 1, 1, ["expected (define (domain NAME) ...)", "found the list (defin ...)"]),
    ("(define)", 1, 1, ["expected (define (domain NAME) ...)"]),
    ("(define domain d)", 1, 9, ["expected (domain NAME) or (problem NAME)", "found 'domain'"]),
    ("(define (domain))", 1, 9, ["expected (domain NAME)", "found the list (domain ...)"]),
    ("(define (domain a b))", 1, 9, ["expected (domain NAME)"]),
    ("(define (planet d))", 1, 9, ["expected (domain NAME)", "found the list (planet ...)"]),
    ("(define (domain (d)))", 1, 17, ["expected the name of the domain", "found the list (d ...)"]),
    ("(define (domain d?))", 1, 17, ["expected the name of the domain", "found 'd?'"]),
    ("(define (domain d) x)", 1, 20, ["expected a section such as (:predicates ...)", "found 'x'"]),
    ("(define (domain d) ((a)))", 1, 20, ["expected a section", "found a list"]),
    ("(define (domain d) (:foo))", 1, 20, ["expected a section of a domain", "found the list (:foo ...)"]),
    ("(define (domain d)) (define (domain e))", 1, 1, ["expected one (define (domain ...) ...)", "found 2"]),
    ("(define (domain d) (:predicates) (:predicates))", 1, 34, ["a second (:predicates ...) section", "merge"]),
    ("(define (problem p))", 1, 1, ["this problem comes without its domain"]),
    ("(define (domain d) (:requirements typing))", 1, 35, ["expected a requirement such as :typing", "'typing'"]),
    ("(define (domain d) (:requirements (:a)))", 1, 35, ["expected a requirement such as :typing"]),
    # types
    ("(define (domain d) (:types a - b b - a))", 1, 20, ["is its own ancestor", ":types"]),
    ("(define (domain d) (:types a - a))", 1, 20, ["type 'a' is its own ancestor"]),
    ("(define (domain d) (:types a A))", 1, 30, ["type 'A' is declared twice"]),
    ("(define (domain d) (:types - a))", 1, 28, ["expected names, then '-', then a type", "found '-'"]),
    ("(define (domain d) (:types a -))", 1, 30, ["expected names, then '-', then a type", "found '-'"]),
    ("(define (domain d) (:types a - (or b c)))", 1, 32, ["expected a type or (either ...)", "(or ...)"]),
    ("(define (domain d) (:types a - (either)))", 1, 32, ["expected a type or (either ...)"]),
    ("(define (domain d) (:types sprite, b))", 1, 28, ["expected the name of a type", "found 'sprite,'"]),
    ("(define (domain d) (:constants c - box))", 1, 36, ["type 'box' is not declared", ":types"]),
    ("(define (domain d) (:constants c C))", 1, 34, ["object 'C' is declared twice"]),
    ("(define (domain d) (:constants ?c))", 1, 32, ["expected the name of an object", "found '?c'"]),
    # predicates and functions
    ("(define (domain d) (:predicates (p ?x - box)))", 1, 41, ["type 'box' is not declared", ":types"]),
    ("(define (domain d) (:predicates (p) (P ?x)))", 1, 38, ["predicate 'P' is declared twice"]),
    ("(define (domain d) (:predicates (p x)))", 1, 36, ["expected a variable such as ?x", "found 'x'"]),
    ("(define (domain d) (:predicates ()))", 1, 33, ["expected the declaration of a predicate", "found ()"]),
    ("(define (domain d) (:predicates (?p)))", 1, 34, ["expected the name of a predicate", "found '?p'"]),
    ("(define (domain d) (:predicates (And ?x)))", 1, 34, ["'And' is a word of PDDL"]),
    ("(define (domain d) (:predicates (oneof)))", 1, 34, ["'oneof' is a word of PDDL"]),
    ("(define (domain d) (:functions (f) (F)))", 1, 37, ["function 'F' is declared twice"]),
    ("(define (domain d) (:functions (f) - car))", 1, 36, ["a function whose value is not a number"]),
    # actions
    ("(define (domain d) (:action))", 1, 20, ["expected the name of an action"]),
    ("(define (domain d) (:action (a)))", 1, 29, ["expected the name of an action", "(a ...)"]),
    ("(define (domain d) (:action a :effect))", 1, 38, ["expected a value after :effect", "found ')'"]),
    ("(define (domain d) (:action a :cost 3))", 1, 31, ["expected :parameters or :precondition or :effect", "':cost'"]),
    ("(define (domain d) (:action a :effect () :effect ()))", 1, 42, ["a second :effect in one action"]),
    ("(define (domain d) (:action a :parameters ?x))", 1, 43, ["expected a list of parameters", "found '?x'"]),
    ("(define (domain d) (:action a :parameters (?x ?X)))", 1, 47, ["variable '?X' is declared twice"]),
    ("(define (domain d) (:action a) (:action A))", 1, 41, ["action 'A' is declared twice"]),
    # outside our languages
    (domain("(:durative-action fly)"), 6, 1, ["a durative action is outside PDDL, FOND and PPDDL"]),
    (domain("(:derived (p) (q))"), 6, 1, ["a derived predicate is outside"]),
    (domain("(:axiom)"), 6, 1, ["an axiom is outside"]),
    (domain("(:constraints (and))"), 6, 1, ["a trajectory constraint is outside"]),
    (domain("(:process x)"), 6, 1, ["a process is outside"]),
    (in_precondition("(> (toll ?s) 3)"), 7, 1, ["the numeric condition (> ...) is outside"]),
    (in_precondition("(= (toll ?s) 3)"), 7, 1, ["a numeric condition is outside"]),
    (in_precondition("(preference x (idle))"), 7, 1, ["a preference is outside"]),
    (in_effect("(assign (toll ?s) 3)"), 9, 1, ["the numeric effect (assign ...) is outside"]),
    (in_effect("(increase (toll ?s) (+ 1 2))"), 9, 21, ["arithmetic in an effect is outside"]),
    # names that are not declared, arity, types
    (in_precondition("(gone ?c)"), 7, 2, ["predicate 'gone' is not declared", ":predicates"]),
    (in_precondition("(and\n (idle) (gone))"), 8, 10, ["predicate 'gone' is not declared"]),
    (in_precondition("gone"), 7, 1, ["predicate 'gone' is not declared"]),
    (in_precondition("(at ?c ?x)"), 7, 8, ["variable '?x' is not a parameter here"]),
    (in_precondition("(at ?c ?)"), 7, 8, ["expected a variable", "found '?'"]),
    (in_precondition("(at ?c garage)"), 7, 8, ["object 'garage' is not declared", ":objects or :constants"]),
    (in_precondition("(at ?c (depot))"), 7, 8, ["expected a variable or an object", "(depot ...)"]),
    (in_precondition("(at ?c)"), 7, 1, ["'at' takes 2 arguments, found 1"]),
    (in_precondition("(idle ?c)"), 7, 1, ["'idle' takes 0 arguments, found 1"]),
    (in_precondition("(at ?s ?s)"), 7, 5, ["expected ?c - car as an argument of 'at', found ?s - slot"]),
    (in_precondition("(free ?c)"), 7, 7, ["expected ?s - slot as an argument of 'free', found ?c - car"]),
    (in_precondition("(= ?c ?z)"), 7, 7, ["variable '?z' is not a parameter here"]),
    (in_precondition("(not)"), 7, 1, ["expected 1 parts in (not ...), found 0"]),
    (in_precondition("(not (idle) (idle))"), 7, 1, ["expected 1 parts in (not ...), found 2"]),
    (in_precondition("(imply (idle))"), 7, 1, ["expected 2 parts in (imply ...), found 1"]),
    (in_precondition("(= ?c)"), 7, 1, ["expected 2 parts in (= ...), found 1"]),
    (in_precondition("(exists ?x (idle))"), 7, 1, ["expected (exists (?x - type) ...)", "(exists ...)"]),
    (in_precondition("(forall (?x))"), 7, 1, ["expected (forall (?x - type) ...)"]),
    (in_precondition("(forall (?x ?x) (idle))"), 7, 13, ["variable '?x' is declared twice"]),
    (in_precondition("(and (exists (?x) (idle)) (at ?c ?x))"), 7, 34, ["variable '?x' is not a parameter here"]),
    (in_precondition("((idle))"), 7, 2, ["expected the name of a predicate", "(idle ...)"]),
    # effects
    (in_effect("(or (idle))"), 9, 1, ["(or ...) is a condition and cannot be an effect"]),
    (in_effect("(not (not (idle)))"), 9, 7, ["predicate 'not' is not declared"]),
    (in_effect("(when (idle))"), 9, 1, ["expected 2 parts in (when ...), found 1"]),
    (in_effect("(oneof)"), 9, 1, ["expected at least one choice in (oneof ...)"]),
    (in_effect("(probabilistic)"), 9, 1, ["expected pairs of a probability and an effect"]),
    (in_effect("(probabilistic 0.5)"), 9, 1, ["expected pairs of a probability and an effect"]),
    (in_effect("(probabilistic (idle) 0.5)"), 9, 16, ["expected a number", "found the list (idle ...)"]),
    (in_effect("(probabilistic half (idle))"), 9, 16, ["expected a number", "found 'half'"]),
    (in_effect("(probabilistic 1.5 (idle))"), 9, 16, ["a probability lies between 0 and 1, found 1.5"]),
    (in_effect("(probabilistic -0.1 (idle))"), 9, 16, ["a probability lies between 0 and 1, found -0.1"]),
    (in_effect("(probabilistic 0.8 (idle)\n 0.3 ())"), 10, 2, ["add up to 1.1, more than 1"]),
    (in_effect("(probabilistic 1/0 (idle))"), 9, 16, ["'1/0' divides by zero"]),
    (in_effect("(increase (fare ?s) 1)"), 9, 12, ["function 'fare' is not declared", ":functions"]),
    (in_effect("(increase (toll ?c) 1)"), 9, 17, ["expected ?s - slot as an argument of 'toll', found ?c - car"]),
    (in_effect("(increase (toll ?s))"), 9, 1, ["expected 2 parts in (increase ...), found 1"]),
    (in_effect("(increase (toll ?s) 1e100)"), 9, 21, ["function '1e100' is not declared"]),
]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"), BAD_MODELS, ids=[repr(row[0][-40:]) for row in BAD_MODELS]
)
def test_bad_models(text: str, line: int, column: int, words: list[str]) -> None:
    with pytest.raises(ReadError) as caught:
        parse_model(text, "file.pddl")
    error = caught.value
    for word in words:
        assert word in error.message
    assert (error.source, error.line, error.column) == ("file.pddl", line, column)
    assert str(error) == f"file.pddl:{line}:{column}: {error.message}"
    assert isinstance(error, UnsupportedConstruct) == ("is outside" in error.message or "not a number" in error.message)


def problem(*sections: str) -> str:
    """Return a problem whose sections begin on line 2, column 1."""
    return "(define (problem p) (:domain d) (:objects c1 - car s1 s2 - slot)\n" + "\n".join(sections) + ")"


BAD_PROBLEMS = [
    ("(define (domain d))", 1, 1, ["expected one (define (problem ...) ...)", "found 0"]),
    ("(define (problem p) (:domain))", 1, 21, ["expected one value in (:domain ...), found 0"]),
    ("(define (problem p) (:objects a - box))", 1, 35, ["type 'box' is not declared"]),
    ("(define (problem p) (:objects a - car A))", 1, 39, ["object 'A' is declared twice"]),
    ("(define (problem p) (:objects depot - car))", 1, 21, ["object depot - car is also a constant, depot - slot"]),
    (problem("(:objects x)"), 2, 1, ["a second (:objects ...) section"]),
    (problem("(:init (at c1 s3))"), 2, 15, ["object 's3' is not declared"]),
    (problem("(:init (at s1 c1))"), 2, 12, ["expected ?c - car as an argument of 'at', found s1 - slot"]),
    (problem("(:init (at c1))"), 2, 8, ["'at' takes 2 arguments, found 1"]),
    (problem("(:init (at ?c s1))"), 2, 12, ["variable '?c' is not a parameter here"]),
    (problem("(:init (gone))"), 2, 9, ["predicate 'gone' is not declared"]),
    (problem("(:init (idle) (not (idle)))"), 2, 15, ["(idle) is said to be true and false in :init"]),
    (problem("(:init (not))"), 2, 8, ["expected (not ATOM)"]),
    (problem("(:init (or (idle) (free s1)))"), 2, 8, ["(or ...) in :init is outside"]),
    (problem("(:init (unknown (idle)))"), 2, 8, ["(unknown ...) in :init is outside"]),
    (problem("(:init (= (toll s1) cheap))"), 2, 21, ["expected a number", "found 'cheap'"]),
    (problem("(:init (= (toll s1) 1)\n(= (toll s1) 2))"), 3, 1, ["(toll s1) has two values in :init"]),
    (problem("(:init (probabilistic 2 (idle)))"), 2, 23, ["a probability lies between 0 and 1"]),
    (problem("(:goal)"), 2, 1, ["expected one value in (:goal ...), found 0"]),
    (problem("(:goal (idle) (idle))"), 2, 1, ["expected one value in (:goal ...), found 2"]),
    (problem("(:goal (< (toll s1) 3))"), 2, 8, ["the numeric condition (< ...) is outside"]),
    (problem("(:goal-reward lots)"), 2, 15, ["expected a number", "found 'lots'"]),
    (problem("(:metric (toll s1))"), 2, 1, ["expected (:metric minimize ...) or (:metric maximize ...)"]),
    (problem("(:metric reduce x)"), 2, 1, ["expected (:metric minimize ...)"]),
    (problem("(:constraints (and))"), 2, 1, ["a trajectory constraint is outside"]),
    (problem("(:predicates (p))"), 2, 1, ["expected a section of a problem", "(:predicates ...)"]),
]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"), BAD_PROBLEMS, ids=[repr(row[0][-40:]) for row in BAD_PROBLEMS]
)
def test_bad_problems(text: str, line: int, column: int, words: list[str]) -> None:
    model = parse_model(domain())
    with pytest.raises(ReadError) as caught:
        parse_problem(text, model, "p.pddl")
    for word in words:
        assert word in caught.value.message
    assert (caught.value.source, caught.value.line, caught.value.column) == ("p.pddl", line, column)


def test_the_columns_count_characters_behind_crlf_and_tabs() -> None:
    with pytest.raises(ReadError) as caught:
        parse_model("(define (domain d)\r\n\t; caf\u00e9\r\n\t(:predicates (p))\u00a0\u00e9)")
    assert (caught.value.line, caught.value.column) == (3, 20)
    assert "found '\u00e9'" in caught.value.message


def test_ten_thousand_nested_parentheses() -> None:
    with pytest.raises(LimitExceeded) as caught:
        parse_model("(" * 10_000 + ")" * 10_000, "deep.pddl")
    assert str(caught.value) == f"deep.pddl:1:{MAX_DEPTH + 1}: more than {MAX_DEPTH} nested parentheses"


@pytest.mark.parametrize("wrapper", ["(not {})", "(and {})", "(or {})", "(exists (?x) {})", "(imply () {})"])
def test_the_deepest_condition_that_is_read(wrapper: str) -> None:
    """What the limit lets through must not overflow the stack anywhere behind the reader."""
    text = "(idle)"
    while text.count("(") < 200 and _depth(wrapper.format(text)) <= MAX_DEPTH - 2:
        text = wrapper.format(text)
    model = parse_model(in_precondition(text))
    assert model == parse_model(in_precondition(text))
    assert hash(model) == hash(parse_model(in_precondition(text)))
    with pytest.raises(LimitExceeded):
        parse_model(in_precondition("(not " * MAX_DEPTH + "(idle)" + ")" * MAX_DEPTH))


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    return deepest


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "(define (domain " + "a" * 1_000_000 + "))",
        "(" + "a" * 1_000_000 + ")",
        "(define (domain d) (:" + "a" * 1_000_000 + "))",
        "(define (domain d) (:predicates (" + "p" * 256 + ")))",
        "(define (domain d) (:action a :precondition (" + "p" * 1_000_000 + ")))",
        "(define (domain d) (:action a :effect (probabilistic 0." + "1" * 1_000_000 + " ())))",
    ],
)
def test_a_huge_word_is_quoted_shortly(text: str) -> None:
    with pytest.raises(ReadError) as caught:
        parse_model(text)
    assert len(str(caught.value)) < 300


def test_a_huge_section_name_is_quoted_shortly() -> None:
    section = "(:" + "a" * 1_000_000 + ")"
    with pytest.raises(ReadError) as caught:
        parse_document(f"(define (domain d)) (define (problem p) {section} {section})")
    assert len(str(caught.value)) < 300


def test_names_have_a_limit_of_255_characters() -> None:
    name = "p" * 255
    model = parse_model(f"(define (domain d) (:predicates ({name})))")
    assert model.predicates[0].name == name


def test_nul_bytes_are_no_part_of_a_name() -> None:
    with pytest.raises(ReadError) as caught:
        parse_model("(define (domain d\0))")
    assert caught.value.message == r"expected the name of the domain, found 'd\x00'"


def test_types_in_a_long_chain() -> None:
    """Ancestors are kept for each type, so a long chain would take memory without end."""
    chain = " ".join(f"t{i} - t{i + 1}" for i in range(20_000))
    with pytest.raises(ReadError) as caught:
        parse_model(f"(define (domain d) (:types {chain}))")
    assert f"more than {MAX_ANCESTORS} types above it" in caught.value.message


def test_odds_that_are_too_fine_to_add() -> None:
    odds = " ".join(f"1/{10**17 + 2 * i + 1} ()" for i in range(200_000))
    with pytest.raises(LimitExceeded) as caught:
        parse_model(in_effect(f"(probabilistic {odds})"), "odds.pddl")
    assert str(caught.value).startswith("odds.pddl:9:")


@pytest.mark.parametrize(
    ("parents", "words"),
    [
        ((("a", ("b",)),), "type 'b' is used as a parent but not declared"),
        ((("a", ("b",)), ("b", ("c",)), ("c", ("a",))), "is its own ancestor"),
    ],
)
def test_bad_hierarchies(parents: tuple[tuple[str, tuple[str, ...]], ...], words: str) -> None:
    with pytest.raises(LogicError, match=words):
        TypeHierarchy(parents)


# Files


def _refusal(path: object) -> ReadError:
    for read in (read_model, read_document, definition_kinds):
        with pytest.raises(ReadError) as caught:
            read(path)  # type: ignore[operator]
    return caught.value


def test_missing_file(tmp_path: Path) -> None:
    error = _refusal(tmp_path / "no.pddl")
    assert str(error) == f"{tmp_path}/no.pddl:1:1: cannot be opened: No such file or directory"
    with pytest.raises(ReadError):
        read_problem(tmp_path / "no.pddl", parse_model(domain()))


def test_directory(tmp_path: Path) -> None:
    assert _refusal(tmp_path).message == "cannot be opened: Is a directory"


def test_file_name_that_no_system_has() -> None:
    assert "cannot be opened" in _refusal("a\0b").message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "secret.pddl"
    path.write_text("(define (domain d))")
    path.chmod(0)
    assert _refusal(path).message == "cannot be opened: Permission denied"


@pytest.mark.parametrize(
    ("raw", "line", "column"),
    [
        (b"\xff\xfe(\0d\0", 1, 1),
        (b"(define\n (domain caf\xe9))", 2, 13),
        (b"\xef\xbb\xbf(define\n (domain caf\xe9))", 2, 13),
        ("(define ; Übung\n ü\xa0".encode() + b"\x80", 2, 4),
        (bytes(range(128, 256)), 1, 1),
    ],
)
def test_files_that_are_not_utf_8(tmp_path: Path, raw: bytes, line: int, column: int) -> None:
    path = tmp_path / "latin.pddl"
    path.write_bytes(raw)
    error = _refusal(path)
    assert error.message == "not UTF-8 text; save the file as UTF-8"
    assert (error.source, error.line, error.column) == (str(path), line, column)


def test_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "program"
    path.write_bytes(b"\x7fELF\x02\x01\x01\0\0\0")
    assert "expected (define (domain NAME) ...)" in _refusal(path).message


def test_file_beyond_the_size_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.logic.sexpr.MAX_BYTES", 100)
    path = tmp_path / "large.pddl"
    path.write_text("(define (domain d))" + " " * 82)
    with pytest.raises(LimitExceeded, match="larger than 100 bytes"):
        read_model(path)
    with pytest.raises(LimitExceeded, match="101 characters; at most 100"):
        parse_model(path.read_text())
    path.write_text("(define (domain d))" + " " * 81)
    assert read_model(path).name == "d"


def test_locate() -> None:
    source = Source("ab\n\nc")
    assert [source.locate(offset) for offset in range(5)] == [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1)]
