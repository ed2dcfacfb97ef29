"""Paths of clients, as users name them and as Bacula stores them.

Bacula divides a path into a folder, with a slash at its end, and a name, which is empty for the
folder itself. The folders of Windows begin with their drive: ``C:/Users/``.
"""

import re

from ....lib.paths import ROOT

# Bacula has a folder above ``/`` and the drives of Windows; users see it as ``/``.
TOP = b""
TOPS = (TOP, ROOT)
DRIVE = re.compile(rb"/[A-Za-z]:(/|$)")


def stored(path: bytes) -> tuple[bytes, ...]:
    """Return the folders as which Bacula may store a normal path, the likeliest first."""
    if path == ROOT:
        return TOPS
    folder = path + b"/"
    if not DRIVE.match(path):
        return (folder,)
    letter, rest = folder[1:2], folder[2:]
    return folder, letter + rest, letter.swapcase() + rest


def of_folder(folder: bytes) -> bytes:
    """Return the path of one of Bacula's folders, as it is shown to users."""
    if folder in TOPS:
        return ROOT
    path = folder.removesuffix(b"/")
    return folder if DRIVE.fullmatch(ROOT + path) else path


def name_of(folder: bytes) -> bytes:
    """Return the name of one of Bacula's folders."""
    return folder.removesuffix(b"/").rpartition(b"/")[2]


def join(folder: bytes, name: bytes) -> bytes:
    """Return the path of a name in one of Bacula's folders."""
    return (folder or ROOT) + name
