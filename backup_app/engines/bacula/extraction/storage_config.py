"""Reads the devices in a storage daemon's file, one of which bextract has to be given."""

import re
from collections.abc import Iterator
from pathlib import Path

from ....exceptions import EngineError

COMMENT = re.compile(r'("[^"\n]*")|#[^\n]*')
RESOURCE = re.compile(r"([\w ]+)\{([^{}]*)\}")
Resource = tuple[str, dict[str, str]]  # its kind and its directives, as ``Archive Device``


class StorageConfig:
    """The devices of a storage daemon; raises EngineError for a file that cannot be read."""

    def __init__(self, path: str) -> None:
        self.path = path
        resources = list(_resources(_read(Path(path))))
        self._devices = [each for kind, each in resources if kind == "device" and "name" in each]
        self._media = {each["name"]: each.get("mediatype", "") for each in self._devices}
        self._folders = {each["name"]: each.get("archivedevice", "") for each in self._devices}
        self._changers = {
            each["name"]: _members(each.get("device", ""))
            for kind, each in resources
            if kind == "autochanger" and "name" in each
        }

    @property
    def folders(self) -> list[str]:
        """The folders with volumes that are files."""
        places = self._folders.values()
        return sorted({place for place in places if place and not place.startswith("/dev/")})

    def has(self, name: str) -> bool:
        """Return whether a device or an autochanger has this name."""
        return name in self._media or name in self._changers

    def device(self, name: str, media_type: str) -> str:
        """Return a device that reads what ``name``, a device or an autochanger, has written.

        Any with the same media type will do; raises EngineError if there is none.
        """
        readers = [each for each, media in self._media.items() if media == media_type]
        for candidate in (name, *self._changers.get(name, []), *readers):
            if candidate in self._media:
                return candidate
        raise EngineError(
            f"No device in '{self.path}' reads media of the type '{media_type}', which the device"
            f" '{name}' wrote."
        )

    def folder_of(self, name: str, media_type: str) -> Path | None:
        """Return the folder with the volumes of ``device``, None if they are no files."""
        place = self._folders.get(self.device(name, media_type), "")
        return Path(place) if place and not place.startswith("/dev/") else None


def _read(path: Path, depth: int = 0) -> str:
    """Return the text of a file with those that it includes."""
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError as e:
        raise EngineError(f"'{path}' cannot be read: {e.strerror}.") from e
    return "\n".join(_included(line, depth) if line.startswith("@/") else line for line in lines)


def _included(line: str, depth: int) -> str:
    return _read(Path(line[1:].strip()), depth + 1) if depth < 10 else ""


def _resources(text: str) -> Iterator[Resource]:
    for kind, body in RESOURCE.findall(COMMENT.sub(r"\1", text)):
        pairs = [directive.partition("=") for directive in re.split("[;\n]", body)]
        yield _squeezed(kind), {_squeezed(key): value.strip(' "') for key, _, value in pairs}


def _squeezed(text: str) -> str:
    """Return a keyword as Bacula compares them: without blanks and case."""
    return re.sub(r"\s", "", text).lower()


def _members(value: str) -> list[str]:
    return [member.strip() for member in value.split(",") if member.strip()]
