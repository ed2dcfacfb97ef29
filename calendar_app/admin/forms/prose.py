"""Texts with HTML, which people edit as paragraphs."""

import re
from html import unescape

from django import forms
from django.utils.html import linebreaks

TAG = re.compile(r"<[a-zA-Z/!]")
BREAK = re.compile(r"\s*<br ?/?>\s*")
# Paragraphs and line breaks, and nothing else that a person would not want to read.
PLAIN = re.compile(r"(?:\s*<p>(?:[^<]|<br ?/?>)*</p>)+\s*")


class ProseWidget(forms.Textarea):
    """Mixed into a look's text area: shows plain paragraphs without their tags."""

    def format_value(self, value):
        return as_text(super().format_value(value) or "")


class ProseField(forms.CharField):
    """A text in which typed line breaks become paragraphs, unless it has tags of its own."""

    def has_changed(self, initial, data):
        return as_text(initial or "") != _lines(data or "")

    def to_python(self, value):
        text = _lines(super().to_python(value))
        return linebreaks(text) if "\n" in text and not TAG.search(text) else text


def as_text(html):
    """Return plain paragraphs as text with empty lines between them, any other HTML as it is."""
    if not PLAIN.fullmatch(html):
        return _lines(html)
    paragraphs = re.findall(r"<p>(.*?)</p>", BREAK.sub("\n", html), re.DOTALL)
    text = "\n\n".join(unescape(paragraph).strip() for paragraph in paragraphs)
    # What looks like a tag once it is decoded would become one.
    return _lines(html) if TAG.search(text) else _lines(text)


def _lines(text):
    return "\n".join(text.splitlines()).strip()
