"""What every learning algorithm returns: a model with what is open in it, and what it cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from assay.agents.questions import Effort
from assay.evidence.version_space import Undecided, VersionSpace
from assay.logic.document import ModelDocument
from assay.logic.model import Model


@dataclass(frozen=True)
class Progress:
    """Where an assessment stands."""

    resolved: int
    total: int
    questions: int
    effort: Effort


ProgressListener: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True)
class Info:
    """What an assessment cost, in all three currencies. `per_capability` counts steps tried and refused."""

    questions: int
    effort: Effort
    cpu_seconds: float
    wall_seconds: float
    seed: int
    per_capability: dict[str, dict[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Assessment:
    """The model that explains all answers with the fewest preconditions, what is open, and what it cost."""

    document: ModelDocument
    undecided: tuple[Undecided, ...]
    never_executed: tuple[str, ...]
    info: Info
    space: VersionSpace

    def models(self) -> dict[str, Model]:
        """Return the models to write, by the names of their files."""
        return {"model.pddl": self.document.model}

    def summary(self) -> dict[str, Any]:
        """Return the content of `summary.json`."""
        return {
            "questions": self.info.questions,
            "steps": self.info.effort.steps,
            "resets": self.info.effort.resets,
            "cpu_seconds": self.info.cpu_seconds,
            "wall_seconds": self.info.wall_seconds,
            "seed": self.info.seed,
            "pal_tuples": self.space.total,
            "resolved": self.space.resolved,
            "never_executed": list(self.never_executed),
            "undecided": [
                {"pal": str(item.pal), "modes": sorted(item.modes), "reason": item.reason} for item in self.undecided
            ],
            "capabilities": self.info.per_capability,
        }
