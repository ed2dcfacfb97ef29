"""The destination of a restore: a path of bytes, stored in JSON."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from ..exceptions import Invalid
from . import paths

ORIGINAL = paths.ROOT  # means the original location


def cleaned(path: bytes) -> bytes:
    """Return an absolute path without empty and ``.`` parts.

    Raises Invalid for a relative one, and for ``..`` and NUL wherever they would lead.
    """
    shown = paths.shown(path)
    absolute = paths.rooted(path or ORIGINAL)
    if absolute is None:
        raise Invalid({"path": [f"The destination '{shown}' is not an absolute path."]})
    clean = paths.normalized(absolute)
    if b".." in clean.split(b"/") or b"\0" in path:
        raise Invalid({"path": [f"The destination '{shown}' contains '..' or a NUL."]})
    return clean


def packed(path: bytes) -> dict[str, str]:
    """Return a path for JSON: ``path``, and ``path_b64`` with the exact bytes if not UTF-8."""
    try:
        return {"path": path.decode()}
    except UnicodeDecodeError:
        exact = b64encode(path).decode()
        return {"path": path.decode(errors="replace"), "path_b64": exact}


def unpacked(request: Mapping[str, Any]) -> bytes:
    """Return the path that ``packed`` put into a request, or ``ORIGINAL`` without one."""
    if "path_b64" in request:
        return b64decode(request["path_b64"])
    return str(request.get("path", "/")).encode()
