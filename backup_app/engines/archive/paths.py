"""Paths of clients: absolute, as bytes, which may be any but NUL."""

from collections.abc import Container, Iterator
from hashlib import blake2b

from ...exceptions import NotFound
from ...lib.paths import normalized, shown

ROOT = b"/"


def normal(path: bytes) -> bytes:
    """Return a path without empty and "." parts; raises NotFound for ".."."""
    plain = normalized(path)
    if b".." in plain.split(b"/"):
        raise NotFound(f"A path in a backup cannot contain '..': '{shown(path)}'.")
    return plain


def split(path: bytes) -> tuple[bytes, bytes]:
    """Return (folder, name) of a normal path; the root is in itself, with the name b""."""
    folder, _, name = path.rpartition(b"/")
    return folder or ROOT, name


def ancestors(path: bytes) -> Iterator[bytes]:
    """Yield the folders above a normal path, from the nearest up to the root."""
    while path != ROOT:
        path = path.rpartition(b"/")[0] or ROOT
        yield path


def is_in_any(path: bytes, folders: Container[bytes]) -> bool:
    """Return whether a path or a folder above it is in a collection, however large that is."""
    return path in folders or any(above in folders for above in ancestors(path))


def join(folder: bytes, name: bytes) -> bytes:
    """Return the path of a name in a folder."""
    return folder + name if folder == ROOT else folder + b"/" + name


def digest(path: bytes) -> bytes:
    """Return the ``Folder.path_hash`` of a path, which is indexed: paths may be too long."""
    return blake2b(path, digest_size=16).digest()
