"""Time zones by name, and conversions between local times and instants.

A name is an IANA name (`Europe/Paris`, any case), `UTC`, or a fixed offset in whole quarter hours:

    UTC+2  UTC-5.5  UTC+05:30  +02:00  +0200  Z

`canonical` returns one spelling of each: `Europe/Paris`, `UTC`, `UTC+2`, `UTC-5.5`.
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

EARLIEST = datetime(1, 1, 1)  # noqa: DTZ001 - naive, as wall times are
LATEST = datetime(9999, 12, 31, 23, 59, 59)  # noqa: DTZ001

MAX_OFFSET = timedelta(hours=14)
QUARTER = timedelta(minutes=15)

# A form that does not encode its plus sign turns "UTC+2" into "UTC 2".
OFFSET = re.compile(
    r"(?:utc|(?=[+-]))(?P<sign>[+ -])(?P<hours>[0-9]{1,2})"
    r"(?:\.(?P<fraction>[0-9]{1,2})|:?(?P<minutes>[0-9]{2}))?"
)

# Files in the zone database that contain a machine's own setting.
NOT_PLACES = {"factory", "localtime"}


class ZoneError(ValueError):
    """The name is not a time zone; the message is a sentence for the caller."""

    def __init__(self, problem: str, accepted: str):
        super().__init__(f"{problem}; {accepted}")
        self.problem = f"{problem}."


def get(name: str) -> tzinfo:
    """Return the zone with this name; its `str()` is the canonical name. Raises ZoneError."""
    key = name.strip().lower()
    if key in ("utc", "z"):
        return UTC
    if known := _places().get(key):
        return ZoneInfo(known)
    if match := OFFSET.fullmatch(key):
        return _fixed(name, match)
    raise _unknown(name)


def canonical(name: str) -> str:
    """Return the canonical name of a zone: `UTC+5.5` for `UTC+05:30`. Raises ZoneError."""
    return str(get(name))


def resolve(wall: datetime, zone: tzinfo) -> tuple[datetime, datetime]:
    """Return the naive local time that exists in the zone, and its UTC instant.

    A time that is skipped when clocks are set forward moves forward by the gap. One that occurs
    twice means the first, unless its `fold` is 1 (PEP 495). An instant beyond datetime's range
    becomes the first or last that it can represent.
    """
    try:
        instant = wall.replace(tzinfo=zone).astimezone(UTC)
        return instant.astimezone(zone).replace(tzinfo=None), instant
    except OverflowError:
        return wall, _edge(wall).replace(tzinfo=UTC)


def to_utc(wall: datetime, zone: tzinfo) -> datetime:
    """Return the UTC instant of a naive local time; see `resolve`."""
    return resolve(wall, zone)[1]


def to_wall(instant: datetime, zone: tzinfo) -> datetime:
    """Return the naive local time in the zone at an aware instant."""
    try:
        return instant.astimezone(zone).replace(tzinfo=None)
    except OverflowError:
        return _edge(instant)


def is_ambiguous(wall: datetime, zone: tzinfo) -> bool:
    """Return whether a naive local time occurs twice, as when clocks are set back in autumn."""
    first, second = (_offset(wall.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    return first > second


def abbreviation(wall: datetime, name: str) -> str:
    """Return the abbreviation of the zone at a naive local time: `EST`, `CEST`, `UTC+2`.

    A zone without letters in tzdata (`+04` for Dubai) is abbreviated by its offset: `UTC+4`.
    """
    local = wall.replace(tzinfo=get(name))
    label = local.tzname() or ""
    return _offset_name(_offset(local)) if label[:1] in "+-" else label


@cache
def _places() -> dict[str, str]:
    """Return the IANA names by their lower-case forms."""
    names = {name.lower(): name for name in available_timezones()}
    return {key: name for key, name in names.items() if key not in NOT_PLACES}


def _fixed(name: str, match: re.Match[str]) -> tzinfo:
    fraction = float(f"0.{match['fraction'] or 0}")
    minutes = int(match["minutes"] or 0) + 60 * fraction
    offset = timedelta(hours=int(match["hours"]), minutes=minutes)
    if minutes >= 60 or offset > MAX_OFFSET or offset % QUARTER:
        raise _unknown(name)
    if not offset:
        return UTC
    signed = -offset if match["sign"] == "-" else offset
    return timezone(signed, _offset_name(signed))


def _offset(moment: datetime) -> timedelta:
    return moment.utcoffset() or timedelta(0)


def _offset_name(offset: timedelta) -> str:
    return f"UTC{offset / timedelta(hours=1):+g}" if offset else "UTC"


def _edge(moment: datetime) -> datetime:
    """Return the end of datetime's range near a moment, naive."""
    return EARLIEST if moment.year <= EARLIEST.year else LATEST


def _unknown(name: str) -> ZoneError:
    return ZoneError(
        f"{name[:64]!r} is not a time zone",
        "give an IANA name such as 'Europe/Paris', 'UTC', "
        "or an offset in quarter hours up to 14 hours, such as 'UTC+2' or 'UTC-5.5'.",
    )
