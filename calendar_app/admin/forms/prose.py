"""Texts with HTML, which people edit as paragraphs."""

import json
import re
from functools import cache
from html import unescape

from django import forms
from django.utils.html import linebreaks

from ...values import html

TAG = re.compile(r"<[a-zA-Z/!]")
BREAK = re.compile(r"\s*<br ?/?>\s*")
# Paragraphs and line breaks, and nothing else that a person would not want to read.
PLAIN = re.compile(r"(?:\s*<p>(?:[^<]|<br ?/?>)*</p>)+\s*")


class ProseWidget(forms.Textarea):
    """Mixed into a look's text area: shows plain paragraphs without their tags.

    A script puts an editor over it, which lets in what the sanitizer allows.
    """

    class Media:
        css = {"all": ["calendar_app/editor.css"]}
        js = [forms.Script("calendar_app/editor.js", defer=True)]

    def __init__(self, attrs=None):
        super().__init__({"data-editor": _allowed(), **(attrs or {})})

    def format_value(self, value):
        return as_text(super().format_value(value) or "")


class ProseField(forms.CharField):
    """A text in which typed line breaks become paragraphs, unless it has tags of its own."""

    def has_changed(self, initial, data):
        return as_text(initial or "") != as_text(data or "")

    def to_python(self, value):
        text = _lines(super().to_python(value))
        return linebreaks(text) if "\n" in text and not TAG.search(text) else text


def as_text(value):
    """Return plain paragraphs as text with empty lines between them, any other HTML as it is."""
    if not PLAIN.fullmatch(value):
        return _lines(value)
    paragraphs = re.findall(r"<p>(.*?)</p>", BREAK.sub("\n", value), re.DOTALL)
    text = "\n\n".join(unescape(paragraph).strip() for paragraph in paragraphs)
    # What looks like a tag once it is decoded would become one.
    return _lines(value) if TAG.search(text) else _lines(text)


@cache
def _allowed():
    """Return what the sanitizer lets through, as JSON."""
    attributes = {tag: sorted(names) for tag, names in html.ATTRIBUTES.items()}
    attributes["a"] = [*attributes["a"], "target"]
    return json.dumps(
        {
            "tags": sorted(html.TAGS),
            "attributes": attributes,
            "schemes": sorted(html.URL_SCHEMES),
        }
    )


def _lines(text):
    return "\n".join(text.splitlines()).strip()
