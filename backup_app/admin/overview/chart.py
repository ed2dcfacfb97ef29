"""A chart of bytes over days, drawn as SVG by the template."""

from dataclasses import dataclass

from ..shared import columns

WIDTH, HEIGHT = 900, 200  # of the drawing, which is stretched to its place


@dataclass(frozen=True)
class Line:
    """One line of the chart: its name, its last value, and its path."""

    name: str
    value: str
    path: str
    area: str


def of(points):
    """Return the chart of points of ``usage.history``, None if there is nothing to draw."""
    values = [max(point.protected_bytes, point.stored_bytes) for point in points]
    if len(points) < 2 or not (top := max(values)):
        return None
    fields = {"protected": "protected_bytes", "stored": "stored_bytes"}
    return {
        "lines": [
            _line(name, [getattr(each, field) for each in points], top)
            for name, field in fields.items()
        ],
        "view": f"0 0 {WIDTH} {HEIGHT}",
        "top": columns.size(top),
        "middle": columns.size(top // 2),
        "days": [points[0].day, points[len(points) // 2].day, points[-1].day],
    }


def _line(name, values, top):
    step = WIDTH / (len(values) - 1)
    steps = [
        f"{n * step:.1f},{HEIGHT - value * HEIGHT / top:.1f}" for n, value in enumerate(values)
    ]
    path = "M" + "L".join(steps)
    area = f"{path}L{WIDTH},{HEIGHT}L0,{HEIGHT}Z"
    return Line(name, columns.size(values[-1]), path, area)
