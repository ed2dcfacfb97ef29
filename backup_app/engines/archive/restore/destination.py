"""The folders of this machine that the operator opened to backups, and what lies in them."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from ....conf import conf
from ....exceptions import EngineError, Forbidden, Invalid
from ....lib.paths import is_in
from .. import paths
from ..transport.machines import machine_for, outside_roots

MAX_PATH = 4095  # bytes that Linux takes


@dataclass(frozen=True)
class Goal:
    """What lies at ``prefix`` in a backup goes to ``below`` in the folder ``root``.

    All are absolute or relative paths as the operator's folder is named: ``root`` is the real one.
    """

    root: bytes
    below: bytes
    prefix: bytes


def require_destination(client, path: bytes) -> None:
    """Refuse a destination for restores to a client that can be refused at once.

    Raises Invalid for what is no absolute path without ``..``, Forbidden for one that is not below
    a folder that the operator listed. ``b"/"`` is the original location, and is always accepted.
    """
    shown = paths.shown(path)
    if not path.startswith(b"/") or b"\0" in path or b".." in path.split(b"/"):
        sentence = f"The destination '{shown}' is no absolute path without '..' and NUL."
        raise Invalid({"path": [sentence]})
    if len(path) > MAX_PATH:
        raise Invalid({"path": [f"The destination is longer than {MAX_PATH} bytes."]})
    if path.strip(b"/") and client.connection == "local":
        try:
            goal_below(path)
            machine_for(client).require_allowed(path)
        except EngineError as e:
            raise Forbidden(str(e), fields={"path": [str(e)]}) from e


def goal_below(path: bytes) -> Goal:
    """Return where a destination other than the original is; EngineError outside of all roots."""
    path = paths.normal(path)
    for name, real in sorted(_names(), key=lambda names: len(names[0]), reverse=True):
        if is_in(path, name):
            return Goal(real, path[len(name) :].strip(b"/"), b"")
    raise outside_roots(path)


def goals_in_place() -> list[Goal]:
    """Return where things go at their original location: into each root."""
    names = dict(_names())
    outermost = [n for n in names if not any(is_in(n, other) for other in names if other != n)]
    return [Goal(names[name], b"", name.strip(b"/")) for name in outermost]


def _names() -> Iterator[tuple[bytes, bytes]]:
    """Yield (path as configured or real, real path) of each root."""
    for root in conf.local_roots:
        real = os.path.realpath(os.fsencode(root))
        yield real, real
        if (name := paths.normal(os.fsencode(root))) != real:
            yield name, real
