"""The folders of this machine that may be restored to (BACKUP_LOCAL_ROOTS)."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from ....conf import conf
from ....exceptions import EngineError, Forbidden, Invalid
from ....lib import paths
from ....lib.paths import is_in, shown
from ....models import Client
from ..transport.machines import machine_for, outside_roots

MAX_PATH = 4095  # bytes: PATH_MAX of Linux, without the NUL


@dataclass(frozen=True)
class PathMapping:
    """The content of ``prefix`` in a backup is restored to ``below`` in the folder ``root``.

    ``root`` is absolute, with symlinks resolved; the other two are relative.
    """

    root: bytes
    below: bytes
    prefix: bytes


def require_destination(client: Client, path: bytes) -> None:
    """Raise Invalid or Forbidden for a destination that can be refused at once.

    It must be an absolute path without ``..`` and, on this machine, below a folder of
    BACKUP_LOCAL_ROOTS. ``b"/"`` is the original location and always accepted.
    """
    if not path.startswith(b"/") or b"\0" in path or b".." in path.split(b"/"):
        sentence = f"The destination '{shown(path)}' is not an absolute path without '..' and NUL."
        raise Invalid({"path": [sentence]})
    if len(path) > MAX_PATH:
        raise Invalid({"path": [f"The destination is longer than {MAX_PATH} bytes."]})
    if path.strip(b"/") and client.connection == "local":
        try:
            mapping_to(path)
            machine_for(client).require_allowed(path)
        except EngineError as e:
            raise Forbidden(str(e), fields={"path": [str(e)]}) from e


def mapping_to(path: bytes) -> PathMapping:
    """Return the mapping for a destination; raises EngineError if it is outside of all roots."""
    path = paths.normal(path)
    for name, real in sorted(_names(), key=lambda names: len(names[0]), reverse=True):
        if is_in(path, name):
            return PathMapping(real, path[len(name) :].strip(b"/"), b"")
    raise outside_roots(path)


def original_mappings() -> list[PathMapping]:
    """Return the mappings for the original location: one for each root."""
    names = dict(_names())
    outermost = [n for n in names if not any(is_in(n, other) for other in names if other != n)]
    return [PathMapping(names[name], b"", name.strip(b"/")) for name in outermost]


def _names() -> Iterator[tuple[bytes, bytes]]:
    """Yield (path as configured or real, real path) of each root."""
    for root in conf.local_roots:
        real = os.path.realpath(os.fsencode(root))
        yield real, real
        if (name := paths.normal(os.fsencode(root))) != real:
            yield name, real
