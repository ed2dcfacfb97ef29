from django.core.management.base import CommandError

from ...importing import feeds
from ...models import Feed
from ..base import CalendarCommand

COUNTS = ("made", "changed", "trashed", "skipped")


class Command(CalendarCommand):
    help = (
        "Import the feeds that are due. Workers do so by themselves; this is for cron where none "
        "runs, and for those who want a feed at once."
    )
    examples = (
        "import_feeds",
        'import_feeds "School holidays" --format json',
    )
    failure = "A feed could not be imported; the messages say why."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument(
            "names", nargs="*", metavar="NAME", help="Import these feeds, whether due or not."
        )
        parser.add_argument(
            "--overdue",
            action="store_true",
            help="Only queue for the workers what is due for an hour, as they do daily.",
        )

    def handle(self, *, names, overdue, **options):
        if overdue and names:
            raise CommandError("--overdue takes no names.")
        if overdue:
            number = feeds.enqueue_overdue()
            self.answer({"queued": number}, f"Queued {number} feeds.")
            return
        done = feeds.import_due(_named(names) if names else None)
        failed = [feed for feed in done if feed.failures]
        self.answer(
            [_record(feed) for feed in done], "\n".join(map(_line, done)) or "No feed is due."
        )
        if failed:
            raise CommandError(f"Feeds that failed: {len(failed)} of {len(done)}.")


def _named(names):
    found = list(Feed.objects.filter(name__in=names))
    if unknown := {*names} - {feed.name for feed in found}:
        raise CommandError(f"There is no feed “{min(unknown)}”.")
    return found


def _record(feed):
    counts = {name: getattr(feed, name) for name in COUNTS}
    return {"feed": feed.name, "failed": bool(feed.failures), **counts, "problem": feed.problem}


def _line(feed):
    said = ", ".join(f"{getattr(feed, name)} {name}" for name in COUNTS)
    return f"{feed}: {said}.{' ' if feed.problem else ''}{feed.problem}"
