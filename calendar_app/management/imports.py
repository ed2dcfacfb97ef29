"""What the import commands share: arguments, the user to import as, and the final report."""

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError

from .. import permissions
from ..models import Event
from .output import numbers_by_name
from .users import user_by_email


def add_import_arguments(parser):
    parser.add_argument(
        "--user",
        metavar="EMAIL",
        help="E-mail address of the editor to import as; the first superuser by default.",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="Show what would be imported without storing anything.",
    )


def editor(email=None):
    """Return the user to import as: the one with this e-mail address, or the first superuser.

    Raises CommandError unless that user may edit and publish all events.
    """
    if email:
        user = user_by_email(email)
    else:
        users = get_user_model().objects.filter(is_superuser=True, is_active=True)
        user = users.order_by("pk").first()
    if user is None:
        raise CommandError("There is no superuser; use --user to name the editor to import as.")
    if not permissions.may_import(user, Event):
        raise CommandError(f"The user '{user}' is not an editor and may not import events.")
    return user


def report(command, outcome, *, dry_run=False):
    """Write the outcome of an import. Raises CommandError if it only has problems."""
    if command.is_json:
        command.answer(_record(outcome, dry_run), "")
    for problem in outcome.problems:
        command.stderr.write(problem)
    number = len(outcome.problems)
    skipped = f" {number} problem{'s' * (number > 1)}, shown above." if number else ""
    if outcome.is_failure:
        raise CommandError(f"Nothing was imported.{skipped}")
    if command.is_json:
        return
    verb = "Would import" if dry_run else "Imported"
    command.stdout.write(f"{verb} {outcome}.{skipped}" if outcome.numbers else "Nothing to import.")


def _record(outcome, dry_run):
    numbers = {model: dict(counts) for model, counts in outcome.numbers.items()}
    data = {"imported": numbers_by_name(numbers), "problems": outcome.problems}
    return data | {"dry_run": dry_run}
