import os
from getpass import getpass
from itertools import chain, islice

from django.core.management.base import CommandError

from calendar_app.importing.remote_calendar import Service, ServiceError
from calendar_app.importing.rest import ServiceImport
from calendar_app.importing.writer import Importer
from calendar_app.management.base import CalendarCommand
from calendar_app.management.imports import add_import_arguments, editor, report
from calendar_app.management.output import progress

PASSWORD = "IMPORT_PASSWORD"  # noqa: S105 the name of the variable
END = "9999-12-31"
PARAMS = ("start_date", "status", "modified_after")


class Command(CalendarCommand):
    help = (
        "Import the events of another service with the same API, with their venues, organizers, "
        "categories, tags and images. Records imported before are recognized by their ID at the "
        "service and updated only if they have changed, so the command can be repeated and "
        "continues where it was interrupted."
    )
    examples = (
        "import_events https://example.org/wp-json/tribe/events/v1 --dry-run",
        "import_events https://example.org/calendar/events/v1 --from-page 7 --format json",
    )
    failure = "It was refused or stopped early; the messages say why and how to continue."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument(
            "url", help="The API's URL, such as https://example.org/wp-json/tribe/events/v1."
        )
        add_import_arguments(parser)
        parser.add_argument(
            "--start-date",
            default="1970-01-01",
            metavar="DATE",
            help="Only events from this day on.",
        )
        parser.add_argument(
            "--status",
            default="publish",
            metavar="STATUSES",
            help="Only events with one of these statuses, comma-separated.",
        )
        parser.add_argument(
            "--modified-after",
            metavar="DATE",
            help="Only events changed after this time.",
        )
        parser.add_argument(
            "--from-page", type=int, default=1, metavar="N", help="Page to start from."
        )
        parser.add_argument(
            "--series",
            action="store_true",
            help="Also import which events belong to a series; one more request for each event.",
        )
        parser.add_argument(
            "--username",
            default="",
            help="User name at the other service, to import events that are not public. The "
            f"password is read from the environment variable {PASSWORD}, or prompted for.",
        )

    def handle(self, *, url, user, dry_run, from_page, series, username, **options):
        if from_page < 1:
            raise CommandError(f"--from-page must be 1 or more, not {from_page}.")
        importer = Importer(editor(user))
        service = _service(url, username)
        self.target, self.page = ServiceImport(service, importer), from_page
        params = {name: options[name] for name in PARAMS if options[name]} | {"end_date": END}
        try:
            self._import(service.pages("events", params, from_page), params, dry_run, series)
        except (ServiceError, KeyboardInterrupt) as e:
            if importer.outcome.numbers:
                report(self, importer.outcome, dry_run=dry_run)
            raise CommandError(self._stopped(str(e) or "Interrupted.")) from e
        report(self, importer.outcome, dry_run=dry_run)

    def _stopped(self, reason):
        if self.page == 1:
            return reason
        again = f"Run the command again with --from-page {self.page} to continue."
        return f"Stopped at page {self.page}: {reason} {again}"

    def _import(self, pages, params, dry_run, series):
        # The first page before all else, so that a mistyped URL is the only problem reported.
        pages = chain(list(islice(pages, 1)), pages)
        self.target.importer.trust(self.target.service.base)
        self.target.read_categories()
        # Until its rollback, a dry run blocks all other writers: so it fetches all pages first.
        pages = list(pages) if dry_run else pages
        with self.target.importer.running(dry_run=dry_run):
            self._store(pages)
            if series and not dry_run:
                self._set_parents(params)

    def _store(self, pages):
        with progress("Pages") as show:
            for page in pages:
                self.page = page.number
                for _ in self.target.store_each(page.records):
                    pass
                self.page += 1
                show(page.number, page.total)

    def _set_parents(self, params):
        ids = list(self.target.source_ids)
        with progress("Series") as show:
            for done, pk in enumerate(ids, start=1):
                self.target.set_parent(pk, params)
                show(done, len(ids))


def _service(url, username):
    password = username and (os.environ.get(PASSWORD) or getpass())
    try:
        return Service(url, username=username, password=password)
    except ServiceError as e:
        raise CommandError(str(e)) from e
