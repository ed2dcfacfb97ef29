import tempfile
from pathlib import Path
from types import SimpleNamespace

from django.contrib.auth.models import AnonymousUser
from django.core.management.base import CommandError
from django.http import QueryDict
from django.utils.http import urlencode

from calendar_app import permissions
from calendar_app.api import representations
from calendar_app.api.filters.event import EventFilterSet
from calendar_app.api.representations import Urls
from calendar_app.conf import conf
from calendar_app.ical.writer import calendar
from calendar_app.management.base import CalendarCommand
from calendar_app.management.output import counted
from calendar_app.management.users import user_by_email
from calendar_app.models import Event, Status

BATCH = 500


class Command(CalendarCommand):
    help = "Export events as iCalendar; all published events by default."
    examples = (
        "export_ics --category music",
        "export_ics --output all.ics --start 2030-01-01 --format json",
    )

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument(
            "--output", metavar="FILE", help="File to write to; standard output by default."
        )
        parser.add_argument(
            "--start",
            metavar="DATE",
            default="0001-01-01",
            help="Only events that start on this day or later.",
        )
        parser.add_argument(
            "--end", metavar="DATE", default="9999-12-31", help="Only events that end by this day."
        )
        parser.add_argument(
            "--category",
            metavar="SLUGS",
            help="Only events in these categories or their descendants, comma-separated.",
        )
        parser.add_argument(
            "--status",
            metavar="STATUSES",
            default=Status.PUBLISH,
            help="Only events with one of these statuses, comma-separated; publish by default.",
        )
        parser.add_argument(
            "--user",
            metavar="EMAIL",
            help="Export the events that this user may read; public events by default.",
        )

    def handle(self, *, output, start, end, category, status, user, **options):
        if self.is_json and not output:
            raise CommandError("--format json needs --output: otherwise the calendar is printed.")
        reader = user_by_email(user) if user else AnonymousUser()
        wanted = {"start_date": start, "end_date": end, "status": status}
        if category:
            wanted["categories"] = category
        content = calendar(
            _events(_ids(wanted, reader), reader),
            self._urls(),
            redacted=lambda event: not permissions.may_see_details(reader, event),
        )
        if output:
            _replace(Path(output), content)
            number = content.count(b"BEGIN:VEVENT\r\n")
            text = f"Wrote {counted({Event: number}) or 'no events'} to {output}."
            self.answer({"events": number, "output": output}, text)
        else:
            self.stdout.write(content.decode(), ending="")

    def _urls(self):
        if not conf.BASE_URL:
            self.stderr.write("CALENDAR_BASE_URL is not set: links start with http://localhost.")
        return Urls(conf.BASE_URL or "http://localhost")


def _ids(wanted, reader):
    """Return the IDs of the events that match the API's parameters. Raises CommandError."""
    request = SimpleNamespace(user=reader)
    query = QueryDict(urlencode(wanted))
    found = EventFilterSet(query, queryset=Event.objects.all(), request=request)
    if not found.is_valid():
        raise CommandError(" ".join(str(e) for errors in found.errors.values() for e in errors))
    return found.qs.values_list("pk", flat=True)


def _events(ids, reader):
    ids = list(ids)
    for start in range(0, len(ids), BATCH):
        yield from representations.fetch(Event, ids[start : start + BATCH], reader)


def _replace(path, content):
    """Write content to path, either completely or not at all."""
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            whole = Path(folder) / path.name
            whole.write_bytes(content)
            whole.replace(path)
    except OSError as e:
        raise CommandError(f"'{path}' cannot be written: {e.strerror}.") from e
