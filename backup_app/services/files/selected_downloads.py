"""Downloads of a part of a backup, as tar.zst or zip, made while they are sent."""

import io
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import zstandard

from ...engines import get_engine
from ...engines.values import Selection
from ...exceptions import Invalid
from ...models import Job
from ..downloads import file_name, held, hold

LEVEL = 3  # of zstd
BLOCK = 256 * 1024
SYMLINK = 0o120777
EARLIEST, LATEST = (1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 58)  # that a zip can hold


def stream(job: Job, selection: Selection, kind: str) -> tuple[str, Iterator[bytes]]:
    """Return the name of a file with a selection of a backup, and its bytes in blocks.

    In a zip hard links become symlinks, and devices, pipes and owners are left out. Raises Invalid
    for an unknown kind; NotFound and EngineError as the engine does. The backup is held meanwhile.
    """
    if kind not in KINDS:
        raise Invalid({"kind": [f"Unknown kind '{kind}': it must be {' or '.join(KINDS)}."]})
    hold(job)
    size, opened = get_engine(job.engine).open_selection(job, selection)
    name = file_name(job).removesuffix(".tar")

    def blocks() -> Iterator[bytes]:
        with opened as ranges:
            yield from KINDS[kind](ranges.read(0, size))

    return f"{name}-selection.{kind}", held(job, blocks())


def _compressed(blocks: Iterator[bytes]) -> Iterator[bytes]:
    compressor = zstandard.ZstdCompressor(level=LEVEL).compressobj()
    for block in blocks:
        if ready := compressor.compress(block):
            yield ready
    yield compressor.flush()


def _zipped(blocks: Iterator[bytes]) -> Iterator[bytes]:
    out = _Collector()
    source: Any = io.BufferedReader(_Source(blocks), BLOCK)
    archive = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED)  # type: ignore[call-overload]
    with tarfile.open(fileobj=source, mode="r|", errors="surrogateescape") as tar:
        for member in tar:
            yield from _zip_member(tar, member, archive, out)
    archive.close()
    yield out.take()


def _zip_member(
    tar: tarfile.TarFile, member: tarfile.TarInfo, archive: zipfile.ZipFile, out: "_Collector"
) -> Iterator[bytes]:
    name = _name(member.name) + ("/" if member.isdir() else "")
    info = zipfile.ZipInfo(name, _time(member.mtime))
    info.external_attr = (member.mode | (0o040000 if member.isdir() else 0o100000)) << 16
    if member.isdir():
        info.external_attr |= 0x10  # the folder's bit of MS-DOS
        archive.writestr(info, b"")
    elif member.issym() or member.islnk():
        info.external_attr = SYMLINK << 16
        archive.writestr(info, _target(member).encode())
    elif member.isreg():
        info.compress_type = zipfile.ZIP_DEFLATED
        content = tar.extractfile(member)
        with archive.open(info, "w", force_zip64=True) as file:
            while content and (block := content.read(BLOCK)):
                file.write(block)
                yield out.take()
    yield out.take()


def _target(member: tarfile.TarInfo) -> str:
    if member.issym():
        return _text(member.linkname)
    # That of a hard link is named from the top of the tar.
    return "../" * member.name.count("/") + _name(member.linkname)


def _name(path: str) -> str:
    return _text(path).replace("\\", "_")


def _text(name: str) -> str:
    return name.encode(errors="surrogateescape").decode(errors="replace")


def _time(seconds: float) -> tuple[int, int, int, int, int, int]:
    try:
        found = time.gmtime(seconds)[:6]
    except (ValueError, OverflowError, OSError):
        return EARLIEST
    return min(max(found, EARLIEST), LATEST)


class _Source(io.RawIOBase):
    """Blocks as a file to read."""

    def __init__(self, blocks: Iterator[bytes]):
        self._blocks = blocks
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or next(self._blocks, b"")
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


class _Collector:
    """A file to write that cannot seek; what was written is taken out of it."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: what was written is taken at once."""

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


KINDS: dict[str, Callable[[Iterator[bytes]], Iterator[bytes]]] = {
    "tar.zst": _compressed,
    "zip": _zipped,
}
