"""What is searched for: a part of a name or, with ``*``, ``?`` or ``[…]``, a whole name."""

import fnmatch
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...exceptions import Invalid, TooLarge

MAX_LENGTH = 200  # characters
WILDCARDS = re.compile(r"\[!?\]?[^\]]*\]|[*?]")
NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
LIKE = {"*": "%", "?": "_"}


@dataclass(frozen=True)
class NamePattern:
    """A search for names, in upper or lower case; with a slash, for paths that end so."""

    text: str

    def __post_init__(self) -> None:
        name = self._name
        if not name or "\0" in self.text:
            raise Invalid({"name": ["Enter a part of a name, or a pattern such as '*.txt'."]})
        if len(self.text) > MAX_LENGTH:
            raise Invalid({"name": [f"A name to search for has at most {MAX_LENGTH} characters."]})

    @property
    def like(self) -> str:
        """The pattern for LIKE, with ESCAPE '!', that a ``/``-separated list of names matches."""
        return self._like(LIKE, _escaped)

    @property
    def loose_like(self) -> str:
        """As ``like``, for a database that knows bytes, and the case of ASCII letters only."""
        return self._like({}, lambda text: NOT_ASCII.sub("%", _escaped(text)))

    def _like(self, wildcards: Mapping[str, str], escaped: Callable[[str], str]) -> str:
        parts, end = [], 0
        for found in WILDCARDS.finditer(self._name):
            any_letter = "_" if wildcards else "%"
            parts += [escaped(self._name[end : found.start()]), wildcards.get(found[0], any_letter)]
            end = found.end()
        like = "".join([*parts, escaped(self._name[end:])])
        if self._is_glob:
            return f"%/{like}/%"
        return f"%/{like}%" if self._folder is not None else f"%{like}%"

    def matches(self, folder: str, name: str) -> bool:
        """Return whether a name, in a folder with this path, is searched for."""
        if self._folder is None:
            return bool(self._regex.search(name))
        path = f"{folder.rstrip('/')}/{name}"
        return bool(self._regex.search(path))

    @property
    def _is_glob(self) -> bool:
        return bool(WILDCARDS.search(self.text))

    @property
    def _name(self) -> str:
        return self.text.strip().rstrip("/").rpartition("/")[2]

    @property
    def _folder(self) -> str | None:
        folder, slash, _ = self.text.strip().rstrip("/").rpartition("/")
        return folder if slash else None

    @property
    def _regex(self) -> re.Pattern[str]:
        wanted = self.text.strip().rstrip("/")
        if not self._is_glob:
            # A part of a name; of a path with a slash, the beginning of its last name.
            return re.compile(re.escape(wanted) + ("[^/]*$" if "/" in wanted else ""), re.I)
        start = r"(?:^|/)" if self._folder is not None else "^"
        return re.compile(start + fnmatch.translate(wanted.lstrip("/")), re.IGNORECASE | re.DOTALL)


def too_long(seconds: float) -> TooLarge:
    """Return the error of a search for which its time did not suffice."""
    return TooLarge(f"The search took longer than {seconds} seconds: use more letters of the name.")


def _escaped(text: str) -> str:
    return re.sub(r"([!%_])", r"!\1", text)
