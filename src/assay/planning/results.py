"""What planners answer: the kind of solution there is. Shared by all planners of this package."""

from __future__ import annotations

from enum import Enum


class PolicyKind(Enum):
    """How far a policy can be trusted to reach its goal."""

    STRONG = "strong"
    """The goal is reached within a bounded number of steps, whatever the outcomes are."""
    STRONG_CYCLIC = "strong cyclic"
    """From wherever the policy can lead, the goal can still be reached: it will be, if every outcome has a chance."""
    WEAK = "weak"
    """Some outcomes reach the goal; others may lead where it cannot be reached any more."""
    NONE = "none"
    """No plan reaches the goal; all that can be reached was searched."""
    UNKNOWN = "unknown"
    """The budget was spent before an answer was found."""
