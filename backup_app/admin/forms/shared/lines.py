"""Lists that are edited as text, one item per line."""

from django import forms
from django.core.validators import ProhibitNullCharactersValidator

from ...look import Textarea


class LinesField(forms.Field):
    """A list of texts, including their leading and trailing spaces."""

    widget = Textarea({"rows": 4, "class": "font-mono"})

    def prepare_value(self, value):
        return "\n".join(map(self.shown, value)) if isinstance(value, list) else value

    def to_python(self, value):
        text = (value or "").replace("\r\n", "\n")
        ProhibitNullCharactersValidator()(text)
        return [self.read(line) for line in text.split("\n") if line.strip()]

    def shown(self, member):
        return member

    def read(self, line):
        return line


class PathsField(LinesField):
    """A list of ``{"path": path}``."""

    def shown(self, member):
        return member["path"]

    def read(self, line):
        return {"path": line}


class DatabasesField(LinesField):
    """A list of ``{"kind": kind, "name": name}``, as lines of kind and name."""

    def shown(self, member):
        return f"{member['kind']} {member['name']}"

    def read(self, line):
        kind, _, name = line.strip().partition(" ")
        return {"kind": kind, "name": name.strip()}
