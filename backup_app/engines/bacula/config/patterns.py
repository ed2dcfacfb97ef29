"""Patterns of filesets as Bacula reads them, so that they mean what they do in every engine.

A pattern without a slash is of names, one that begins with a slash or a drive of whole paths, any
other of the last parts of paths. A ``*`` stands for slashes as well, but not in a name. Bacula
compares whole paths only, byte by byte with wildcards, or with regular expressions; so a name's
``*`` and what stands for one character (``?``, ``[a-z]``) become regular expressions. What is no
text in the client's locale fits none of these, and so is backed up.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ....exceptions import EngineError

DRIVE = re.compile(r"[A-Za-z]:[/\\]")
TOKEN = re.compile(
    r"\\(?P<escaped>.)|\[(?P<negation>[!^]?+)(?P<set>\][^]]*|[^]]+)\]|(?P<plain>.)", re.DOTALL
)
SPECIAL = re.compile(r"([.\[\]*^$+?{}|()\\])")
WILD_SPECIAL = re.compile(r"([\\*?\[])")


@dataclass(frozen=True)
class Pattern:
    """A pattern by which Bacula excludes what matches, with all below it."""

    directive: str  # Wild or Regex
    text: str
    regex: str  # equivalent, whatever the directive

    def fits(self, path: str) -> bool:
        return re.search(self.regex, path, re.DOTALL) is not None


def patterns(excludes: Iterable[str]) -> Iterator[Pattern]:
    """Yield the patterns of a fileset; raises EngineError for one that Bacula cannot express."""
    for pattern in excludes:
        plain = pattern.replace("\\", "/") if DRIVE.match(pattern) else pattern
        plain = plain.rstrip("/")
        if plain and not _ends_open(plain):
            yield _pattern(plain)


def exactly(path: str) -> Pattern:
    """Return the pattern of one path, in which nothing is a wildcard."""
    return Pattern("Wild", WILD_SPECIAL.sub(r"\\\1", path), f"^{_literal(path)}$")


def _pattern(text: str) -> Pattern:
    is_name = "/" not in text
    start = "(^|/)" if is_name else "^" if text[0] == "/" or DRIVE.match(text) else "/"
    tokens = list(TOKEN.finditer(text))
    regex = f"{start}{''.join(_regex(token, is_name, text) for token in tokens)}$"
    if not _is_simple(tokens, is_name):
        return Pattern("Regex", regex, regex)
    is_whole = start == "^" or (is_name and text[0] == "*")
    return Pattern("Wild", text if is_whole else f"*/{text}", regex)


def _is_simple(tokens: Sequence[re.Match[str]], is_name: bool) -> bool:
    """Return whether Bacula's wildcards can express the same."""
    is_one = any(token["set"] or token["plain"] == "?" for token in tokens)
    is_inside = any(token["plain"] == "*" for token in tokens[1:])
    # The file daemon strips trailing spaces.
    return not (is_one or (is_name and is_inside) or tokens[-1][0].endswith(" "))


def _regex(token: re.Match[str], is_name: bool, pattern: str) -> str:
    if token["set"] is not None:
        return _set(token, is_name, pattern)
    any_one = "[^/]" if is_name else "."
    if token["plain"] in ("*", "?"):
        return any_one if token["plain"] == "?" else f"{any_one}*"
    return _literal(token["escaped"] or token["plain"])


def _literal(text: str) -> str:
    return SPECIAL.sub(r"\\\1", text)


def _set(token: re.Match[str], is_name: bool, pattern: str) -> str:
    members, is_negated = token["set"], bool(token["negation"])
    slash = "/" if is_negated and is_name else ""
    last = "-" if members.endswith("-") else ""
    regex = f"[{'^' if is_negated else ''}{members.removesuffix('-')}{slash}{last}]"
    if "[" in members or "\\" in members or not _is_set(regex, is_name):
        raise EngineError(
            f"The pattern '{pattern}' cannot be expressed in Bacula: between '[' and ']' there may "
            "be characters and ranges of them, but no '[', no '\\', and no '/' in a name."
        )
    return regex


def _is_set(regex: str, is_name: bool) -> bool:
    try:
        return not (re.match(regex, "/") and is_name)
    except re.error:
        return False


def _ends_open(text: str) -> bool:
    """Return whether a pattern ends with a lone backslash, so that it matches nothing."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1
