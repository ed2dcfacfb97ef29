"""Absolute paths as bytes, compared component by component.

Those of Windows begin with a drive, such as ``C:/Users``, which is treated as a folder of the root.
"""

import re

from ..exceptions import Forbidden, NotFound

ROOT = b"/"
DRIVE = re.compile(rb"[A-Za-z]:(?=[/\\]|$)")


def rooted(path: bytes) -> bytes | None:
    r"""Return an absolute path with a leading slash, None for a relative one.

    ``C:\Users`` is ``/C:/Users``.
    """
    if DRIVE.match(path):
        return ROOT + path.replace(b"\\", b"/")
    return path if path.startswith(ROOT) else None


def normalized(path: bytes) -> bytes:
    """Return an absolute path without empty and ``.`` parts; a ``..`` stays what it is."""
    return ROOT + b"/".join(part for part in path.split(b"/") if part not in (b"", b"."))


def normal(path: bytes) -> bytes:
    """Return a path in a backup normalized; raises NotFound for one with ".." or NUL."""
    plain = normalized(path)
    if b".." in plain.split(b"/") or b"\0" in plain:
        raise NotFound(f"A path in a backup cannot contain '..' or NUL: '{shown(path)}'.")
    return plain


def is_at_or_below(path: bytes, top: bytes) -> bool:
    """Say whether a path is ``top`` or below it; one with ``..`` never is."""
    path, top = normalized(path), normalized(top)
    return b".." not in [*path.split(b"/"), *top.split(b"/")] and is_in(path, top)


def is_in(path: bytes, folder: bytes) -> bool:
    """As ``is_at_or_below``, for normalized paths without ``..``; many times faster."""
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def require_at_or_below(path: bytes, top: bytes) -> None:
    """Raise Forbidden unless a path is ``top`` or below it."""
    if not is_at_or_below(path, top):
        raise Forbidden(f"'{shown(path)}' is not in '{shown(top)}'.")


def shown(path: bytes) -> str:
    """Return a path as text for messages."""
    return path.decode(errors="replace")
