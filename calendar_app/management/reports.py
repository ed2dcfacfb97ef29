from django.core.management.base import CommandError


def report(command, outcome, *, dry_run=False):
    """Write what an import has done; raises CommandError when it has done nothing but fail."""
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
