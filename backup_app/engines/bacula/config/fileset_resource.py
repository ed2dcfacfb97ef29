"""The text of a FileSet resource."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ....exceptions import EngineError, Invalid
from ....models import Fileset
from ..names import Bacula, in_config
from .patterns import DRIVE, Pattern, exactly, patterns
from .resources import Unquoted, resource

LEVEL, MAX_LEVEL = 6, 9  # of gzip: the default, and the highest
UNIX = {"ACL Support": True, "XAttr Support": True}


def fileset(name: str, fileset: Fileset, plugins: Iterable[str] = ()) -> str:
    """Return the resource of a fileset; ``plugins`` are the plugin lines that dump its databases.

    Raises EngineError for a folder or a pattern that cannot be expressed in Bacula.
    """
    paths = _paths(fileset)
    excluded = list(patterns(fileset.exclude))
    # Bacula does not apply patterns to the chosen folders themselves.
    chosen = [path for path in paths if not any(pattern.fits(path) for pattern in excluded)]
    is_windows = any(DRIVE.match(path) for path in chosen)
    # A folder below another chosen one would be backed up twice.
    nested = [exactly(path) for path in chosen if any(_is_below(path, other) for other in chosen)]
    options = [resource("Options", _options(fileset.options, is_windows))]
    if excluded or nested:
        options.insert(0, _exclusion([*excluded, *nested], is_windows))
    lines = [("File", path) for path in chosen] + [("Plugin", each) for each in plugins]
    return resource("FileSet", {"Name": name}, _include(options, lines))


def require_expressible(engine: Bacula, fileset: Fileset) -> None:
    """Raise Invalid for a folder or a pattern of a fileset that cannot be expressed in Bacula."""
    with _refused("exclude"):
        list(patterns(fileset.exclude))
    with _refused("include"):
        _paths(fileset)


@contextmanager
def _refused(name: str) -> Iterator[None]:
    try:
        yield
    except EngineError as e:
        raise Invalid({name: [str(e)]}) from e


def _paths(fileset: Fileset) -> list[str]:
    return [_path(each["path"]) for each in fileset.include]


def nothing(name: str) -> str:
    """Return the resource of a fileset without files."""
    return resource(
        "FileSet", {"Name": name}, _include([resource("Options", _options({}, True))], [])
    )


def _include(options: Iterable[str], lines: Iterable[tuple[str, str]]) -> str:
    return resource(
        "Include", {}, *options, *(f"{name} = {in_config(value)}" for name, value in lines)
    )


def _exclusion(patterns: Iterable[Pattern], is_windows: bool) -> str:
    values = {"Exclude": True} | ({"Ignore Case": True} if is_windows else {})
    lines = (f"{each.directive} = {in_config(each.text)}" for each in patterns)
    return resource("Options", values, *lines)


def _options(options: Mapping[str, Any], is_windows: bool) -> dict[str, Any]:
    level = min(options.get("compression", LEVEL), MAX_LEVEL)
    return {
        "Signature": Unquoted("SHA256"),
        "Compression": Unquoted(f"GZIP{level}"),
        "One FS": options.get("one_filesystem", False),
        "Sparse": True,
        "Hard Links": True,
        "No Atime": True,
        "Mtime Only": False,
        **({} if is_windows else UNIX),
    }


def _path(path: str) -> str:
    """Return a folder as Bacula names it; raises EngineError.

    Anything other than a path, such as ``|``, ``<`` or a backslash, would mean a program to run or
    a list to read.
    """
    if DRIVE.match(path):
        path = path.replace("\\", "/")
        plain = path[:2] + posixpath.normpath(f"/{path[3:]}")
    elif path.startswith("/"):
        plain = posixpath.normpath(path).replace("//", "/")
    else:
        raise EngineError(f"The fileset's path '{path}' is not an absolute path.")
    if ".." in plain.split("/") or ".." in path.split("/"):
        raise EngineError(f"The fileset's path '{path}' contains '..'.")
    if plain.endswith(" "):
        raise EngineError(f"The fileset's path '{path}' ends with a space, which Bacula strips.")
    return plain


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/") and path != folder
