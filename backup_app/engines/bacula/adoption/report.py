"""What came of an adoption, for whoever asked for it."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from ....lib.formatting import counted


@dataclass
class Tally:
    """Names by what they are of, numbers of jobs by what was done, and sentences.

    ``remarks`` say what is good to know, ``problems`` what was left out and should not be.
    """

    adopted: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    updated: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    jobs: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _of_jobs: Counter[str] = field(default_factory=Counter)

    def remark_on_job(self, sentence: str, number: int = 1) -> None:
        """Note what is so of some jobs; ``{jobs}`` in the sentence stands for how many."""
        self._of_jobs[sentence] += number

    @property
    def remarks_on_jobs(self) -> list[str]:
        # A name may have braces of its own.
        return [
            sentence.replace("{jobs}", counted(number, "job"), 1)
            for sentence, number in self._of_jobs.items()
        ]
