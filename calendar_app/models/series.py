import datetime as dt
import uuid
from typing import Any

from django.db import models

from ..values import time_zones
from ..values.recurrence import Recurrence, date_id
from .fields import WallTimeField


class Series(models.Model):
    """The rule of events that repeat (RFC 5545, 3.8.5); each of its dates is an event.

    The dates are local times of ``timezone``, in which the rule is reckoned.
    """

    uid = models.CharField(max_length=255, unique=True, help_text="Its UID in iCalendar.")
    start = WallTimeField("first date")
    timezone = models.CharField("time zone", max_length=64)
    all_day = models.BooleanField(default=False)
    rrule = models.CharField("rule", max_length=500, blank=True)
    rdates = models.JSONField("added dates", default=list, blank=True)
    exdates = models.JSONField("excluded dates", default=list, blank=True)
    # The events up to this date have been made; the next ones are made at extend_at, if any.
    made_until = WallTimeField()
    extend_at = models.DateTimeField(null=True, db_index=True)

    class Meta:
        verbose_name_plural = "series"

    def __str__(self):
        return self.rrule or self.uid

    @staticmethod
    def new_uid() -> str:
        return str(uuid.uuid4())

    @property
    def zone(self) -> dt.tzinfo:
        return time_zones.get(self.timezone)

    @property
    def recurrence(self) -> Recurrence:
        return Recurrence(self.start, self.rrule, _read(self.rdates), _read(self.exdates))

    @recurrence.setter
    def recurrence(self, value: Recurrence) -> None:
        self.start, self.rrule = value.start, value.rrule
        self.rdates, self.exdates = _written(value.rdates), _written(value.exdates)

    def date_id(self, day: dt.datetime) -> str:
        """Return the RECURRENCE-ID of a date."""
        return date_id(day, None if self.all_day else self.zone)


def _read(days: list[str]) -> tuple[dt.datetime, ...]:
    return tuple(map(dt.datetime.fromisoformat, days))


def _written(days: Any) -> list[str]:
    return [day.isoformat(" ") for day in sorted(days)]
