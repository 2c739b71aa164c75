"""Random and mutated texts: the reader answers each with a value or an `AssayError`, soon, and prints nothing.

Whatever it accepts must survive printing and reading. All inputs come from fixed seeds.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.logic.model import Model
from assay.logic.pddl import Document, parse_document, parse_problem, read_document
from assay.logic.printer import print_model, print_problem

SECONDS_EACH = 2.0

SEEDS = (
    """(define (domain logistics_2) (:requirements :strips :typing)
  (:types truck plane - vehicle package vehicle - thing place)
  (:constants Hub - place)
  (:predicates (at ?t - thing ?p - place) (in ?k - package ?v - vehicle) (Broken ?v - vehicle))
  (:functions (total-cost) (road-length ?from ?to - place) - number)
  (:action load1 :parameters (?k - package ?v - vehicle ?p - place)
    :precondition (and (at ?k ?p) (at ?v ?p) (not (broken ?v)))
    :effect (and (not (at ?k ?p)) (in ?k ?v)))
  (:action drive :parameters (?t - truck ?from ?to - place)
    :precondition (and (at ?t ?from) (or (= ?to hub) (forall (?k - package) (imply (in ?k ?t) (not (= ?from ?to))))))
    :effect (and (not (at ?t ?from)) (at ?t ?to) (increase (total-cost) (road-length ?from ?to))
      (when (exists (?k - package) (in ?k ?t)) (probabilistic 0.1 (broken ?t) 1/3 (and))))))
(define (problem p-1) (:domain logistics_2)
  (:objects t1 - truck a1 - plane k1 k2 - package north south - place)
  (:init (at t1 north) (at k1 north) (in k2 a1) (at a1 hub) (= (road-length north south) 12.5)
    (probabilistic 0.5 (broken a1)))
  (:goal (and (at k1 south) (forall (?k - package) (not (in ?k a1)))))
  (:goal-reward 100) (:metric minimize (total-cost)))""",
    """(define (domain blocks) (:predicates (on ?x ?y) (clear ?x) (table ?x) (hand))
  (:action put :parameters (?x ?y) :precondition (and (clear ?x) (clear ?y) (hand))
    :effect (oneof (and (on ?x ?y) (not (clear ?y))) (forall (?z) (when (on ?z ?x) (oneof (clear ?z) (not (hand))))))))
(define (problem q) (:domain blocks) (:objects a b c)
  (:init (table a) (oneof (clear b) (clear c))) (:goal (on a b)))""",
    """(define (domain tyres) (:types car - (either wheeled steel) wheeled steel)
  (:predicates (flat ?c - (either car steel)) (spare))
  (:action go :parameters (?c - car) :effect (probabilistic 2/5 (flat ?c) 0.5 (not (spare)))))""",
)
WORDS = re.split(
    " ",
    "( ) () - ; ? ?x ?X = < >= and or not imply exists forall when oneof probabilistic increase decrease assign "
    "either object number define domain problem :types :predicates :action :parameters :precondition :effect :init "
    ":goal :objects :constants :functions :metric :goal-reward :requirements :domain :durative-action minimize 0 1 "
    "0.5 -1 1/3 1/0 1e99 1e-99 1e999 .5 5. nan inf 0x10 a b at total-cost reward \0 \ufeff \u212a \u0130 \x85 \u2028 "
    "'; ' \"x\" #t ${HOME} __import__('os')",
)
_TOKENS = re.compile(r"[()]|[^\s()]+|\s+")


def mutated_words(count: int) -> Iterator[str]:
    """Delete, double, swap, replace, insert and move words of the seed texts."""
    rng = np.random.default_rng(1)
    tokens = [_TOKENS.findall(text) for text in SEEDS]
    for _ in range(count):
        words = list(tokens[rng.integers(len(tokens))])
        for _ in range(int(rng.integers(1, 5))):
            position = int(rng.integers(len(words)))
            other = int(rng.integers(len(words)))
            match int(rng.integers(7)):
                case 0:
                    del words[position]
                case 1:
                    words.insert(position, words[position])
                case 2:
                    words[position], words[other] = words[other], words[position]
                case 3:
                    words[position] = words[other]
                case 4:
                    words.insert(position, WORDS[rng.integers(len(WORDS))] + " ")
                case 5:
                    words[position] = WORDS[rng.integers(len(WORDS))]
                case _:
                    low, high = min(position, other), max(position, other)
                    words[low:high] = words[low:high][: int(rng.integers(1, 30))]
            words = words or [""]
        yield "".join(words)


def mutated_trees(count: int) -> Iterator[str]:
    """Replace, double, delete and nest lists and words of the seed texts; parentheses stay balanced."""
    rng = np.random.default_rng(4)
    parts = [part for text in SEEDS for part in re.findall(r"[^\s()]+|\((?:[^()]|\([^()]*\))*\)", text)]
    for _ in range(count):
        text = SEEDS[rng.integers(len(SEEDS))]
        for _ in range(int(rng.integers(1, 4))):
            spans = [match.span() for match in re.finditer(r"[^\s()]+|\((?:[^()]|\([^()]*\))*\)", text)]
            begin, end = spans[rng.integers(len(spans))]
            old, new = text[begin:end], parts[rng.integers(len(parts))]
            shapes = (
                new,
                "",
                f"{old} {old}",
                f"{old} {new}",
                f"({new} {old})",
                f"(and {old})",
                f"({old})",
                old.upper(),
            )
            text = text[:begin] + shapes[rng.integers(len(shapes))] + text[end:]
        yield text


def mutated_bytes(count: int) -> Iterator[bytes]:
    """Flip, insert, delete and cut bytes of the seed texts."""
    rng = np.random.default_rng(2)
    for _ in range(count):
        raw = bytearray(SEEDS[rng.integers(len(SEEDS))].encode())
        for _ in range(int(rng.integers(1, 6))):
            position = int(rng.integers(len(raw) + 1))
            match int(rng.integers(5)):
                case 0 if position < len(raw):
                    raw[position] ^= 1 << int(rng.integers(8))
                case 1:
                    raw[position:position] = rng.bytes(int(rng.integers(1, 4)))
                case 2:
                    del raw[position : position + int(rng.integers(1, 20))]
                case 3 if rng.integers(4) == 0:
                    del raw[position:]
                case _:
                    raw[position : position + 1] = b"()?-: "[rng.integers(6)].to_bytes(1, "little")
        yield bytes(raw)


def soup(count: int) -> Iterator[str]:
    """Words and parentheses in any order, some of them balanced, some of them inside a frame."""
    rng = np.random.default_rng(3)
    frames = (
        "{}",
        "(define (domain d) {})",
        "(define (domain d) (:predicates (p) (q ?x)) (:action a {}))",
        SEEDS[2] + "{}",
    )
    for _ in range(count):
        words = [WORDS[i] for i in rng.integers(len(WORDS), size=int(rng.integers(1, 60)))]
        if rng.integers(2):
            depth = 0
            balanced = []
            for word in words:
                if word == ")" and depth == 0:
                    continue
                depth += (word == "(") - (word == ")")
                balanced.append(word)
            words = balanced + [")"] * depth
        yield frames[rng.integers(len(frames))].format(" ".join(words))


class Examiner:
    """Puts texts to the reader and counts what becomes of them."""

    def __init__(self) -> None:
        self.results: Counter[str] = Counter()

    def read(self, text: str) -> None:
        self._check(lambda: parse_document(text), text)

    def read_file(self, path: Path) -> None:
        self._check(lambda: read_document(path), path.read_bytes())

    def _check(self, read: object, shown: object) -> None:
        started = time.perf_counter()
        try:
            document = read()  # type: ignore[operator]
            _survives(document)
            self.results["read"] += 1
        except AssayError as error:
            self.results["refused"] += 1
            assert len(str(error)) < 1000, shown
        except Exception as error:
            raise AssertionError(f"{type(error).__name__} for {shown!r}") from error
        assert time.perf_counter() - started < SECONDS_EACH, shown


def _survives(document: Document) -> None:
    models = {id(model): model for model in document.models}
    text = "".join(print_model(model) for model in models.values())
    assert parse_document(text).models == document.models
    if len(document.models) == 1:
        model: Model = document.models[0]
        for problem in document.problems:
            assert parse_problem(print_problem(problem), model) == problem


def test_the_seeds_themselves_are_read() -> None:
    for text in SEEDS:
        _survives(parse_document(text))


def test_mutated_words(capfd: pytest.CaptureFixture[str]) -> None:
    examiner = Examiner()
    for text in mutated_words(8000):
        examiner.read(text)
    # Mutations that are all refused (or all harmless) would test little.
    assert examiner.results["read"] > 400
    assert examiner.results["refused"] > 4000
    assert capfd.readouterr() == ("", "")


def test_mutated_trees(capfd: pytest.CaptureFixture[str]) -> None:
    examiner = Examiner()
    for text in mutated_trees(8000):
        examiner.read(text)
    assert examiner.results["read"] > 500
    assert examiner.results["refused"] > 4000
    assert capfd.readouterr() == ("", "")


def test_mutated_bytes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    examiner = Examiner()
    path = tmp_path / "mutated.pddl"
    for raw in mutated_bytes(5000):
        path.write_bytes(raw)
        examiner.read_file(path)
    assert examiner.results["read"] > 50
    assert examiner.results["refused"] > 4000
    assert capfd.readouterr() == ("", "")


def test_soup(capfd: pytest.CaptureFixture[str]) -> None:
    examiner = Examiner()
    for text in soup(5000):
        examiner.read(text)
    assert examiner.results.total() == 5000
    assert examiner.results["refused"] > 4000
    assert capfd.readouterr() == ("", "")


@settings(max_examples=1000, derandomize=True, deadline=None)
@given(st.text(max_size=200) | st.text(alphabet="()?-:=;ad 01./\n", max_size=200))
def test_any_text(text: str) -> None:
    Examiner().read(text)


@settings(max_examples=500, derandomize=True, deadline=None)
@given(st.text(alphabet="()?-:=;ad 01./\n", max_size=60), st.integers(0, len(SEEDS[0])))
def test_any_text_inside_a_domain(text: str, position: int) -> None:
    Examiner().read(SEEDS[0][:position] + text + SEEDS[0][position:])
