"""Fast Downward as a separate process. It is GPL software: it is looked for and run, but never imported.

Serves `assay.planning.classical`. The packages are `up-fast-downward` (the search) and `fast-downward.translate`.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from dataclasses import dataclass, replace
from enum import Enum
from importlib.util import find_spec
from pathlib import Path

from assay.logic.atoms import GroundCapability
from assay.logic.model import Model, Plan, Problem
from assay.logic.printer import print_model, print_problem
from assay.logic.variants import effect_of, with_needed_requirements
from assay.planning.errors import PlannerFault, PlannerMissing, PlannerRefused
from assay.planning.processes import Deadline, Finished, run

_INSTALL = "pip install up-fast-downward fast-downward.translate"
_OPTIMAL = "astar(lmcut())"
# LM-cut knows neither conditional effects nor axioms; the blind heuristic knows everything.
_OPTIMAL_ANY = "astar(blind())"
_SATISFICING = "let(h, ff(), lazy_greedy([h], preferred=[h]))"
_PLAN_FOUND = (0, 1, 2, 3)
_UNSOLVABLE = (10, 11)
_UNSOLVED = (12,)
_OUT_OF_RESOURCES = (20, 21, 22, 23, 24)
_SEARCH_UNSUPPORTED = 34


class FastDownwardAnswer(Enum):
    """What comes back instead of a plan."""

    UNSOLVABLE = "unsolvable"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Installation:
    """Where the two packages are: the directory to import the translator from, and the search program."""

    translator_root: Path
    search: Path


def find_fast_downward() -> Installation | None:
    """Return the installation in this Python environment, or None."""
    # Only the top-level names: to look for a sub-module would import the package above it.
    planner, translator = find_spec("up_fast_downward"), find_spec("fast_downward")
    if planner is None or translator is None:
        return None
    for root in translator.submodule_search_locations or ():
        if (Path(root) / "translate" / "__main__.py").is_file():
            for folder in planner.submodule_search_locations or ():
                search = Path(folder) / "downward" / "builds" / "release" / "bin" / "downward"
                if search.is_file():
                    return Installation(Path(root).parent, search)
    return None


def run_fast_downward(model: Model, problem: Problem, *, optimal: bool, seconds: float) -> Plan | FastDownwardAnswer:
    """Return a plan for a problem of a deterministic model, not verified yet; all steps cost one.

    UNKNOWN past `seconds` of wall time or out of memory. Raises `PlannerMissing`, `PlannerRefused` or
    `PlannerFault`.
    """
    installation = find_fast_downward()
    if installation is None:
        raise PlannerMissing(f"Fast Downward is not installed in this Python environment; {_INSTALL}")
    names = _names(model, problem)
    plain = with_needed_requirements(
        replace(
            model,
            functions=(),
            # Where a capability names an object of the problem, Fast Downward wants a constant.
            constants=(*model.constants, *problem.objects),
            capabilities=tuple(replace(c, effect=effect_of(c.outcomes[0])) for c in model.capabilities),
        )
    )
    deadline = Deadline(seconds)
    with tempfile.TemporaryDirectory(prefix="assay-fast-downward-") as name:
        directory = Path(name)
        (directory / "domain.pddl").write_text(print_model(plain), encoding="utf-8")
        bare = replace(problem, objects=(), values=(), metric=None, goal_reward=None, requirements=())
        (directory / "problem.pddl").write_text(print_problem(bare), encoding="utf-8")
        paths = [str(installation.translator_root), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        translated = run(
            [sys.executable, "-m", "fast_downward.translate", "domain.pddl", "problem.pddl", "--sas-file", "task.sas"],
            directory,
            deadline,
            environment={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)},
        )
        if translated is None or translated.code in _OUT_OF_RESOURCES:
            return FastDownwardAnswer.UNKNOWN
        if translated.code in _UNSOLVABLE:
            return FastDownwardAnswer.UNSOLVABLE
        if translated.code != 0:
            raise PlannerFault(f"Fast Downward cannot read the problem ({translated.code}): {translated.last_words}")
        finished: Finished | None = None
        for search in (_OPTIMAL, _OPTIMAL_ANY) if optimal else (_SATISFICING,):
            command: list[str | Path] = [installation.search, "--search", search, "--internal-plan-file", "plan"]
            finished = run(command, directory, deadline, stdin=directory / "task.sas")
            if finished is None or finished.code != _SEARCH_UNSUPPORTED:
                break
        if finished is None or finished.code in (*_UNSOLVED, *_OUT_OF_RESOURCES):
            return FastDownwardAnswer.UNKNOWN
        if finished.code in _UNSOLVABLE:
            return FastDownwardAnswer.UNSOLVABLE
        if finished.code not in _PLAN_FOUND or not (directory / "plan").is_file():
            raise PlannerFault(f"Fast Downward ended with code {finished.code}: {finished.last_words}")
        return _read_plan((directory / "plan").read_text(encoding="utf-8"), names)


def _names(model: Model, problem: Problem) -> dict[str, str]:
    """Return the names as we write them by those that Fast Downward writes: all in small letters."""
    names: dict[str, str] = {}
    capabilities = [capability.name for capability in model.capabilities]
    objects = [thing.name for thing in (*model.constants, *problem.objects)]
    for kind in (capabilities, objects):
        if len({name.lower() for name in kind}) < len(kind):
            raise PlannerRefused("Fast Downward ignores case: two capabilities or two objects differ only in it")
    for prefix, kind in (("c ", capabilities), ("o ", objects)):
        names.update((prefix + name.lower(), name) for name in kind)
    return names


def _read_plan(text: str, names: dict[str, str]) -> Plan:
    steps: list[GroundCapability] = []
    for line in text.splitlines():
        if line.startswith(";") or not line.strip():
            continue
        match = re.fullmatch(r"\(([^()]*)\)", line.strip())
        words = match.group(1).split() if match else []
        try:
            steps.append(GroundCapability(names[f"c {words[0]}"], tuple(names[f"o {word}"] for word in words[1:])))
        except (IndexError, KeyError) as error:
            raise PlannerFault(f"Fast Downward wrote a plan step that is none: {line!r}") from error
    return tuple(steps)
