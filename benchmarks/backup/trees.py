"""Trees of small files, the same for the same number."""

import random
from pathlib import Path

IN_FOLDER = 100
WORDS = [f"word{number} " for number in range(1000)]


def grow(tree: Path, number: int) -> int:
    """Make a tree of a number of files; return their bytes."""
    numbers, size = random.Random(number), 0  # noqa: S311
    for start in range(0, number, IN_FOLDER):
        folder = tree / f"{start // 100_000:04}" / f"{start // IN_FOLDER % 1000:04}"
        folder.mkdir(parents=True)
        for name in range(start, min(start + IN_FOLDER, number)):
            content = _content(numbers)
            (folder / f"file{name:07}").write_bytes(content)
            size += len(content)
    return size


def touch(tree: Path, number: int) -> None:
    """Make a full backup differ from the one before it."""
    (tree / "round").write_text(f"{number}\n")


def _content(numbers: random.Random) -> bytes:
    """Return up to 16 kB: half of it text, half of it what nothing makes smaller."""
    size = min(16_000, int(numbers.lognormvariate(7.5, 1)))
    text = "".join(numbers.choices(WORDS, k=size // 14))
    return text.encode() + numbers.randbytes(size // 2)
