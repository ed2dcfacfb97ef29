"""Form fields of the query parameters.

The label of a field is the name of its parameter, for error messages. Fields that look up records
take a ``queryset`` of the records that the caller may see.
"""

import re
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils import timezone

from ...conf import conf
from ...values import dates
from ..errors import shown

MAX_ID = 2**63 - 1
DIGITS = re.compile(r"[0-9]{1,19}")
# A number as JSON has it (RFC 8259, 6): no infinity, no digits of other scripts.
NUMBER = re.compile(r"-?[0-9]{1,19}(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
MAX_WORDS = 20
BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


class TextField(forms.Field):
    """A text; None if the parameter is absent, and an error if it is empty."""

    def clean(self, value):
        if value is None:
            return None
        if not value.strip():
            raise self.error(f"The parameter {self.label} is empty; give it a value.")
        if "\0" in value:
            raise self.error(f"The parameter {self.label} contains a NUL character.")
        return self.read(value)

    def read(self, text):
        return text

    def error(self, sentence):
        # As a parameter, so that "%" in the sentence is not a placeholder.
        return ValidationError("%(sentence)s", code="invalid", params={"sentence": sentence})


class ListField(TextField):
    """A list of different texts: comma-separated, or given by repeating the parameter."""

    widget = forms.MultipleHiddenInput

    def clean(self, value):
        return super().clean(",".join(value) if value else None)

    def read(self, text):
        parts = dict.fromkeys(part.strip(" ") for part in text.split(","))
        parts.pop("", None)
        if not parts:
            raise self.error(f"The parameter {self.label} is empty; give it a value.")
        if len(parts) > conf.MAX_IDS:
            raise self.error(
                f"{self.label} accepts at most {conf.MAX_IDS} values, not {len(parts)}."
            )
        return self.read_all(list(parts))

    def read_all(self, parts):
        """Return the value of the different texts."""
        raise NotImplementedError


class BooleanField(TextField):
    def read(self, text):
        try:
            return BOOLEANS[text.lower()]
        except KeyError as e:
            accepted = "true, false, 1, 0, yes or no"
            raise self.error(f"{self.label} must be {accepted}, not {shown(text)}.") from e


class DateField(TextField):
    """An aware datetime, in the site's time zone unless the text has an offset."""

    def read(self, text):
        try:
            # In whole seconds, as in the links to other pages.
            return dates.parse(text, self.zone, timezone.now().replace(microsecond=0))
        except dates.DateError as e:
            raise self.error(f"{self.label} cannot be read: {e}") from e

    @property
    def zone(self) -> ZoneInfo:
        return conf.zone


class NumberField(TextField):
    """A float from ``least`` to ``most``."""

    def __init__(self, *, least, most, **kwargs):
        super().__init__(**kwargs)
        self.least, self.most = least, most

    def read(self, text):
        number = float(text) if NUMBER.fullmatch(text) else None
        if number is None or not self.least <= number <= self.most:
            limits = f"a number from {self.least} to {self.most}"
            raise self.error(f"{self.label} must be {limits}, not {shown(text)}.")
        return number


class ChoiceField(TextField):
    """One of ``choices``, ignoring case."""

    def __init__(self, *, choices, **kwargs):
        super().__init__(**kwargs)
        self.choices = choices

    def read(self, text):
        if text.lower() not in self.choices:
            accepted = ", ".join(self.choices)
            raise self.error(f"{self.label} must be one of {accepted}, not {shown(text)}.")
        return text.lower()


class StatusesField(ListField):
    """A list of ``choices``, of which the caller may use those in ``allowed``."""

    def __init__(self, *, choices, allowed=None, **kwargs):
        super().__init__(**kwargs)
        self.choices, self.allowed = choices, allowed

    def read_all(self, parts):
        for part in parts:
            if part not in self.choices:
                accepted = ", ".join(self.choices)
                raise self.error(f"{self.label} must be one of {accepted}, not {shown(part)}.")
            if part not in self.allowed:
                accepted = ", ".join(self.allowed)
                raise self.error(
                    f"You may not list records with the status {shown(part)}, only with {accepted}."
                )
        return parts


class SearchField(TextField):
    """The different words of a search."""

    def read(self, text):
        if len(text) > conf.MAX_SEARCH_LENGTH:
            most = conf.MAX_SEARCH_LENGTH
            raise self.error(f"{self.label} accepts at most {most} characters, not {len(text)}.")
        words = list(dict.fromkeys(text.split()))
        if len(words) > MAX_WORDS:
            raise self.error(f"{self.label} accepts at most {MAX_WORDS} words, not {len(words)}.")
        least = conf.MIN_SEARCH_LENGTH
        for word in words:
            if len(word) < least:
                raise self.error(
                    f"{self.label} accepts words of at least {least} characters, not {shown(word)}."
                )
        return words


class IdsField(ListField):
    """A list of IDs, whether the records exist or not; ``noun`` names their kind."""

    def __init__(self, *, noun, **kwargs):
        super().__init__(**kwargs)
        self.noun = noun

    def read_all(self, parts):
        return list(dict.fromkeys(read_id(self, part) for part in parts))


class RecordsField(IdsField):
    """The IDs of existing records."""

    def __init__(self, *, queryset, **kwargs):
        super().__init__(noun=queryset.model._meta.verbose_name, **kwargs)
        self.queryset = queryset

    def read_all(self, parts):
        ids = super().read_all(parts)
        known = set(self.queryset.filter(pk__in=ids).order_by().values_list("pk", flat=True))
        for pk in ids:
            if pk not in known:
                raise unknown(self, pk)
        return ids


class RecordField(TextField):
    """The ID of one existing record."""

    def __init__(self, *, queryset, **kwargs):
        super().__init__(**kwargs)
        self.queryset, self.noun = queryset, queryset.model._meta.verbose_name

    def read(self, text):
        pk = read_id(self, text)
        if not self.queryset.filter(pk=pk).exists():
            raise unknown(self, pk)
        return pk


class ParentField(RecordField):
    """The ID of an existing record, or 0 for the top level."""

    def read(self, text):
        return 0 if text == "0" else super().read(text)


class TermsField(RecordsField):
    """The IDs of terms, given by ID or slug; digits that are not an ID may be a slug."""

    def read_all(self, parts):
        ids = [int(part) for part in parts if is_id(part)]
        rows = self.queryset.filter(Q(pk__in=ids) | Q(slug__in=parts)).order_by()
        rows = list(rows.values_list("pk", "slug"))
        known = {slug: pk for pk, slug in rows} | {str(pk): pk for pk, _ in rows}
        for part in parts:
            if part not in known:
                raise unknown(self, part)
        return list(dict.fromkeys(known[part] for part in parts))


def is_id(text):
    return bool(DIGITS.fullmatch(text)) and int(text) <= MAX_ID


def read_id(field, text):
    if not is_id(text):
        raise field.error(f"{field.label} accepts {field.noun} IDs, not {shown(text)}.")
    return int(text)


def unknown(field, value):
    sentence = (
        f"{field.label} refers to the {field.noun} {shown(str(value))}, which does not exist."
    )
    return field.error(sentence)
