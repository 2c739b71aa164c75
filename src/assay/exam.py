"""Exam files: which agent to examine, in whose words, by which method, and where the results go.

    agent: {kind: symbolic, domain: blocks.pddl, problem: three-blocks.pddl, access: any, seed: 1}
    vocabulary:
      predicates: {on: "{0} stands on {1}"}
    method: interrogation
    settings: {confidence: 0.95}
    output: {directory: results, durability: power}

Paths are relative to the exam file. `load_exam` lists every fault with its line; `build_agent` makes the agent.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, ValidationError
from pydantic import ValidationInfo as Info
from pydantic_core import ErrorDetails

from assay.agents.agent import Access, Agent
from assay.agents.misreading import MisreadingAgent
from assay.agents.symbolic import DEFAULT_BUDGET, SymbolicAgent
from assay.errors import ExamError
from assay.evidence.journal import Durability
from assay.logic.names import MAX_NAME_LENGTH, NAME
from assay.marked_yaml import MarkedNode, Place, YamlFault, listed_faults, read_text_file, read_yaml, shown
from assay.worlds.vocabulary_file import defines_predicates, parse_vocabulary

MAX_SETTINGS = 200
MAX_WORDS = 5000
_MAX_TEXT = 2000
_ROS_NAME = re.compile(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*", re.ASCII)


class Method(Enum):
    """How to examine, by the name of the algorithm's module in `assay.assess`."""

    INTERROGATION = "interrogation"
    STOCHASTIC = "stochastic"
    DIFFERENTIAL = "differential"
    DISCOVERY = "discovery"
    CONTINUAL = "continual"


def _relative_to_exam(path: Path, info: Info) -> Path:
    base = (info.context or {}).get("base_dir")
    return path if base is None else Path(base) / path


def _path_text(value: object) -> object:
    if not isinstance(value, str | Path) or not str(value).strip():
        raise ValueError("expected a path, relative to the exam file")
    return value


def _ros_name(value: str) -> str:
    if not _ROS_NAME.fullmatch(value) or len(value) > MAX_NAME_LENGTH:
        raise ValueError("not a ROS name; use letters, digits and '_', separated by '/', such as /cafe/robot")
    return value


def _word(value: str) -> str:
    if not NAME.fullmatch(value) or len(value) > MAX_NAME_LENGTH:
        raise ValueError("not a name; use letters, digits, '-' and '_'")
    return value


def _scalar(value: object) -> object:
    if not isinstance(value, bool | int | float | str):
        raise ValueError("expected a number, a text, true or false")
    if isinstance(value, str) and len(value) > _MAX_TEXT:
        raise ValueError(f"a text of {len(value)} characters; at most {_MAX_TEXT} are allowed")
    return value


Scalar: TypeAlias = bool | int | float | str
RelativePath: TypeAlias = Annotated[Path, BeforeValidator(_path_text), AfterValidator(_relative_to_exam)]
Word: TypeAlias = Annotated[str, AfterValidator(_word)]
Template: TypeAlias = Annotated[str, Field(min_length=1, max_length=_MAX_TEXT)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SymbolicSettings(_Part):
    """A PDDL, FOND or PPDDL model played as a black box. Without `problem`, the domain file holds both.

    `misreads` is the probability that a fact of a state it reports is wrong, for studies of noise.
    """

    kind: Literal["symbolic"] = "symbolic"
    domain: RelativePath
    problem: RelativePath | None = None
    access: Access = Access.ANY
    seed: Annotated[int, Field(ge=0, strict=True)] = 0
    fixed_objects: bool = False
    reports_execution: bool = True
    continues_after_refusal: bool = True
    budget: Annotated[int, Field(ge=1, strict=True)] = DEFAULT_BUDGET
    misreads: Annotated[float, Field(ge=0, lt=0.5)] = 0.0


class RosSettings(_Part):
    """An agent behind ROS services. `name` is the node or namespace that offers them, `deadline` is in seconds."""

    kind: Literal["ros"] = "ros"
    name: Annotated[str, AfterValidator(_ros_name)]
    deadline: Annotated[float, Field(gt=0, le=86_400, strict=True)] = 10.0


class CafeSettings(_Part):
    """A robot in a simulated cafe. `behaviour` is the robot's own file, which only the robot reads.

    `skin` shows the real Fetch in pictures, where its meshes are installed.
    `variants` is how many different arrangements of one symbolic state are used; with 2 or more `workers`, the runs of
    a question are shared out to as many processes.
    """

    kind: Literal["cafe"] = "cafe"
    world: RelativePath
    vocabulary: RelativePath
    behaviour: RelativePath
    access: Access = Access.REALISABLE
    seed: Annotated[int, Field(ge=0, strict=True)] = 0
    variants: Annotated[int, Field(ge=1, le=1000, strict=True)] = 3
    workers: Annotated[int, Field(ge=1, le=64, strict=True)] = 1
    fidelity: Literal["kinematic", "hybrid", "dynamics"] = "kinematic"
    skin: bool = False


AgentSettings: TypeAlias = Annotated[SymbolicSettings | RosSettings | CafeSettings, Field(discriminator="kind")]


class Vocabulary(_Part):
    """English for the user's words: `{0}` and so on stand for the arguments."""

    predicates: Annotated[dict[Word, Template], Field(max_length=MAX_WORDS)] = {}
    capabilities: Annotated[dict[Word, Template], Field(max_length=MAX_WORDS)] = {}


class Output(_Part):
    """Where results and evidence are kept."""

    directory: RelativePath
    durability: Durability = Durability.PROCESS


def _vocabulary_form(value: object) -> str:
    return "inline" if isinstance(value, Vocabulary | dict) else "file"


class Exam(_Part):
    """A whole exam file. A vocabulary in a file of its own is read by `load_vocabulary`."""

    agent: AgentSettings
    vocabulary: (
        Annotated[
            Annotated[RelativePath, Tag("file")] | Annotated[Vocabulary, Tag("inline")],
            Discriminator(_vocabulary_form),
        ]
        | None
    ) = None
    method: Method | None = None
    settings: Annotated[dict[Word, Annotated[Scalar, BeforeValidator(_scalar)]], Field(max_length=MAX_SETTINGS)] = {}
    output: Output | None = None


def load_exam(path: str | Path) -> Exam:
    """Read an exam file. Raises `ExamError` with one line for each fault."""
    path = Path(path)
    return parse_exam(read_text_file(path, ExamError), str(path), path.parent)


def parse_exam(text: str, source: str = "<exam>", base_dir: str | Path = ".") -> Exam:
    """Read the text of an exam file whose paths are relative to `base_dir`. Raises `ExamError`."""
    return _parse(text, source, base_dir, Exam)


def load_vocabulary(exam: Exam) -> Vocabulary:
    """Return the exam's vocabulary, read from its file if it names one; empty if it has none.

    The file may hold templates only, as an exam does, or be a vocabulary file with definitions.
    """
    if isinstance(exam.vocabulary, Path):
        path = exam.vocabulary
        text = read_text_file(path, ExamError)
        if defines_predicates(text):
            defined = parse_vocabulary(text, str(path))
            return Vocabulary(predicates=dict(defined.predicate_english), capabilities=dict(defined.capability_english))
        return _parse(text, str(path), path.parent, Vocabulary)
    return exam.vocabulary if exam.vocabulary is not None else Vocabulary()


def build_agent(exam: Exam) -> Agent:
    """Make the agent that the exam names. Raises `AssayError` when its files or its node cannot be used."""
    return AGENT_FACTORIES[exam.agent.kind](exam.agent)


def _symbolic(settings: SymbolicSettings) -> Agent:
    agent = SymbolicAgent.from_files(
        settings.domain,
        settings.problem,
        settings.access,
        settings.seed,
        fixed_objects=settings.fixed_objects,
        reports_execution=settings.reports_execution,
        continues_after_refusal=settings.continues_after_refusal,
        budget=settings.budget,
    )
    return MisreadingAgent(agent, settings.misreads, settings.seed) if settings.misreads else agent


def _ros(settings: RosSettings) -> Agent:
    try:
        # Late, because only exams of this kind need a ROS 2 installation.
        from assay.ros.remote_agent import RemoteAgent
    except ImportError as error:
        raise ExamError(
            f"an agent of kind ros needs ROS 2, which cannot be imported ({error}); source a ROS 2 installation, "
            "or install the ROS 2 wheels with `make setup`"
        ) from error
    return RemoteAgent(settings.name, settings.deadline)


def _cafe(settings: CafeSettings) -> Agent:
    try:
        # Late, because only exams of this kind need the simulator.
        from assay.worlds.cafe.agent import CafeAgent, CafeFiles
        from assay.worlds.cafe.world import Fidelity
        from assay.worlds.workers import WorkerPool
    except ImportError as error:
        raise ExamError(
            f"an agent of kind cafe needs the simulator, which cannot be imported ({error}); install the extra `cafe`"
        ) from error
    files = CafeFiles(settings.world, settings.vocabulary, settings.behaviour)
    fidelity = Fidelity(settings.fidelity)
    make = partial(
        CafeAgent, files, settings.access, settings.seed,
        variants=settings.variants, fidelity=fidelity, skin=settings.skin,
    )  # fmt: skip
    return WorkerPool(make, settings.workers) if settings.workers > 1 else make()


# Each factory takes the settings of its own kind.
AGENT_FACTORIES: Mapping[str, Callable[[Any], Agent]] = {"symbolic": _symbolic, "ros": _ros, "cafe": _cafe}


# The parts of an exam by their place as pydantic gives it, union members included.
_PARTS: Mapping[tuple[int | str, ...], type[_Part]] = {
    ("agent", "symbolic"): SymbolicSettings,
    ("agent", "ros"): RosSettings,
    ("agent", "cafe"): CafeSettings,
    ("vocabulary", "inline"): Vocabulary,
    ("output",): Output,
}
_PartT = TypeVar("_PartT", bound=_Part)


def _parse(text: str, source: str, base_dir: str | Path, part: type[_PartT]) -> _PartT:
    try:
        root = read_yaml(text)
    except YamlFault as fault:
        raise ExamError(f"{source}:{fault.place[0]}:{fault.place[1]}: {fault.message}") from fault
    if not isinstance(root.value, dict):
        line, column = root.place
        fields = ", ".join(part.model_fields)
        raise ExamError(f"{source}:{line}:{column}: expected a mapping with the fields {fields}")
    try:
        return part.model_validate(root.value, context={"base_dir": Path(base_dir)})
    except ValidationError as error:
        faults = (_fault(root, details, part) for details in error.errors(include_url=False))
        raise ExamError(listed_faults(source, faults)) from error


def _fault(root: MarkedNode, details: ErrorDetails, part: type[_Part]) -> tuple[Place, str]:
    """Return where in the file a fault is, and what to tell the user."""
    location = list(details["loc"])
    about_key = details["type"] == "extra_forbidden" or location[-1:] == ["[key]"]
    if location[-1:] == ["[key]"]:
        location.pop()
    if part is Exam and len(location) > 1 and location[0] in ("agent", "vocabulary"):
        del location[1]  # the union member that pydantic tried, which is not in the file
    if details["type"].startswith("union_tag"):
        location.append("kind")
    owner, place = root, root.place
    for step in location:
        if step not in owner.entries:
            break
        key_place, child = owner.entries[str(step)]
        place = key_place if about_key and step == location[-1] else child.place
        owner = child
    # A key can be any text, and a fault is one line.
    field = ".".join(shown(str(step))[1:-1] for step in location)
    return place, f"field {field}: {_message(details, part)}"


def _message(details: ErrorDetails, part: type[_Part]) -> str:
    context = details.get("ctx", {})
    found = shown(details["input"])
    match details["type"]:
        case "missing":
            return "is missing; add it"
        case "union_tag_not_found":
            return f"is missing; one of {', '.join(AGENT_FACTORIES)}"
        case "union_tag_invalid":
            return f"found {shown(context.get('tag'))}; one of {', '.join(AGENT_FACTORIES)}"
        case "extra_forbidden":
            known = list(_PARTS.get(details["loc"][:-1], part).model_fields)
            close = difflib.get_close_matches(str(details["loc"][-1]), known, 1)
            guess = f" (did you mean {close[0]}?)" if close else ""
            return f"is not a field here{guess}; one of {', '.join(known)}"
        case "enum" | "literal_error":
            choices = str(context.get("expected", "")).replace(" or ", ", ").replace("'", "")
            return f"found {found}; one of {choices}"
        case "value_error":
            return f"found {found}: {context.get('error')}"
        case "bool_parsing" | "bool_type":
            return f"found {found}; expected true or false"
        case "model_type" | "model_attributes_type" | "dict_type":
            return f"found {found}; expected a mapping"
    message = details["msg"].removeprefix("Input should be ").removeprefix("Value should be ")
    return f"found {found}; expected {message[:1].lower()}{message[1:]}"
