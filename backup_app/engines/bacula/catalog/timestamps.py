"""The catalog's times: local times of the Director's host, without a zone."""

import datetime as dt

# Clocks are read in seconds, and lines of a log by several daemons.
SLACK = dt.timedelta(minutes=1)


def aware(
    wall: dt.datetime | None,
    zone: dt.tzinfo,
    *,
    after: dt.datetime | None = None,
    before: dt.datetime | None = None,
) -> dt.datetime | None:
    """Return a time in UTC; None for none.

    In the hour that the clock shows twice in autumn, this is the first time not before ``after``,
    or the last one not after ``before``; without either the first.
    """
    if wall is None:
        return None
    # In UTC, since Python compares times of one zone by their clocks on the wall.
    first, second = sorted(
        wall.replace(tzinfo=zone, fold=fold).astimezone(dt.UTC) for fold in (0, 1)
    )
    is_second = (after and first + SLACK < after <= second + SLACK) or (before and second <= before)
    return second if is_second else first


def of_job(
    started: dt.datetime | None,
    ended: dt.datetime | None,
    jobtdate: int | None,
    zone: dt.tzinfo,
) -> tuple[dt.datetime | None, dt.datetime | None]:
    """Return when a job started and ended.

    Its JobTDate is in seconds since 1970: of the start while it runs, and then of its end.
    """
    exact = dt.datetime.fromtimestamp(jobtdate, dt.UTC) if jobtdate else None
    wall = exact and exact.astimezone(zone).replace(tzinfo=None, fold=0)
    end = exact if wall and wall == ended else aware(ended, zone)
    begin = exact if wall and wall == started else aware(started, zone, before=end)
    return begin, end
