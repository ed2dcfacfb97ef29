from collections import Counter, defaultdict

KINDS = {
    "new": "new",
    "updated": "updated",
    "unchanged": "unchanged",
    "trashed": "moved to the trash",
}


class Outcome:
    """What an import has done, by model and kind of change, and what it could not do."""

    def __init__(self):
        self.numbers: dict = defaultdict(Counter)
        self.problems: list[str] = []

    def note(self, kind, model):
        self.numbers[model][kind] += 1

    @property
    def is_failure(self):
        """Whether there were problems and nothing else."""
        return bool(self.problems) and not self.numbers

    def __str__(self):
        """Return it in words: ``12 events (10 new, 2 unchanged) and 1 venue (1 new)``."""
        parts = [_in_words(model, counts) for model, counts in self.numbers.items()]
        return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def _in_words(model, counts):
    total, names = counts.total(), model._meta
    name = names.verbose_name if total == 1 else names.verbose_name_plural
    kinds = (f"{counts[kind]} {words}" for kind, words in KINDS.items() if counts[kind])
    return f"{total} {name} ({', '.join(kinds)})"
