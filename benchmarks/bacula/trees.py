"""A tree of small files: one folder of 10,000, and groups of folders of 1,000."""

from pathlib import Path

LARGE, SMALL, IN_GROUP = 10_000, 1_000, 10


def grow(tree: Path, number: int) -> tuple[Path, Path]:
    """Make a tree of about so many files; return its large folder and one of the small ones."""
    large = tree / "large"
    fill(large, LARGE)
    for start in range(max(1, (number - LARGE) // SMALL)):
        small = tree / f"group{start // IN_GROUP:03}" / f"folder{start:04}"
        fill(small, SMALL)
    return large, small


def fill(folder: Path, number: int) -> None:
    folder.mkdir(parents=True)
    for name in range(number):
        (folder / f"{folder.name}-{name * 7919 % number:05}.txt").write_text(f"{name}\n")


def change(folder: Path, turn: int) -> None:
    """Change one file in twenty, delete one and add one."""
    names = sorted(folder.iterdir())
    for path in names[turn::20]:
        path.write_text(f"changed in turn {turn}\n")
    names[turn * 20 + 1].unlink()
    (folder / f"added in turn {turn}").touch()
