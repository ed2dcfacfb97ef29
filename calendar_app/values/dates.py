"""Dates as people and programs write them.

A value is a sequence of parts in any order and case, each kind at most once (distances may repeat):

    date      2027-02-03  2027/02/03  20270203  02/03/2027 (month first)  03-02-2027  03.02.2027
              3 March 2027  March 3, 2027
    day       today  yesterday  tomorrow  wednesday  this|next|last wednesday
              wednesday next week  first|last day of next month  first|last day of March 2027
    time      14:05  14:05:06  14:05:06.789  T140506  9am  9:30 pm  noon  midnight
    offset    Z  UTC  +02:00  +0200  +02, right after a time in figures
    distance  +2 weeks  -30 days  2 weeks  2 weeks ago  next month  last year
    instant   now, or a unix timestamp of 9 or more digits

The meaning is that of PHP's strtotime: a bare weekday may be today, `next` and `last` exclude it; a
distance counts from now, or from the date beside it, and keeps the time of day; hours, minutes and
seconds are elapsed time. Unlike in PHP, a part that names a day means its midnight, a month later
is at most the last day of that month, and nothing rolls over: 2027-02-30 is an error.

A value without an offset is in the zone of the caller. A plus sign may have become a space, as in a
query string that does not encode it. Year 0 and instants beyond datetime's range become the nearest
that it can represent; a distance that leads there is an error.
"""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from dateutil.relativedelta import relativedelta

from . import date_phrases, time_zones

ACCEPTED = (
    "use a form such as '2027-02-03', '2027-02-03 14:05:00', '2027-02-03T14:05:00+02:00', "
    "'02/03/2027', '03-02-2027', a Unix timestamp of 9 or more digits, 'now', 'tomorrow 9am', "
    "'next wednesday 4pm' or '+2 weeks'."
)


class DateError(ValueError):
    """The text is not a date; the message is a sentence with the accepted forms.

    ``problem`` is a sentence without them, for forms, which have other words for them.
    """

    def __init__(self, problem: str, accepted: str = ""):
        super().__init__(f"{problem}; {accepted}" if accepted else problem)
        self.problem = f"{problem}." if accepted else problem


def parse(text: str, zone: tzinfo, now: datetime | None = None) -> datetime:
    """Return the aware datetime for a text; it can always be converted to UTC. Raises DateError.

    Its tzinfo is the offset in the text, else `zone`. Relative parts count from `now`, an aware
    datetime.
    """
    local, given = _resolved(text, zone, now)
    return time_zones.to_utc(local, given).astimezone(given)


def wall(text: str, zone: tzinfo, now: datetime | None = None) -> datetime:
    """Return the naive local time in `zone`, in whole seconds, for a text. Raises DateError.

    Its `fold` is 1 for the second of two instants with the same local time (PEP 495).
    """
    local, given = _resolved(text, zone, now)
    if given is not zone:
        local = time_zones.to_wall(time_zones.to_utc(local, given), zone)
    return local.replace(microsecond=0)


def skipped(text: str, zone: tzinfo, now: datetime | None = None) -> datetime | None:
    """Return the local time that a text names if the clocks skip it, else None. Raises DateError.

    `wall` returns the one to which it moves.
    """
    phrase = _read(text)
    if phrase.distances:
        return None
    zone = phrase.offset or zone
    base = time_zones.to_wall(phrase.anchor or now or datetime.now(UTC), zone)
    said = _start(phrase, base).replace(fold=0)
    return said if time_zones.resolve(said, zone)[0].replace(fold=0) != said else None


def end_base(text: str, start: datetime, zone: tzinfo) -> datetime | None:
    """Return the instant that the text of an end counts from; None, for now, if it names a day.

    A distance counts from `start`, the naive local time at which it began; a time alone is the
    next one after it: "1am" after 20:00 is on the next day. Raises DateError.
    """
    phrase = _read(text)
    if phrase.day or phrase.anchor or phrase.offset or not (phrase.clock or phrase.distances):
        return None
    is_next_day = phrase.clock and phrase.clock < start.time() and start.date() < date.max
    return time_zones.to_utc(start + timedelta(days=bool(is_next_day)), zone)


def is_relative(text: str) -> bool:
    """Return whether a text's meaning depends on the current time; False if it is not a date."""
    try:
        return _read(text).is_relative
    except DateError:
        return False


def has_time(text: str) -> bool:
    """Return whether a text says a time of day, and not a day alone. Raises DateError."""
    phrase = _read(text)
    units = {unit for unit, _ in phrase.distances}
    return bool(phrase.clock or phrase.anchor or units & {"hours", "minutes", "seconds"})


def _read(text: str) -> date_phrases.Phrase:
    try:
        return date_phrases.read(text)
    except ValueError as e:
        problem = f"{text[: date_phrases.MAX_LENGTH]!r} is not a date"
        raise DateError(problem, ACCEPTED) from e
    except OverflowError as e:
        raise _too_far(text) from e


def _resolved(text: str, zone: tzinfo, now: datetime | None) -> tuple[datetime, tzinfo]:
    """Return a naive local time that exists, and its zone."""
    phrase = _read(text)
    zone = phrase.offset or zone
    base = time_zones.to_wall(phrase.anchor or now or datetime.now(UTC), zone)
    try:
        return _moved(_start(phrase, base), phrase.distances, zone), zone
    except (ValueError, OverflowError) as e:
        raise _too_far(text) from e


def _start(phrase: date_phrases.Phrase, base: datetime) -> datetime:
    if phrase.day:
        return datetime.combine(phrase.day(base.date()), phrase.clock or time.min)
    return datetime.combine(base.date(), phrase.clock or base.time())


def _moved(start: datetime, distances: list[tuple[str, int]], zone: tzinfo) -> datetime:
    """Return the time at these distances: days and longer by the calendar, hours as elapsed."""
    total = Counter[str]()
    for unit, count in distances:
        total[unit] += count
    elapsed = timedelta(**{u: total.pop(u, 0) for u in ("hours", "minutes", "seconds")})
    if any(total.values()):
        start += relativedelta(**total)
    start, instant = time_zones.resolve(start, zone)
    return time_zones.to_wall(instant + elapsed, zone) if elapsed else start


def _too_far(text: str) -> DateError:
    return DateError(f"{text!r} is out of range; dates are limited to the years 1 to 9999.")
