"""Shows what has changed within a text."""

import re
from difflib import SequenceMatcher

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from ...values.html import decoded, plain_text

AROUND = 6  # words that are shown before and after what has changed
MOST_WORDS = 400  # that are compared with each other; comparing takes their square
SHOWN = 300  # characters of a part that is not compared
BLOCKS = re.compile(r"(</(?:p|div|li|h[1-6]|tr|blockquote)>|<br ?/?>)", re.IGNORECASE)


def difference(before: str, after: str) -> SafeString:
    """Return what was removed from a text and added to it, with a few words around."""
    old, new = _words(before), _words(after)
    start = _common(old, new)
    old, new, lead = old[start:], new[start:], old[:start]
    end = _common(old[::-1], new[::-1])
    tail = old[len(old) - end :]
    old, new = old[: len(old) - end], new[: len(new) - end]
    if not (old or new):
        return format_html("<em>{}</em>", "only formatting")
    parts = [_around(lead, is_before=True), *_compared(old, new), _around(tail, is_before=False)]
    return format_html_join(" ", "{}", ((part,) for part in parts if part))


def _compared(old, new):
    if len(old) + len(new) > MOST_WORDS:
        yield _removed(old)
        yield _added(new)
        return
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield _between(old[a:b])
        else:
            yield _removed(old[a:b])
            yield _added(new[c:d])


def _removed(words):
    return words and format_html("<del>{}</del>", _short(words))


def _added(words):
    return words and format_html("<ins>{}</ins>", _short(words))


def _short(words):
    return Truncator(" ".join(words)).chars(SHOWN)


def _between(words):
    if len(words) <= 2 * AROUND:
        return " ".join(words)
    return " ".join([*words[:AROUND], "…", *words[-AROUND:]])


def _around(words, *, is_before):
    if len(words) <= AROUND:
        return " ".join(words)
    return " ".join(["…", *words[-AROUND:]] if is_before else [*words[:AROUND], "…"])


def _words(html):
    return decoded(plain_text(BLOCKS.sub(r"\1 ", html or ""))).split()


def _common(one, other):
    """Return how many words both begin with."""
    number = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        number += 1
    return number
