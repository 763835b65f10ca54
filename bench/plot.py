"""A picture of latency against size, both logarithmic, as SVG: a white card, readable on any page."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Points = Sequence[tuple[float, float]]  # notes, milliseconds

WIDTH, HEIGHT = 780, 420
LEFT, RIGHT, TOP, BOTTOM = 92, 250, 50, 60
# Colours that can be told apart by everybody (Okabe and Ito); the shapes also without colour.
STYLES = (
    ("#d55e00", "M-4.5-4.5h9v9h-9z"),
    ("#0072b2", "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"),
    ("#009e73", "M0-6L6 5H-6z"),
    ("#a3478f", "M0-6.5L6.5 0L0 6.5L-6.5 0z"),
)
FLOOR = ("#6b6b6b", "M-5-1.5h10v3h-10z")


def drawn(lines: Mapping[str, Points], floors: Mapping[str, Points], title: str) -> str:
    """Return the picture of some lines over those of their floors, which are dashed."""
    every = [point for points in (*lines.values(), *floors.values()) for point in points]
    frame = _Frame([x for x, _ in every], [y for _, y in every])
    parts = [*_axes(frame, sorted({x for x, _ in every}), title)]
    styles = dict(zip(lines, STYLES, strict=False)) | dict.fromkeys(floors, FLOOR)
    # In the order in which the lines end, so that the legend stands beside them.
    named = sorted({**lines, **floors}.items(), key=lambda each: -each[1][-1][1])
    for number, (name, points) in enumerate(named):
        colour, shape = styles[name]
        dash = ' stroke-dasharray="6 4"' if name in floors else ""
        path = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        at = TOP + 14 + number * 44
        places = [(frame.x(x), frame.y(y)) for x, y in points] + [(WIDTH - RIGHT + 28, at - 4)]
        parts += [
            f'<path d="{shape}" transform="translate({x:.1f} {y:.1f})" fill="{colour}"/>' for x, y in places
        ]
        last = f"{told(points[0][1])} to {told(points[-1][1])}"
        parts.append(f'<text x="{WIDTH - RIGHT + 42}" y="{at}">{escape(name)}</text>')
        parts.append(f'<text x="{WIDTH - RIGHT + 42}" y="{at + 16}" fill="#555">{last}</text>')
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" font-family="sans-serif" font-size="13" fill="#222">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="8" fill="#fff" stroke="#ccc"/>\n'
        f"{body}\n</svg>\n"
    )


def told(milliseconds: float) -> str:
    """Return a time as one reads it."""
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.3g} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.2g} ms"


class _Frame:
    """Where a value is in the picture; the vertical axis has whole powers of ten."""

    def __init__(self, xs: Sequence[float], ys: Sequence[float]) -> None:
        self._x = (math.log10(min(xs)) - 0.1, math.log10(max(xs)) + 0.1)
        self._y = (math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)) + 1e-9))
        self.powers = range(self._y[0], self._y[1] + 1)

    def x(self, value: float) -> float:
        share = (math.log10(value) - self._x[0]) / (self._x[1] - self._x[0])
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        share = (math.log10(value) - self._y[0]) / (self._y[1] - self._y[0])
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _axes(frame: _Frame, sizes: Sequence[float], title: str) -> list[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = [f'<text x="{LEFT}" y="28" font-size="15" font-weight="bold">{escape(title)}</text>']
    for power in frame.powers:
        y = frame.y(10**power)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{told(10**power)}</text>')
    for size in sizes:
        x = frame.x(size)
        parts.append(f'<path d="M{x:.1f} {TOP}V{bottom + 5}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{size:,.0f}</text>')
    middle = (LEFT + right) / 2
    parts.append(f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#222"/>')
    parts.append(f'<text x="{middle:.0f}" y="{bottom + 42}" text-anchor="middle">notes</text>')
    parts.append(
        f'<text transform="translate(22 {(TOP + bottom) / 2:.0f}) rotate(-90)" text-anchor="middle">'
        "CPU time, median</text>"
    )
    return parts
