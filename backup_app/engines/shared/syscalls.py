"""Linux system calls that Python lacks: renameat2 and syncfs."""

import ctypes
import errno
import os
from typing import NoReturn

NOREPLACE, EXCHANGE = 1, 2  # of linux/fs.h
_libc = ctypes.CDLL(None, use_errno=True)


def rename_new(name: bytes, source_fd: int, target_fd: int) -> None:
    """Move a name from one open folder to another; FileExistsError if the name exists there."""
    try:
        _rename(name, source_fd, target_fd, NOREPLACE)
    except OSError as e:
        if e.errno not in (errno.EINVAL, errno.ENOSYS):
            raise
        # NFS does not support the flag. Checking first leaves a race, in which rename replaces an
        # empty folder at most: what is moved is a folder.
        if _exists(name, target_fd):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from e
        os.rename(name, name, src_dir_fd=source_fd, dst_dir_fd=target_fd)


def exchange(name: bytes, source_fd: int, target_fd: int) -> None:
    """Swap the entries of a name in two open folders atomically; OSError where unsupported."""
    _rename(name, source_fd, target_fd, EXCHANGE)


def sync_file_system(fd: int) -> None:
    """Write the file system of an open folder to its disk (syncfs)."""
    if _libc.syncfs(fd) != 0:
        _fail("the file system")


def _rename(name: bytes, source_fd: int, target_fd: int, flags: int) -> None:
    function = getattr(_libc, "renameat2", None)
    if function is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    if function(source_fd, name, target_fd, name, flags) != 0:
        _fail(name)


def _fail(name: bytes | str) -> NoReturn:
    code = ctypes.get_errno()
    raise OSError(code, os.strerror(code), name)


def _exists(name: bytes, fd: int) -> bool:
    try:
        os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
