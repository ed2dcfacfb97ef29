"""What commands print of their results."""

from django.core.management.base import CommandError


def report(command, outcome, *, dry_run=False):
    """Write the outcome of an import. Raises CommandError if it only has problems."""
    for problem in outcome.problems:
        command.stderr.write(problem)
    number = len(outcome.problems)
    skipped = f" {number} problem{'s' * (number > 1)}, shown above." if number else ""
    if outcome.is_failure:
        raise CommandError(f"Nothing was imported.{skipped}")
    if not outcome.numbers:
        command.stdout.write("Nothing to import.")
        return
    verb = "Would import" if dry_run else "Imported"
    command.stdout.write(f"{verb} {outcome}.{skipped}")


def counted(numbers):
    """Return ``{model: number}`` in words: ``2 events, 1 venue and 3 tags``."""
    parts = [
        f"{number} {model._meta.verbose_name if number == 1 else model._meta.verbose_name_plural}"
        for model, number in numbers.items()
        if number
    ]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
