"""The errors of worlds: what a user can mend in a world file, an installation or a state."""

from __future__ import annotations

from assay.errors import AssayError


class WorldFileError(AssayError):
    """Raised when a world file is not valid, or describes an impossible world; one line for each fault."""


class VocabularyError(AssayError):
    """Raised when a vocabulary file is not valid, or does not fit the world or the state that it is evaluated in."""


class BackendMissing(AssayError):
    """Raised when a simulator is asked for that is not installed; says what to install."""


class WorldFault(AssayError):
    """Raised when a world is given what it does not have: an unknown body, joint or snapshot."""


class Unrealisable(AssayError):
    """Raised when no world state has the asked atoms; `atoms` are those that contradict each other."""

    def __init__(self, message: str, atoms: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.atoms = atoms


class PictureError(AssayError):
    """Raised when a picture cannot be written: Pillow is not installed, or the file cannot be made."""
