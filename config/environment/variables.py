"""Reads settings from environment variables, and names the variable when a value is wrong."""

import os
import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import environ
from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off"}
FROM_FILE: set[str] = set()  # kept here, since Django reads the settings again after an error
LIKENESS = 0.82  # of a mistyped name to the real one; variables of orchestrators are less similar


class Environment:
    """Reads variables by type; an empty one counts as not given.

    Every method raises ``ImproperlyConfigured`` naming the variable and its value. The names
    ``in_file`` come from the file of settings; the environment may hold others with our prefixes,
    set by an orchestrator, which are ``ignored``.
    """

    def __init__(self, values: Mapping[str, str], in_file: Collection[str] = ()):
        self.values, self.in_file = values, in_file
        self.ignored: list[str] = []

    def text(self, name: str, default: str = "") -> str:
        return self.values.get(name, "").strip() or default

    def boolean(self, name: str, default: bool = False) -> bool:
        value = self.text(name, str(default)).lower()
        if value not in TRUE | FALSE:
            raise wrong(name, value, "is neither true nor false")
        return value in TRUE

    def integer(self, name: str, default: int, least: int = 0) -> int:
        value = self.text(name, str(default))
        if not value.isascii() or not value.isdigit() or int(value) < least:
            raise wrong(name, value, f"is not a whole number of {least} or more")
        return int(value)

    def names(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """Return the members of a comma-separated list."""
        members = [member.strip() for member in self.text(name).split(",")]
        return [member for member in members if member] or list(default)

    def choice(self, name: str, choices: tuple[str, ...], default: str) -> str:
        value = self.text(name, default)
        if value not in choices:
            raise wrong(name, value, f"is not one of {', '.join(choices)}")
        return value

    def zone(self, name: str, default: str) -> str:
        """Return the IANA name of a time zone."""
        value = self.text(name, default)
        try:
            return ZoneInfo(value).key
        except (ZoneInfoNotFoundError, ValueError, OSError) as e:
            raise wrong(name, value, "is not a time zone such as 'Europe/Paris' or 'UTC'") from e

    def base_path(self, name: str) -> str:
        """Return a path without a leading and, unless empty, with a trailing slash: ``apps/``."""
        steps = [step for step in self.text(name).split("/") if step]
        if not all(re.fullmatch(r"[\w.~-]*\w[\w.~-]*", step, re.ASCII) for step in steps):
            raise wrong(name, self.text(name), "is not a path such as 'apps' or 'apps/calendar'")
        return "/".join([*steps, ""])

    def origins(self, name: str) -> list[str]:
        """Return a list of scheme and host, such as ``https://example.org``."""
        return [self._origin(name, value) for value in self.names(name)]

    def like(self, name: str, default: bool | int | str) -> bool | int | str:
        """Return the variable in the type of its default."""
        if isinstance(default, bool):
            return self.boolean(name, default)
        return self.integer(name, default) if isinstance(default, int) else self.text(name, default)

    def group(
        self, prefix: str, defaults: Mapping[str, bool | int | str]
    ) -> dict[str, bool | int | str]:
        """Return the variables that begin with ``prefix``, in the types of ``defaults``."""
        given = {name for name in self.values if name.startswith(prefix) and self.text(name)}
        known = {f"{prefix}{name}": default for name, default in defaults.items()}
        for name in sorted(given - known.keys()):
            self._ignore(name, prefix, defaults)
        return {name: self.like(name, known[name]) for name in given & known.keys()}

    def _ignore(self, name: str, prefix: str, known: Collection[str]) -> None:
        """Note a variable that is not a setting; raise for a likely typing error."""
        near = get_close_matches(name.removeprefix(prefix), known, 1, LIKENESS)
        if near:
            raise ImproperlyConfigured(
                f"There is no setting {name}. Did you mean {prefix}{near[0]}?"
            )
        if name in self.in_file:
            names = ", ".join(f"{prefix}{each}" for each in sorted(known))
            raise ImproperlyConfigured(f"There is no setting {name}. There are {names}.")
        self.ignored.append(name)

    @staticmethod
    def _origin(name: str, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or value != f"{parts.scheme}://{parts.netloc}":
            raise wrong(name, value, "is not a scheme and a host such as 'https://example.org'")
        return value


def load(default: Path) -> Environment:
    """Return the environment, with what the file ``ENV_FILE``, or else ``default``, adds to it."""
    given = os.environ.get("ENV_FILE")
    if given and not os.access(given, os.R_OK):
        raise wrong("ENV_FILE", given, "cannot be read")
    from_outside = os.environ.keys() - FROM_FILE
    environ.Env.read_env(given or default)
    FROM_FILE.update(os.environ.keys() - from_outside)
    return Environment(os.environ, FROM_FILE)


def wrong(name: str, value: str, why: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} is '{value}', which {why}.")
