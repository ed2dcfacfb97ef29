"""Paths of files in addresses: they are bytes, which need not be UTF-8."""

from urllib.parse import parse_qs, urlencode

from ...lib import paths


def asked_path(request, name="path", default=b"/"):
    """Return the path in an address's query, as bytes."""
    query = parse_qs(request.META["QUERY_STRING"], errors="surrogateescape")
    values = query.get(name)
    return values[-1].encode(errors="surrogateescape") if values else default


def asked_number(text):
    """Return a page's number from an address, 0 for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0


def query(**values):
    """Return the query of an address, of text, numbers and paths in bytes; None is left out."""
    return urlencode({name: value for name, value in values.items() if value is not None})


def steps(path):
    """Return (name, path) of a folder and of those above it, from the root."""
    names = [name for name in path.split(b"/") if name]
    above = [b"/" + b"/".join(names[:depth]) for depth in range(len(names) + 1)]
    return [(paths.shown(name), each) for name, each in zip([b"/", *names], above, strict=True)]
