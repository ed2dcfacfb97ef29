"""Custom fields as rows of a name and a value, instead of JSON."""

import json
from dataclasses import dataclass

from django import forms
from django.utils.html import format_html, format_html_join

from ..look import TextArea, TextInput

BLANK = 2  # empty rows for new fields
MOST = 1000
JSON, TEXT = "json", "text"


@dataclass
class Rows:
    """What rows sent: names, values as typed, and whether a value is text or JSON."""

    rows: list[tuple[str, str, str]]


class RowsWidget(forms.Widget):
    """Rows for texts; other values, such as numbers and lists, are shown as JSON."""

    def value_from_datadict(self, data, files, name):
        if name in data:
            return data[name]
        count = data.get(f"{name}-count", "")
        if not count.isascii() or not count.isdigit():
            return None
        parts = [f"{name}-{number}" for number in range(min(int(count), MOST))]
        rows = [
            [data.get(f"{part}-{end}", "") for end in ("name", "value", "kind")] for part in parts
        ]
        return Rows([(each[0].strip(), each[1], each[2]) for each in rows if any(each[:2])])

    def value_omitted_from_data(self, data, files, name):
        return name not in data and f"{name}-count" not in data

    def id_for_label(self, id_):
        return f"{id_}-0-name"

    def render(self, name, value, attrs=None, renderer=None):
        rows = value.rows if isinstance(value, Rows) else _rows(value)
        if rows is None:
            return TextArea().render(name, value, attrs, renderer)
        rows = [*rows, *[("", "", TEXT)] * BLANK]
        shown = format_html_join("", "{}", ((self._row(name, *row),) for row in enumerate(rows)))
        count = format_html('<input type="hidden" name="{}-count" value="{}">', name, len(rows))
        return format_html('<div class="custom-fields" role="group">{}{}</div>', shown, count)

    @staticmethod
    def _row(name, number, row):
        part, (title, value, kind) = f"{name}-{number}", row
        inputs = [
            TextInput({"id": f"id_{part}-{end}", "aria-label": label, "placeholder": label}).render(
                f"{part}-{end}", text
            )
            for end, text, label in [("name", title, "Name"), ("value", value, "Value")]
        ]
        hidden = format_html('<input type="hidden" name="{}-kind" value="{}">', part, kind)
        return format_html('<div class="custom-field">{}{}{}</div>', *inputs, hidden)


class RowsField(forms.JSONField):
    """An object of custom values; a row without a name is left out if it has no value either."""

    def bound_data(self, data, initial):
        return data if isinstance(data, Rows) else super().bound_data(data, initial)

    def prepare_value(self, value):
        return value if isinstance(value, Rows) else super().prepare_value(value)

    def to_python(self, value):
        if not isinstance(value, Rows):
            return super().to_python(value)
        found = {}
        for name, text, kind in value.rows:
            if not name:
                raise forms.ValidationError(
                    f"The custom field with the value “{text}” needs a name."
                )
            if name in found:
                raise forms.ValidationError(f"There are two custom fields “{name}”.")
            found[name] = _value(name, text) if kind == JSON else text
        return found


def _value(name, text):
    try:
        return json.loads(text)
    except ValueError as e:
        sentence = f"The value of the custom field “{name}” is not JSON: “{text}”."
        raise forms.ValidationError(sentence) from e


def _rows(value):
    """Return the rows of an object in JSON, or None for anything else."""
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return None
    if not isinstance(found or {}, dict):
        return None
    return [
        (name, each, TEXT) if isinstance(each, str) else (name, json.dumps(each), JSON)
        for name, each in (found or {}).items()
    ]
