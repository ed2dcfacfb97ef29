from pathlib import Path

from django.core.management.base import CommandError

from calendar_app.conf import conf
from calendar_app.ical.reader import ReadError, read
from calendar_app.importing import ics
from calendar_app.importing.writer import Importer
from calendar_app.lib import fetch
from calendar_app.management.base import CalendarCommand
from calendar_app.management.imports import add_import_arguments, editor, report
from calendar_app.management.output import progress
from calendar_app.models import Status
from calendar_app.models.feed import IMPORTABLE

FETCH_SECONDS = 60
MAX_DAYS = 3660


class Command(CalendarCommand):
    help = (
        "Import the events of an iCalendar file or feed. Events imported before are recognized by "
        "their UID: changed ones are updated, cancelled ones moved to the trash."
    )
    examples = (
        "import_ics https://example.org/feed.ics --dry-run",
        "import_ics festival.ics --user ann@example.org --status draft --format json",
    )
    failure = "It was refused, or nothing could be imported; the messages say why."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument(
            "source", metavar="FILE|URL", help="A file, or an http, https or webcal URL."
        )
        add_import_arguments(parser)
        parser.add_argument(
            "--horizon",
            type=int,
            metavar="DAYS",
            help="How many days ahead to import recurring events.",
        )
        parser.add_argument(
            "--status",
            default=Status.PUBLISH,
            choices=IMPORTABLE,
            help="Status of the imported events.",
        )

    def handle(self, *, source, user, dry_run, horizon, status, **options):
        days = conf.ICAL_HORIZON_DAYS if horizon is None else horizon
        if not 1 <= days <= MAX_DAYS:
            raise CommandError(f"--horizon must be from 1 to {MAX_DAYS} days, not {days}.")
        importer = Importer(editor(user))
        outcome = importer.outcome
        try:
            reading = read(_content(source), conf.zone_name)
            importer.trust(_url(source))
            with progress("Events", len(reading.groups)) as show:
                target = ics.CalendarImport(importer, status)
                ics.store(reading, target, days=days, dry_run=dry_run, show=show)
        except ReadError as e:
            so_far = f" Imported so far: {outcome}." if outcome.numbers else ""
            raise CommandError(f"{source}: {e}{so_far}") from e
        report(self, outcome, dry_run=dry_run)


def _url(source):
    """Return the URL if source is one; "" for a path."""
    is_url = source.startswith(("http://", "https://", "webcal://"))
    return source.replace("webcal://", "https://", 1) if is_url else ""


def _content(source):
    """Return the content of a path or URL. Raises CommandError, also if it is too large."""
    if url := _url(source):
        try:
            return fetch.fetch(
                url, max_bytes=conf.ICAL_MAX_BYTES, seconds=FETCH_SECONDS, trusted=url
            ).body
        except fetch.FetchError as e:
            raise CommandError(str(e)) from e
    try:
        with Path(source).open("rb") as file:
            content = file.read(conf.ICAL_MAX_BYTES + 1)
    except OSError as e:
        raise CommandError(f"'{source}' cannot be read: {e.strerror}.") from e
    if len(content) > conf.ICAL_MAX_BYTES:
        raise CommandError(f"'{source}' is larger than {conf.ICAL_MAX_BYTES} bytes.")
    return content
