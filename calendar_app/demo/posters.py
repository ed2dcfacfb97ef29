"""Draws the posters of the demo calendar."""

import io
import math

from PIL import Image, ImageDraw, ImageOps

SIZE = (1200, 800)
# Sky at the top, sky at the horizon, sun, hills from far to near.
PALETTES = {
    "gallery": ("#e8e2d6", "#f7f3ea", "#c8553d", ("#b8b0a2", "#8a8378", "#4a4641")),
    "harbour": ("#0b1d3a", "#2f5d8a", "#ffd27d", ("#1d4568", "#123250", "#0a1c30")),
    "market": ("#f6b756", "#fde9c4", "#e4572e", ("#8cb369", "#5b8e4d", "#2f5d3a")),
    "park": ("#7ec8e3", "#e3f6f5", "#fff3b0", ("#a7d676", "#6fb04c", "#3d7a37")),
    "stage": ("#1a0b2e", "#6a1b4d", "#f2a65a", ("#4a1942", "#32112d", "#1b0a1c")),
}


def draw(name: str) -> bytes:
    """Return the poster with this name, a key of PALETTES, as a JPEG of 1200 by 800 pixels."""
    top, horizon, sun, hills = PALETTES[name]
    picture = ImageOps.colorize(Image.linear_gradient("L").resize(SIZE), top, horizon)
    brush = ImageDraw.Draw(picture)
    brush.ellipse((760, 120, 1000, 360), fill=sun)
    for place, colour in enumerate(hills):
        brush.polygon(_ridge(place), fill=colour)
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=85)
    return buffer.getvalue()


def _ridge(place):
    width, height = SIZE
    level, swing = 430 + 110 * place, 70 - 12 * place
    line = [
        (x, level + swing * math.sin(x / (170 + 40 * place) + 2 * place))
        for x in range(0, width + 1, 8)
    ]
    return [(0, height), *line, (width, height)]
