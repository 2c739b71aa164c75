"""Curves as a small SVG file: a line for the mean of several runs, a band from the lowest to the highest."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 860, 480
LEFT, RIGHT, TOP, BOTTOM = 64, 170, 44, 56
COLOURS = ("#1f77b4", "#d95f02", "#2ca02c", "#c51b1b", "#7b52ab", "#8c564b", "#d6409f", "#555555", "#9a8a00", "#0aa3b5")


@dataclass(frozen=True)
class Curve:
    """The runs of one thing; a run's values are at 0, 1, 2, ... and it stays at its last one."""

    name: str
    runs: Sequence[Sequence[float]]

    @property
    def length(self) -> int:
        """The greatest x."""
        return max(len(run) for run in self.runs) - 1

    @property
    def means(self) -> list[float]:
        """The mean of the runs at every x."""
        return [statistics.mean(self.at(x)) for x in range(self.length + 1)]

    def at(self, x: int) -> list[float]:
        """Return the value of every run."""
        return [run[min(x, len(run) - 1)] for run in self.runs]


def draw(
    curves: Sequence[Curve], title: str, x_label: str, y_label: str, unit: float = 1, lowest: float | None = None
) -> str:
    """Return an SVG document. Values are between 0 and 1.

    Values stand `unit` apart on the x axis. With `lowest`, a power of ten, the y axis is logarithmic from there.
    """
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if max(c.length for c in curves) <= 10 * s)
    last = step * -(-max(curve.length for curve in curves) // step)
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    decades = 0 if lowest is None else round(-math.log10(lowest))

    def point(x: float, y: float) -> tuple[float, float]:
        if lowest is not None:
            y = 1 + math.log10(max(y, lowest)) / decades
        return LEFT + (right - LEFT) * x / last, bottom - (bottom - TOP) * y

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 24, title, size=15),
    ]
    for tick in range(0, last + 1, step):
        x, _ = point(tick, 0)
        parts += [_line(x, TOP, x, bottom), _text(x, bottom + 18, f"{tick * unit:g}", "middle")]
    for value in [fifth / 5 for fifth in range(6)] if lowest is None else [10.0**-n for n in range(decades + 1)]:
        _, y = point(0, value)
        label = f"{value:.1f}" if lowest is None else f"{value:g}"
        parts += [_line(LEFT, y, right, y), _text(LEFT - 8, y + 4, label, "end")]
    parts += [
        _line(LEFT, bottom, right, bottom, "#333"),
        _line(LEFT, TOP, LEFT, bottom, "#333"),
        _text((LEFT + right) / 2, HEIGHT - 14, x_label, "middle"),
        f'<g transform="rotate(-90 18 {(TOP + bottom) / 2})">{_text(18, (TOP + bottom) / 2, y_label, "middle")}</g>',
    ]
    lines = []
    for number, curve in enumerate(curves):
        colour, dash = COLOURS[number % len(COLOURS)], ' stroke-dasharray="7 3"' if number % 2 else ""
        xs = range(curve.length + 1)
        band = [point(x, max(curve.at(x))) for x in xs] + [point(x, min(curve.at(x))) for x in reversed(xs)]
        parts.append(f'<polygon points="{_points(band)}" fill="{colour}" fill-opacity="0.12"/>')
        style = f'fill="none" stroke="{colour}" stroke-width="2"{dash}'
        lines.append(f'<polyline points="{_points(point(x, y) for x, y in enumerate(curve.means))}" {style}/>')
        end_x, end_y = point(curve.length, statistics.mean(curve.at(curve.length)))
        lines.append(f'<circle cx="{end_x:.1f}" cy="{end_y:.1f}" r="3.5" fill="{colour}"/>')
        y = TOP + 10 + 22 * number
        lines.append(f'<polyline points="{right + 16},{y} {right + 44},{y}" {style}/>')
        lines.append(_text(right + 52, y + 4, curve.name))
    return "\n".join((*parts, *lines, "</svg>")) + "\n"


def side_by_side(documents: Sequence[str], columns: int = 2) -> str:
    """Return one SVG document that shows several that `draw` has made."""
    rows = -(-len(documents) // columns)
    size = f'viewBox="0 0 {columns * WIDTH} {rows * HEIGHT}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size}>']
    for number, document in enumerate(documents):
        row, column = divmod(number, columns)
        place = f'<svg x="{column * WIDTH}" y="{row * HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        parts.append(document.replace("<svg ", place, 1).rstrip())
    return "\n".join((*parts, "</svg>")) + "\n"


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str = "#ddd") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 13) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'
