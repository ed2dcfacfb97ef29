"""Writes a tar of extracted files, with headers from the catalog.

Unless this service runs as root, all extracted files belong to its user, whatever they had.
"""

import hashlib
import os
import stat
import tarfile
from collections.abc import Iterable
from typing import IO, BinaryIO

from ....exceptions import EngineError
from ...shared.dirfd import FolderWalk
from .members import ALGORITHMS, Member

BLOCK = 256 * 1024
KINDS = {
    stat.S_IFDIR: tarfile.DIRTYPE,
    stat.S_IFLNK: tarfile.SYMTYPE,
    stat.S_IFCHR: tarfile.CHRTYPE,
    stat.S_IFBLK: tarfile.BLKTYPE,
    stat.S_IFIFO: tarfile.FIFOTYPE,
    stat.S_IFREG: tarfile.REGTYPE,
}
ZEROS = bytes(16 * 1024)  # less than half of the buffers that clients leave out
REFERENCE = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


class Tar:
    """Writes members, whose content is below an open folder, into a file.

    What was written is removed from the folder at once, so that both together need little more
    room than one. No symlink is followed. Raises EngineError for a member that was not extracted,
    or not as it was backed up; OSError where the tar cannot be written.
    """

    def __init__(self, file: BinaryIO, folder_fd: int, *, is_doubtful: bool = False) -> None:
        """``is_doubtful``: whether a file without a digest must have the size in the catalog.

        It may differ legitimately, since a file may have changed while it was backed up.
        """
        self._file = file
        self._way = FolderWalk(folder_fd)
        self._is_doubtful = is_doubtful
        self._links: dict[tuple[int, int], str] = {}

    def write(self, members: Iterable[Member]) -> None:
        with self._way:
            for member in members:
                self._add(member)
        self._file.write(bytes(2 * tarfile.BLOCKSIZE))
        self._file.write(bytes(-self._file.tell() % tarfile.RECORDSIZE))

    def _add(self, member: Member) -> None:
        kind = KINDS.get(stat.S_IFMT(member.mode))
        if kind is None:
            return  # a socket, which neither a tar nor a restore has
        header = tarfile.TarInfo(os.fsdecode(member.path.lstrip(b"/") or b"."))
        header.type, header.mode = kind, stat.S_IMODE(member.mode)
        header.uid, header.gid, header.mtime = member.user, member.group, member.mtime
        header.devmajor, header.devminor = os.major(member.device), os.minor(member.device)
        if kind == tarfile.SYMTYPE:
            header.linkname = self._target(member)
        if kind == tarfile.REGTYPE:
            self._add_file(member, header)
        else:
            self._write_header(header)

    def _write_header(self, header: tarfile.TarInfo) -> None:
        # As GNU tar writes them: names are bytes, of any length.
        self._file.write(header.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape"))

    def _target(self, member: Member) -> str:
        folder, name = self._place(member)
        try:
            target = os.readlink(name, dir_fd=folder)
        except OSError as e:
            raise _missing(member) from e
        os.unlink(name, dir_fd=folder)
        return os.fsdecode(target)

    def _add_file(self, member: Member, header: tarfile.TarInfo) -> None:
        folder, name = self._place(member)
        fd = _open(folder, name, member)
        with open(fd, "rb", buffering=0) as file:  # noqa: PTH123 - an open one
            status = os.fstat(fd)
            known = self._links.get((status.st_dev, status.st_ino))
            if known is not None:
                header.type, header.linkname = tarfile.LNKTYPE, known
                self._write_header(header)
            else:
                header.size = status.st_size
                self._write_header(header)
                self._copy(file, member, status.st_size)
                if status.st_nlink > 1:
                    self._links[status.st_dev, status.st_ino] = header.name
        os.unlink(name, dir_fd=folder)

    def _copy(self, file: IO[bytes], member: Member, size: int) -> None:
        wanted, copied = member.digest, 0
        digest = hashlib.new(ALGORITHMS[len(wanted)], usedforsecurity=False) if wanted else None
        has_zeros = False
        while block := file.read(BLOCK):
            if digest:
                digest.update(block)
            self._file.write(block)
            has_zeros = has_zeros or (member.is_sparse and ZEROS in block)
            copied += len(block)
        self._file.write(bytes(-self._file.tell() % tarfile.BLOCKSIZE))
        if digest and not has_zeros:
            is_right = digest.digest() == wanted
        else:
            is_right = self._is_plausible(member, copied)
        if copied != size or not is_right:
            raise EngineError(f"'{_shown(member)}' was not extracted as it was backed up.")

    def _is_plausible(self, member: Member, size: int) -> bool:
        return size == member.size or not self._is_doubtful

    def _place(self, member: Member) -> tuple[int, bytes]:
        """Return the open folder of a member, and its name there."""
        *folders, name = member.path.strip(b"/").split(b"/")
        try:
            while self._way.names != folders[: len(self._way.names)]:
                self._way.up()
            for each in folders[len(self._way.names) :]:
                self._way.down(each)
            folder = self._way.fd
        except (OSError, ValueError) as e:
            raise _missing(member) from e
        return folder, name


def _open(folder: int, name: bytes, member: Member) -> int:
    """Open a regular file, whose mode may be 0; anything else, as a FIFO, is not opened."""
    try:
        reference = os.open(name, REFERENCE, dir_fd=folder)
    except OSError as e:
        raise _missing(member) from e
    try:
        status = os.fstat(reference)
        if not stat.S_ISREG(status.st_mode):
            raise _missing(member)
        path = f"/proc/self/fd/{reference}"
        if not status.st_mode & stat.S_IRUSR:
            os.chmod(path, stat.S_IRUSR)  # noqa: PTH101
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(reference)


def _missing(member: Member) -> EngineError:
    return EngineError(f"'{_shown(member)}' was not extracted.")


def _shown(member: Member) -> str:
    return member.path.decode(errors="replace")
