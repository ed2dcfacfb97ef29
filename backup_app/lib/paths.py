"""Absolute paths as bytes, compared component by component.

Those of Windows begin with a drive, such as ``C:/Users``, which is treated as a folder of the root.
"""

import re
from collections.abc import Container, Iterator
from hashlib import blake2b

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


def split(path: bytes) -> tuple[bytes, bytes]:
    """Return (folder, name) of a normal path; the root is in itself, with the name b""."""
    folder, _, name = path.rpartition(b"/")
    return folder or ROOT, name


def join(folder: bytes, name: bytes) -> bytes:
    """Return the path of a name in a folder."""
    return folder + name if folder == ROOT else folder + b"/" + name


def ancestors(path: bytes) -> Iterator[bytes]:
    """Yield the folders above a normal path, from the nearest up to the root."""
    while path != ROOT:
        path = split(path)[0]
        yield path


def is_in_any(path: bytes, folders: Container[bytes]) -> bool:
    """Return whether a path or a folder above it is in a collection, however large that is."""
    return path in folders or any(above in folders for above in ancestors(path))


def digest(path: bytes) -> bytes:
    """Return a hash of 16 bytes for an index, for which paths may be too long."""
    return blake2b(path, digest_size=16).digest()


def is_at_or_below(path: bytes, top: bytes) -> bool:
    """Return whether a path is ``top`` or below it; one with ``..`` never is."""
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
