"""A model field for local times without a time zone."""

import datetime as dt

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.dateparse import parse_datetime


class WallTimeField(models.Field):
    """A local date and time without a time zone: what a clock on the wall shows.

    Its value is a naive ``datetime`` in whole seconds, even with ``USE_TZ``. Django's DateTimeField
    would convert it to an instant, which changes when the rules of its time zone change.
    """

    description = "Local date and time"

    def db_type(self, connection):
        return "timestamp(0)" if connection.vendor == "postgresql" else "datetime"

    def from_db_value(self, value, expression, connection):
        return dt.datetime.fromisoformat(value) if isinstance(value, str) else value

    def to_python(self, value):
        if value is None or isinstance(value, dt.datetime):
            return value and value.replace(microsecond=0, tzinfo=None)
        try:
            parsed = parse_datetime(value)
        except (TypeError, ValueError):
            parsed = None
        if parsed is None:
            raise ValidationError(f"'{value}' is not a date and time (YYYY-MM-DD HH:MM:SS).")
        return parsed.replace(microsecond=0, tzinfo=None)

    def get_prep_value(self, value):
        return self.to_python(super().get_prep_value(value))

    def get_db_prep_value(self, value, connection, prepared=False):
        value = value if prepared else self.get_prep_value(value)
        return str(value) if value is not None and connection.vendor == "sqlite" else value

    def formfield(self, **kwargs):
        return super().formfield(**{"form_class": WallTimeFormField, **kwargs})


class WallTimeFormField(forms.Field):
    """A date and time as typed, never converted to another time zone."""

    widget = forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"})

    def to_python(self, value):
        return WallTimeField().to_python(value) if value not in self.empty_values else None
