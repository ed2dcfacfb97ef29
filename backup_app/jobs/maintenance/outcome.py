from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """How a task went: a sentence, and one for each problem that it found."""

    message: str
    problems: Sequence[str] = ()
