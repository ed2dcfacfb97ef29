"""The clock of this machine, against that of the database and the times in it."""

import datetime as dt
from collections.abc import Iterator

from django.utils import timezone

from ..models import Job
from .database import ours
from .finding import Finding, failed, ok

TOLERANCE = dt.timedelta(seconds=5)  # between hosts; heartbeats count as fresh for 30
REMEDY = "Set the clocks of both hosts by NTP, as with 'timedatectl set-ntp true'."


def examine() -> Iterator[Finding]:
    """Yield whether the clocks agree, and whether the newest job lies in the past."""
    before = timezone.now()
    theirs = _of_the_database()
    ahead = theirs - timezone.now() if theirs > before else theirs - before
    if abs(ahead) > TOLERANCE:
        way = "ahead of" if ahead > dt.timedelta() else "behind"
        seconds = round(abs(ahead).total_seconds())
        yield failed(f"The database's clock is {seconds} seconds {way} this machine's.", REMEDY)
    newest = Job.objects.order_by("-pk").values_list("created", flat=True).first()
    if newest and newest > timezone.now() + TOLERANCE:
        yield failed(
            f"The newest job is of {newest:%Y-%m-%d %H:%M:%S} UTC, which is in the future.",
            "Set this machine's clock if it is behind; otherwise schedules wait until that time.",
        )
    elif abs(ahead) <= TOLERANCE:
        yield ok(f"It is {timezone.now():%Y-%m-%d %H:%M:%S} UTC here and in the database.")


def _of_the_database() -> dt.datetime:
    connection = ours()
    # PostgreSQL's own CURRENT_TIMESTAMP is that of the transaction's start.
    postgresql = connection.vendor == "postgresql"
    now_there = "clock_timestamp()" if postgresql else "CURRENT_TIMESTAMP"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {now_there}")
        (now,) = cursor.fetchone()
    if isinstance(now, dt.datetime):
        return now
    return dt.datetime.fromisoformat(now).replace(tzinfo=dt.UTC)  # SQLite's
