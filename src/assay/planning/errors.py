"""The exceptions of planners that run outside this process."""

from __future__ import annotations

from assay.errors import AssayError


class PlannerMissing(AssayError):
    """Raised when an external planner is not installed, or not where the user says it is."""


class PlannerRefused(AssayError):
    """Raised before a planner is started, for a model or a goal that it cannot be given."""


class PlannerFault(AssayError):
    """Raised when an external planner broke down, or wrote something that cannot be read."""
