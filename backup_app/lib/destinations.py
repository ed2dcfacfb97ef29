"""Where a restore goes to: a path of bytes, kept in a job's JSON."""

from base64 import b64decode, b64encode

from ..exceptions import Invalid
from . import paths

ORIGINAL = paths.ROOT  # stands for the original location


def cleaned(path: bytes) -> bytes:
    """Return an absolute path without empty and ``.`` parts; raises Invalid for another.

    None may contain ``..`` or NUL, whatever it would lead to.
    """
    shown = paths.shown(path)
    absolute = paths.rooted(path or ORIGINAL)
    if absolute is None:
        raise Invalid({"path": [f"The destination '{shown}' is no absolute path."]})
    clean = paths.normalized(absolute)
    if b".." in clean.split(b"/") or b"\0" in path:
        raise Invalid({"path": [f"The destination '{shown}' contains '..' or a NUL."]})
    return clean


def packed(path: bytes) -> dict[str, str]:
    """Return what of a job's request holds a path: ``path``, and ``path_b64`` if not UTF-8."""
    try:
        return {"path": path.decode()}
    except UnicodeDecodeError:
        exact = b64encode(path).decode()
        return {"path": path.decode(errors="replace"), "path_b64": exact}


def unpacked(request: dict) -> bytes:
    """Return the path that ``packed`` put into a job's request; without one the original's."""
    if "path_b64" in request:
        return b64decode(request["path_b64"])
    return request.get("path", "/").encode()
