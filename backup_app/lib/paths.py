"""Paths of clients: absolute, as bytes, compared by their components and never by their letters.

Those of Windows machines begin with a drive, such as ``C:/Users``, which lies in the root here.
"""

import re

from ..exceptions import Forbidden

ROOT = b"/"
DRIVE = re.compile(rb"[A-Za-z]:(?=[/\\]|$)")


def rooted(path: bytes) -> bytes | None:
    r"""Return an absolute path as one that begins with a slash; None for one that is relative.

    ``C:\Users`` is ``/C:/Users``.
    """
    if DRIVE.match(path):
        return ROOT + path.replace(b"\\", b"/")
    return path if path.startswith(ROOT) else None


def normalized(path: bytes) -> bytes:
    """Return an absolute path without empty and ``.`` parts; a ``..`` stays what it is."""
    return ROOT + b"/".join(_parts(path))


def is_at_or_below(path: bytes, top: bytes) -> bool:
    """Say whether a path is ``top`` or lies in it; a path with ``..`` lies nowhere."""
    parts, above = _parts(path), _parts(top)
    return b".." not in [*parts, *above] and parts[: len(above)] == above


def require_at_or_below(path: bytes, top: bytes) -> None:
    """Raise Forbidden unless a path is ``top`` or lies in it."""
    if not is_at_or_below(path, top):
        raise Forbidden(f"'{shown(path)}' does not lie in '{shown(top)}'.")


def shown(path: bytes) -> str:
    """Return a path as a message can name it."""
    return path.decode(errors="replace")


def _parts(path):
    return [part for part in path.split(b"/") if part not in (b"", b".")]
