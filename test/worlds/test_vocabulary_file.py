"""Vocabulary files: good ones, every kind of fault with its place, and how things of a world get their types."""

from __future__ import annotations

import random
import textwrap
from math import radians
from pathlib import Path

import pytest
from evaluated_world import WORLD

from assay.exam import load_exam, load_vocabulary
from assay.logic.atoms import Atom
from assay.logic.model import CapabilityHeader, Predicate
from assay.logic.types import TypedName
from assay.worlds import vocabulary_file
from assay.worlds.errors import VocabularyError
from assay.worlds.geometry import Geometry
from assay.worlds.primitives import (
    AllOf,
    AnyOf,
    AttachedTo,
    JointInRange,
    Name,
    Not,
    NothingAttachedTo,
    PythonFunction,
    Reference,
    RestingOn,
    ScalarAbove,
    Within,
)
from assay.worlds.vocabulary import GroupKind
from assay.worlds.vocabulary_file import load_vocabulary_file, parse_vocabulary

CONFIG = Path(__file__).parents[2] / "config"
FULL = """\
types:
  location: object
  item: object
  dock: location
  can: {parent: item, kind: [soda-can, tin]}
objects: {gripper: object}
predicates:
  at:
    arguments: {location: location, item: item}
    english: "{item} is at {0}, not elsewhere"
    definition:
      resting on: {body: "{item}", surface: "{location}", tolerance: 0.03, inset: -0.01}
  robot-at:
    arguments: {location: location}
    english: the robot is at {location}
    definition: {within: {body: robot, location: "{location}", distance: 1, facing: 90, reference: surface}}
  ready:
    english: the robot is ready
    definition:
      all:
        - nothing attached to:
        - not: {attached to: {body: cup, link: left_link}}
        - any:
            - joint in range: {joint: torso, low: 0.1, high: 2}
            - scalar above: {scalar: battery, threshold: 0.5, missing: 1}
            - nothing attached to: {link: left_link}
  clean:
    arguments: {item: can}
    english: "{item} is clean"
    definition: {python: "my_robot.words:clean"}
capabilities:
  wait: {english: wait}
  move: {parameters: {from: location, to: location}, english: "move from {from} to {to}"}
exactly-one:
  - {for: {item: item}, of: ["at * {item}"]}
at-most-one:
  - of: ["ready", "robot-at *"]
"""


def test_a_full_file() -> None:
    vocabulary = parse_vocabulary(FULL, "words.yaml")
    assert vocabulary.source == "words.yaml"
    assert vocabulary.types.parents == (
        ("location", ("object",)),
        ("item", ("object",)),
        ("dock", ("location",)),
        ("can", ("item",)),
    )
    assert vocabulary.kinds == (
        ("location", ("location",)),
        ("item", ("item",)),
        ("dock", ("dock",)),
        ("can", ("soda-can", "tin")),
    )
    assert vocabulary.objects == (TypedName("gripper", ("object",)),)
    location, item = TypedName("?location", ("location",)), TypedName("?item", ("item",))
    assert vocabulary.predicate_headers == (
        Predicate("at", (location, item)),
        Predicate("robot-at", (location,)),
        Predicate("ready"),
        Predicate("clean", (TypedName("?item", ("can",)),)),
    )
    assert vocabulary.predicate_english["at"] == "{1} is at {0}, not elsewhere"
    assert vocabulary.capability_english == {"wait": "wait", "move": "move from {0} to {1}"}
    assert vocabulary.capability_headers == (
        CapabilityHeader("wait"),
        CapabilityHeader("move", (TypedName("?from", ("location",)), TypedName("?to", ("location",)))),
    )
    at, robot_at, ready, clean = (predicate.definition for predicate in vocabulary.predicates)
    assert at == RestingOn(Name("{item}", (12, 26)), Name("{location}", (12, 45)), 0.03, -0.01)
    assert robot_at == Within(
        Name("robot", (16, 33)), Name("{location}", (16, 50)), 1.0, radians(90), Reference.SURFACE
    )
    assert ready == AllOf(
        (
            NothingAttachedTo(),
            Not(AttachedTo(Name("cup", (22, 37)), Name("left_link", (22, 48)))),
            AnyOf(
                (
                    JointInRange(Name("torso", (24, 39)), 0.1, 2.0),
                    ScalarAbove(Name("battery", (25, 38)), 0.5, 1.0),
                    NothingAttachedTo(Name("left_link", (26, 43))),
                )
            ),
        )
    )
    assert clean == PythonFunction("my_robot.words:clean", ("item",), (30, 26))
    exactly, at_most = vocabulary.groups
    assert (exactly.kind, exactly.parameters) == (GroupKind.EXACTLY_ONE, (item,))
    assert exactly.patterns == (Atom("at", ("*", "?item")),)
    assert (at_most.kind, at_most.patterns) == (GroupKind.AT_MOST_ONE, (Atom("ready"), Atom("robot-at", ("*",))))
    assert str(exactly) == "for each ?item - item: exactly-one of (at * ?item)"


def test_reading_twice_gives_equal_values() -> None:
    assert parse_vocabulary(FULL) == parse_vocabulary(FULL)


def test_the_examples_in_the_documentation() -> None:
    page = (CONFIG.parent / "docs" / "vocabularies.md").read_text()
    assert len(parse_vocabulary(page.split("```yaml\n")[1].split("```")[0]).groups) == 1
    example = textwrap.dedent((vocabulary_file.__doc__ or "").split("\n\n")[1])
    assert len(parse_vocabulary(example).predicates) == 2


@pytest.mark.parametrize(
    ("name", "exam"), [("cafe", "cafe_paper_symbolic"), ("cafe_released", "cafe_released_symbolic")]
)
def test_the_cafe_vocabularies_have_the_words_of_the_symbolic_cafes(name: str, exam: str) -> None:
    vocabulary = load_vocabulary_file(CONFIG / "vocabularies" / f"{name}.yaml")
    words = load_vocabulary(load_exam(CONFIG / "exams" / f"{exam}.yaml"))
    assert vocabulary.predicate_english == words.predicates
    assert vocabulary.capability_english == words.capabilities


def test_an_exam_may_name_a_vocabulary_file(tmp_path: Path) -> None:
    (tmp_path / "exam.yaml").write_text("agent: {kind: ros, name: robot}\nvocabulary: words.yaml\n")
    (tmp_path / "words.yaml").write_text(FULL)
    words = load_vocabulary(load_exam(tmp_path / "exam.yaml"))
    assert words.predicates["at"] == "{1} is at {0}, not elsewhere"
    assert words.capabilities["wait"] == "wait"
    (tmp_path / "words.yaml").write_text(FULL.replace("resting on", "resting"))
    with pytest.raises(VocabularyError, match=r"words\.yaml:12:7: there is no primitive 'resting'"):
        load_vocabulary(load_exam(tmp_path / "exam.yaml"))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match=r"none\.yaml': cannot be opened: No such file"):
        load_vocabulary_file(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"# \xe9")
    with pytest.raises(VocabularyError, match=r"latin\.yaml:1:3: not UTF-8 text; save the file as UTF-8"):
        load_vocabulary_file(tmp_path / "latin.yaml")


# Faults

HEAD = "types: {location: object, item: object}\npredicates:\n"
P = HEAD + "  p: {arguments: {x: item}, english: e, definition: "
OK = P + "{attached to: {body: cup}}}\n"
WORDS = "resting on, within, attached to, nothing attached to, joint in range, scalar above, not, all, any, python"
FAULTS = {
    # the file
    "": "x:1:1: the text is empty",
    "- a": "x:1:1: found ['a']; expected a mapping with the fields predicates, types, objects, capabilities, exactly-",
    "a: b: c": "x:1:5: not YAML: ",
    "types: {}": "x:1:1: field predicates is missing; add it",
    "predicate: {}": "x:1:1: 'predicate' is not a field here (did you mean predicates?); one of predicates, types",
    "predicates: {}": "x:1:13: no predicates; define at least one",
    "predicates: [at]": "x:1:13: found ['at']; expected a mapping from predicate names",
    OK + "predicates: {}": "x:4:1: the key 'predicates' stands here twice (first in line 2); remove one",
    # types and objects
    "types: item\n" + OK[len(HEAD) - 12 :]: "x:1:8: found 'item'; expected a mapping from type names",
    OK.replace("item: object", "item: thing"): "x:1:33: there is no type 'thing'; declare it under types",
    OK.replace("item: object", "item: locaton"): "x:1:33: there is no type 'locaton' (did you mean location?); decl",
    OK.replace("item: object", "item: 3"): "x:1:33: found 3; expected the name of a type",
    OK.replace("item: object", "it em: object"): "x:1:27: type 'it em': not a name; use letters, digits, '-' and '_'",
    OK.replace("item: object", "item: object, ITEM: object"): "x:1:41: ITEM and item are the same name, as case does",
    OK.replace("item: object", "item: object, object: item"): "x:1:41: object is above all types and is never declare",
    OK.replace("item: object", "item: {kinds: a}"): "x:1:34: 'kinds' is not a field here (did you mean kind?); one of",
    OK.replace("item: object", "item: {kind: [3]}"): "x:1:41: found 3; expected a kind of thing, such as soda-can",
    OK.replace("location: object, item: object", "a: item, item: a"): "x:1:8: type 'item' is its own ancestor; remove",
    OK + "objects: {g: gripper}": "x:4:14: there is no type 'gripper'; declare it under types",
    OK + "objects: [g]": "x:4:10: found ['g']; expected a mapping from object names",
    # predicates
    HEAD + "  p: 3": "x:3:6: found 3; expected a mapping with the fields english, definition, arguments",
    HEAD + "  p: {english: e}": "x:3:6: field definition is missing; add it",
    HEAD + "  p: {definition: e}": "x:3:6: field english is missing; add it",
    HEAD + "  p!: {}": "x:3:3: predicate 'p!': not a name",
    OK.replace("arguments", "parameters"): "x:3:7: 'parameters' is not a field here (did you mean arguments?); one of",
    OK.replace("x: item", "x: cup"): "x:3:22: there is no type 'cup'; declare it under types",
    OK.replace("x: item", "0: item"): "x:3:19: an argument called 0 could be taken for a position; give it a word",
    OK.replace("x: item", "'?x': item"): "x:3:19: argument '?x': not a name; use letters",
    OK.replace("{x: item}", "[x]"): "x:3:18: found ['x']; expected a mapping from argument names",
    OK.replace("{x: item}", "{" + ", ".join(f"a{n}: item" for n in range(30)) + "}"): "x:3:18: 30 arguments; at most ",
    OK.replace("english: e", "english: ''"): "x:3:38: found ''; expected English in quotes",
    OK.replace("english: e", "english: 5"): "x:3:38: found 5; expected English in quotes",
    OK.replace("english: e", 'english: "{1}"'): "x:3:38: there is no argument {1}; the arguments are: {x}",
    OK.replace("english: e", 'english: "{y}"'): "x:3:38: there is no argument {y}; the arguments are: {x}",
    OK.replace("english: e", 'english: "{x"'): "x:3:38: found '{x': the braces do not match; write arguments as {arg",
    # definitions
    P + "robot}": f"x:3:53: found 'robot'; expected one of {WORDS}, with its fields",
    P + "{}}": "x:3:53: found {}; expected one of resting on",
    P + "{not: {}, all: []}}": "x:3:53: found {'not': {}, 'all': []}; expected one of resting on",
    P + "{restin on: {}}}": f"x:3:54: there is no primitive 'restin on' (did you mean resting on?); one of {WORDS}",
    P + "{resting on: cup}}": "x:3:66: found 'cup'; expected a mapping with the fields body, surface, tolerance, ins",
    P + "{resting on: {body: cup}}}": "x:3:66: field surface is missing; add it",
    P + "{attached to: {boddy: cup}}}": "x:3:68: 'boddy' is not a field here (did you mean body?); one of body, link",
    P + "{attached to: {body: {x}}}}": 'x:3:74: field body: braces without quotes are a mapping; write "{x}"',
    P + '{attached to: {body: "{y}"}}}': "x:3:74: field body: there is no argument {y}; the arguments are: {x}",
    P + '{attached to: {body: "{x"}}}': "x:3:74: field body: found '{x': the braces do not match",
    P + "{attached to: {body: 3}}}": "x:3:74: field body: found 3; expected a name, or an argument as",
    P + "{attached to: {}}}": "x:3:67: field body is missing; add it",
    P + "{within: {body: r, location: l, distance: far}}}": "x:3:95: field distance: found 'far'; expected a number",
    P + "{within: {body: r, location: l, distance: -1}}}": "x:3:95: field distance: found -1; expected a number from 0",
    P + "{within: {body: r, location: l, distance: true}}}": "x:3:95: field distance: found True; expected a number",
    P + "{within: {body: r, location: l, distance: 1, facing: 270}}}": "x:3:106: field facing: found 270; expected a "
    "number from 0 to 180",
    P + "{within: {body: r, location: l, distance: 1, reference: edge}}}": "x:3:109: field reference: found 'edge'; "
    "one of docking pose, surface",
    P + "{joint in range: {joint: torso}}}": "x:3:70: neither low nor high is given; add one of them",
    P + "{joint in range: {joint: torso, low: 2, high: 1}}}": "x:3:70: low 2 is above high 1; swap them",
    P + "{scalar above: {scalar: battery}}}": "x:3:68: field threshold is missing; add it",
    P + "{python: clean}}": "x:3:62: found 'clean'; expected package.module:function",
    P + "{python: 'a b:c'}}": "x:3:62: found 'a b:c'; expected package.module:function",
    P + "{python: [a]}}": "x:3:62: found ['a']; expected package.module:function",
    P + "{all: []}}": "x:3:59: found []; expected a list of definitions",
    P + "{any: {python: a:b}}}": "x:3:59: found {'python': 'a:b'}; expected a list of definitions",
    P + "{any: [{python: a:b}, {nott: 1}]}}": "x:3:76: there is no primitive 'nott' (did you mean not?)",
    P + "{not: 5}}": "x:3:59: found 5; expected one of resting on",
    # capabilities
    OK + "capabilities: {go: {}}": "x:4:20: field english is missing; add it",
    OK + "capabilities: {go: {english: g, arguments: {}}}": "x:4:33: 'arguments' is not a field here",
    OK + "capabilities: {go: {english: 'to {to}'}}": "x:4:30: there is no argument {to}; the arguments are: none",
    OK + "capabilities: {go: {english: g, parameters: {to: place}}}": "x:4:50: there is no type 'place'",
    # groups
    OK + "exactly-one: {of: [p]}": "x:4:14: field exactly-one: found {'of': ['p']}; expected a list of groups",
    OK + "exactly-one: [p]": "x:4:15: found 'p'; expected a mapping with the fields of, for",
    OK + "exactly-one: [{of: p}]": "x:4:20: expected a list of patterns",
    OK + "exactly-one: [{of: []}]": "x:4:20: expected a list of patterns",
    OK + "exactly-one: [{of: [5]}]": "x:4:21: found 5; expected a predicate and its arguments",
    OK + "exactly-one: [{of: [q *]}]": "x:4:21: there is no predicate 'q'; a pattern is a predicate and its arguments",
    OK + "exactly-one: [{of: [p]}]": "x:4:21: p has 1 arguments, found 0; write * for an argument that is free",
    OK + "at-most-one: [{of: [p y]}]": "x:4:21: found 'y'; expected *, an object of this file, or {name}",
    OK + "exactly-one: [{for: {y: item}, of: [p *]}]": "x:4:15: no pattern uses {y}; remove it from for",
    OK + "exactly-one: [{for: {y: itm}, of: ['p {y}']}]": "x:4:25: there is no type 'itm' (did you mean item?)",
    OK + "exactly-one: [{for: {y: location}, of: ['p {y}']}]": "x:4:41: {y} is of type location, but p takes the ",
}  # fmt: skip


@pytest.mark.parametrize("text", FAULTS, ids=[text[-40:].strip().replace("\n", "|") for text in FAULTS])
def test_faults_name_the_place(text: str) -> None:
    with pytest.raises(VocabularyError) as caught:
        parse_vocabulary(text, "x")
    assert str(caught.value).splitlines()[0].startswith(FAULTS[text]), str(caught.value)[:500]


def test_all_faults_are_listed_in_order() -> None:
    text = (
        "types: {item: thing, location: object}\n"
        "predicates:\n"
        "  p: {arguments: {x: item}, english: '{2}', definition: {attached to: {body: 5, link: 6}}}\n"
        "  q: {english: e, definition: {all: [{one: 1}, {two: 2}]}}\n"
        "capabilities: {go: 3}\n"
        "exactly-one: [{of: [r]}, {of: [p]}]\n"
    )
    with pytest.raises(VocabularyError) as caught:
        parse_vocabulary(text, "x")
    places = [line.split(" ")[0] for line in str(caught.value).splitlines()]
    # The last group names a predicate that is at fault itself: nothing more to say of it.
    assert places == ["x:1:15:", "x:3:38:", "x:3:78:", "x:3:87:", "x:4:39:", "x:4:49:", "x:5:20:", "x:6:21:"]


def test_one_mistake_is_one_fault() -> None:
    text = OK.replace("item: object", "item: 5") + "exactly-one: [{for: {y: item}, of: ['p {y}']}]"
    with pytest.raises(VocabularyError) as caught:
        parse_vocabulary(text, "x")
    assert str(caught.value) == "x:1:33: found 5; expected the name of a type"


_PIECES = [
    *"{}[]:,-\"'\n ", "\n  ", ": ", "types", "predicates", "definition", "english", "arguments", "not", "all", "any",
    "python", "{item}", "resting on", "exactly-one", "for", "of", "*", "object", "null", "1e5", "-1", "\x00", "é",
]  # fmt: skip


def test_whatever_the_text_the_error_is_ours() -> None:
    rng = random.Random(1)
    read = 0
    for _ in range(1500):
        text = FULL
        for _ in range(rng.randint(1, 4)):
            at = rng.randint(0, len(text))
            text = text[:at] + rng.choice(_PIECES) + text[at + rng.choice((0, 1, 5, 30)) :]
        try:
            parse_vocabulary(text, "x")
            read += 1
        except VocabularyError as error:
            assert str(error)
            assert all(line.startswith("x:") for line in str(error).splitlines())
    assert 0 < read < 1500


# Objects of a world


def test_things_of_the_world_get_the_most_special_type() -> None:
    objects = parse_vocabulary(FULL).objects_in(WORLD)
    assert {thing.name: thing.types[0] for thing in objects} == {
        "table": "location",
        "turned": "location",
        "charger": "dock",
        "cup": "item",
        "can": "can",
        "gripper": "object",
    }


def test_a_thing_of_two_types() -> None:
    text = OK.replace("item: object", "item: object, a: {kind: cup}")
    with pytest.raises(VocabularyError, match=r"x: cup \(cup, item\) could be of the types item and a; give one of"):
        parse_vocabulary(text, "x").objects_in(WORLD)


def test_an_object_that_is_in_the_world_too() -> None:
    with pytest.raises(VocabularyError, match=r"x: the object Cup is in the world too; rename it"):
        parse_vocabulary(OK + "objects: {Cup: item}", "x").objects_in(WORLD)
    assert parse_vocabulary(OK + "objects: {Cup: item}", "x").objects_in(Geometry()) == (TypedName("Cup", ("item",)),)
