"""Imports feeds when they are due: one import of each at a time, and again later if it fails.

An import plans the next one before it begins, so that a worker that dies breaks no schedule. It is
bounded in time and stores one event after the other, so that neither other tasks nor other writers
wait for long; one that was cut off is repeated soon, and has less to do then.
"""

import datetime as dt
import logging
from collections import Counter

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from ..conf import conf
from ..ical.reader import ReadError
from ..lib.fetch import FetchError, UnmodifiedError
from ..lib.tasks import task
from ..models import Event, Feed
from ..services.actor import acting
from .feed_import import fetched, opened
from .ics import within
from .writer import Outcome

PAUSES = [
    *(dt.timedelta(minutes=5), dt.timedelta(minutes=30)),
    *(dt.timedelta(hours=hours) for hours in (2, 6, 24)),
]
LONGEST = dt.timedelta(minutes=30)  # of an import: after that its process has died
OVERDUE = dt.timedelta(hours=1)
# Even if nothing has changed: dates come within the horizon, and what was lost here comes back.
READ_IN_FULL_AFTER = dt.timedelta(days=7)
BEHIND = -50  # the priority of a task for which nobody waits

logger = logging.getLogger(__name__)


def plan(feed: Feed) -> None:
    """Plan the next import of a feed that was added or changed; it will read the feed anew."""
    latest = timezone.now() + dt.timedelta(hours=feed.every)
    feed.next_import = min(feed.next_import or latest, latest) if feed.is_active else None
    feed.validators = {}
    with transaction.atomic():
        feed.save(update_fields=["next_import", "validators"])
        _queue(feed)


def import_soon(feed: Feed) -> None:
    """Have a worker import a feed now, without a change to its schedule."""
    import_feed.enqueue(feed.pk, None)


def import_due(feeds=None) -> list[Feed]:
    """Import the feeds that are due, or these feeds whether due or not; return those imported."""
    if feeds is None:
        due = Feed.objects.filter(is_active=True, next_import__lte=timezone.now())
        todo = list(due.order_by("next_import", "id").values_list("pk", "next_import"))
    else:
        todo = [(feed.pk, None) for feed in feeds]
    return [feed for pk, moment in todo if (feed := run(pk, moment))]


def enqueue_overdue() -> int:
    """Queue the feeds that are due and were forgotten, as when the queue was lost."""
    late = timezone.now() - OVERDUE
    overdue = list(Feed.objects.filter(is_active=True, next_import__lte=late))
    for feed in overdue:
        import_feed.enqueue(feed.pk, feed.next_import.isoformat())
    return len(overdue)


# Queues store the path of a task: if it moves, the old path must keep working.
@task(priority=BEHIND)
def import_feed(pk: int, moment: str | None) -> bool:
    """Import a feed, at a moment only if that is still its next import; return whether it did."""
    return run(pk, moment and dt.datetime.fromisoformat(moment)) is not None


def run(pk: int, moment: dt.datetime | None = None) -> Feed | None:
    """Import a feed and return it with the result; None if it is not due, or being imported."""
    feed = _claimed(pk, moment)
    if feed is None:
        return None
    try:
        outcome = _imported(feed)
    except (FetchError, ReadError) as e:
        _note_failure(feed, str(e))
    except Exception:
        logger.exception("The import of the feed %s failed.", pk)
        _note_failure(feed, "The import failed unexpectedly; the server's log says why.")
    else:
        _note_success(feed, outcome)
    return feed


def _claimed(pk, moment):
    """Return the feed, claimed for this process, with its next import planned."""
    now = timezone.now()
    free = Feed.objects.filter(Q(running_since=None) | Q(running_since__lt=now - LONGEST), pk=pk)
    with transaction.atomic():
        wanted = free.filter(is_active=True, next_import=moment) if moment else free
        feed = wanted.select_related("owner").first()
        if feed is None:
            return None
        following = now + dt.timedelta(hours=feed.every) if feed.is_active else None
        # Of two processes that have come this far one finds it taken.
        if not wanted.update(running_since=now, next_import=following):
            return None
        feed.running_since, feed.next_import = now, following
        _queue(feed)
    return feed


def _queue(feed):
    if feed.next_import:
        moment = feed.next_import.isoformat()
        import_feed.using(run_after=feed.next_import).enqueue(feed.pk, moment)


def _imported(feed) -> Outcome | None:
    """Return the outcome of an import; None if nothing has changed since the last one."""
    is_recent = feed.read_in_full and feed.running_since < feed.read_in_full + READ_IN_FULL_AFTER
    limit = within(conf.FEED_SECONDS, "the next import goes on with the rest.")
    try:
        known = feed.validators if is_recent else None
        found = fetched(feed, known, seconds=conf.FEED_SECONDS)
    except UnmodifiedError:
        return None
    target = opened(feed, found.body)
    outcome = target.importer.outcome
    try:
        with acting(door=f"feed {feed.name}"):
            target.run(show=limit)
    finally:
        _count(feed, outcome)
    feed.validators, feed.read_in_full = found.validators, feed.running_since
    if outcome.is_failure:
        raise ReadError(outcome.problems[0])
    return outcome


def _count(feed, outcome):
    numbers = outcome.numbers.get(Event, Counter())
    feed.made, feed.changed = numbers["new"], numbers["updated"]
    feed.trashed, feed.skipped = numbers["trashed"], len(outcome.problems)


def _note_success(feed, outcome):
    feed.failures, feed.last_success = 0, timezone.now()
    if outcome is None:
        feed.made = feed.changed = feed.trashed = 0
    else:
        feed.problem = next(iter(outcome.problems), "")[:1000]
    _note(feed)


def _note_failure(feed, sentence):
    feed.failures, feed.problem, feed.validators = feed.failures + 1, sentence[:1000], {}
    # The address may contain a secret, and the sentence has the address.
    logger.warning("The feed %s has failed %s times in a row.", feed.pk, feed.failures)
    planned = feed.next_import
    if planned:
        pause = PAUSES[min(feed.failures, len(PAUSES)) - 1]
        feed.next_import = timezone.now() + pause
    _note(feed)
    with transaction.atomic():
        # Unless somebody has planned otherwise meanwhile.
        same = Feed.objects.filter(pk=feed.pk, is_active=True, next_import=planned)
        if planned and same.update(next_import=feed.next_import):
            _queue(feed)


def _note(feed):
    """Store the result, unless another process has taken over meanwhile."""
    feed.last_import = timezone.now()
    names = ["last_import", "last_success", "failures", "made", "changed", "trashed", "skipped"]
    names += ["problem", "validators", "read_in_full"]
    mine = Feed.objects.filter(pk=feed.pk, running_since=feed.running_since)
    mine.update(running_since=None, **{name: getattr(feed, name) for name in names})
