"""States as bit sets, for hot loops: one bit for each ground atom, in a Python integer."""

from __future__ import annotations

from collections.abc import Iterable

from assay.logic.atoms import Atom, State


class AtomIndex:
    """Gives each ground atom a bit. It only grows, so bit sets made earlier stay valid."""

    def __init__(self) -> None:
        self._masks: dict[Atom, int] = {}
        self.atoms: list[Atom] = []

    def __len__(self) -> int:
        return len(self.atoms)

    def mask(self, atom: Atom) -> int:
        """Return the bit of `atom`, new if it was not known."""
        mask = self._masks.get(atom)
        if mask is None:
            mask = 1 << len(self.atoms)
            self._masks[atom] = mask
            self.atoms.append(atom)
        return mask

    def bits(self, atoms: Iterable[Atom]) -> int:
        """Return the bit set of `atoms`."""
        known = self._masks
        bits = 0
        for atom in atoms:
            mask = known.get(atom)
            bits |= self.mask(atom) if mask is None else mask
        return bits

    def decode(self, bits: int) -> list[Atom]:
        """Return the atoms of a bit set, in the order of the bits."""
        atoms = self.atoms
        return [atoms[position] for position in bit_positions(bits)]

    def state(self, bits: int) -> State:
        """Return the state of a bit set."""
        return State(self.decode(bits))


def bit_positions(bits: int) -> list[int]:
    """Return the positions of the ones, lowest first.

    Works byte by byte: peeling single bits off a long integer copies all of it every time.
    """
    positions: list[int] = []
    for byte_index, byte in enumerate(bits.to_bytes((bits.bit_length() + 7) // 8, "little")):
        base = byte_index * 8
        while byte:
            low = byte & -byte
            positions.append(base + low.bit_length() - 1)
            byte ^= low
    return positions
