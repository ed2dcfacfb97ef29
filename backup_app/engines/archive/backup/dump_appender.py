"""Adding members to a volume that are not files of the client: dumps of its databases."""

import hashlib
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

from ....lib import paths
from ....models import Client
from ..catalog.folders import ensure_folder
from ..storage.tar_reader import BLOCK, Member
from ..storage.volume import VolumeWriter
from .workspace import ToStore

PIECE = 1024 * 1024


class DumpAppender:
    """Adds files to the end of a volume, with the folders that they are in."""

    def __init__(
        self,
        client: Client,
        volume: VolumeWriter,
        add: Callable[[Member, ToStore], None],
        part: Callable[[int], None],
    ):
        """``add`` is called with each new member and its place in the catalog.

        ``part`` is called with the size of each block that is read.
        """
        self._client = client
        self._volume = volume
        self._add = add
        self._part = part
        self._mtime = int(time.time())
        self._folders: set[bytes] = {paths.ROOT}

    def add_file(self, path: bytes, source: Path) -> int:
        """Add a file under a path of its own; return its size in bytes."""
        folder, _ = paths.split(path)
        self._add_folders(folder)
        info = self._info(path, tarfile.REGTYPE, 0o600)
        info.size = source.stat().st_size
        start = self._volume.tar_size
        self._write_header(info)
        digest = self._write_content(source, info.size)
        self._done(path, "f", info, start, digest)
        return info.size

    def _add_folders(self, path: bytes) -> None:
        if path in self._folders:
            return
        self._add_folders(paths.split(path)[0])
        self._folders.add(path)
        info = self._info(path, tarfile.DIRTYPE, 0o700)
        start = self._volume.tar_size
        self._write_header(info)
        self._done(path, "d", info, start, None)

    def _info(self, path: bytes, kind: bytes, mode: int) -> tarfile.TarInfo:
        info = tarfile.TarInfo(path[1:].decode(errors="surrogateescape"))
        info.type, info.mode, info.mtime = kind, mode, self._mtime
        info.uname = info.gname = "root"
        return info

    def _write_header(self, info: tarfile.TarInfo) -> None:
        self._volume.write(info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape"))

    def _write_content(self, source: Path, size: int) -> bytes:
        digest, left = hashlib.sha256(), size
        with source.open("rb") as file:
            while piece := file.read(min(PIECE, left)):
                left -= len(piece)
                digest.update(piece)
                self._volume.write(piece)
                self._part(len(piece))
        self._volume.write(bytes(left + -size % BLOCK))
        return digest.digest()

    def _done(
        self, path: bytes, kind: str, info: tarfile.TarInfo, start: int, digest: bytes | None
    ) -> None:
        length = self._volume.tar_size - start
        mtime = self._mtime * 1_000_000_000
        member = Member(
            path, kind, info.size, info.mode, "root", "root", mtime, b"", digest, start, length
        )
        folder, name = paths.split(path)
        parent = ensure_folder(self._client, folder)
        node = ensure_folder(self._client, path) if kind == "d" else None
        self._add(member, ToStore(path, parent, name, kind, info.size, mtime, mtime, 0, "", node))
