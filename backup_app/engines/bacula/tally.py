"""What came of an adoption, for whoever asked for it."""

from collections import Counter
from dataclasses import dataclass, field

from ...amounts import counted


@dataclass
class Tally:
    """Counts by what was done, remarks on several jobs, and problems as sentences."""

    counts: Counter = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    _remarks: Counter = field(default_factory=Counter)

    def remark(self, sentence: str, number: int = 1) -> None:
        """Note what is so of some jobs; ``{jobs}`` in the sentence stands for how many."""
        self._remarks[sentence] += number

    @property
    def remarks(self) -> list[str]:
        # A name may have braces of its own.
        return [
            sentence.replace("{jobs}", counted(number, "job"), 1)
            for sentence, number in self._remarks.items()
        ]
