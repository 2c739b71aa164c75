"""The settings of a method: from an option of the command line, else from the exam file, else the default."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from assay.errors import AssayError

EnumT = TypeVar("EnumT", bound=Enum)


class Settings:
    """Looks settings up by name and checks them; an error names the option, or the exam and its field."""

    def __init__(self, options: argparse.Namespace, exam: Path | None, given: Mapping[str, Any]) -> None:
        self._options = options
        self._exam = exam
        self._given = given

    def check_names(self, known: set[str]) -> None:
        """Raise `AssayError` if the exam has a setting that the method does not know."""
        for name in sorted(set(self._given) - known):
            raise AssayError(
                f"{self._exam}: field settings.{name}: is not a setting; one of {', '.join(sorted(known))}"
            )

    def natural(self, name: str, default: int) -> int:
        """Return a whole number of 0 or more."""
        return int(self._checked(name, default, _is_natural, "a whole number of 0 or more"))

    def number(self, name: str, default: float) -> float:
        """Return a number of 0 or more."""
        return float(self._checked(name, default, _is_number, "a number of 0 or more"))

    def flag(self, name: str) -> bool | None:
        """Return true or false, or None if it is not set."""
        value: bool | None = self._checked(name, None, lambda value: isinstance(value, bool), "true or false")
        return value

    def choice(self, name: str, default: EnumT) -> EnumT:
        """Return a member of the default's enum by its value."""
        choices = {str(member.value): member for member in type(default)}
        chosen = self._checked(name, default.value, lambda value: value in choices, f"one of {', '.join(choices)}")
        return choices[chosen]

    def _checked(self, name: str, default: Any, fits: Callable[[Any], bool], expected: str) -> Any:
        option = getattr(self._options, name, None)
        if option is not None:
            value, place = option, f"--{name.replace('_', '-')}"
        elif name in self._given:
            value, place = self._given[name], f"{self._exam}: field settings.{name}"
        else:
            return default
        if not fits(value):
            raise AssayError(f"{place}: found {value!r}; expected {expected}")
        return value


def _is_natural(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
