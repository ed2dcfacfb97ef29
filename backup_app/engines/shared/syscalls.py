"""What Linux can do and Python cannot: rename without replacing, swap, write out a file system."""

import ctypes
import errno
import os

NOREPLACE, EXCHANGE = 1, 2  # of linux/fs.h
_libc = ctypes.CDLL(None, use_errno=True)


def rename_new(name: bytes, source_fd: int, target_fd: int) -> None:
    """Move a name from one open folder to another; FileExistsError if something has it there."""
    try:
        _rename(name, source_fd, target_fd, NOREPLACE)
    except OSError as e:
        if e.errno not in (errno.EINVAL, errno.ENOSYS):
            raise
        # A file system that does not know it (NFS). What comes in between can be an empty folder.
        if _exists(name, target_fd):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from e
        os.rename(name, name, src_dir_fd=source_fd, dst_dir_fd=target_fd)


def exchange(name: bytes, source_fd: int, target_fd: int) -> None:
    """Swap what two open folders have under a name, in one step; OSError where that is unknown."""
    _rename(name, source_fd, target_fd, EXCHANGE)


def write_out(fd: int) -> None:
    """Return when all that was written to the file system of an open folder is on its disk."""
    if _libc.syncfs(fd) != 0:
        _fail("the file system")


def _rename(name, source_fd, target_fd, flags):
    function = getattr(_libc, "renameat2", None)
    if function is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    if function(source_fd, name, target_fd, name, flags) != 0:
        _fail(name)


def _fail(name):
    code = ctypes.get_errno()
    raise OSError(code, os.strerror(code), name)


def _exists(name, fd):
    try:
        os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
