"""Copying a folder's metadata: owner, mode, extended attributes, ACLs and times."""

import os
import stat
from collections.abc import Callable, Iterator
from functools import partial


def copy_metadata(source_fd: int, status: os.stat_result, target_fd: int) -> list[OSError]:
    """Copy the metadata of one open folder to another; return the errors.

    ``status`` is the source's, from before its content was moved away, which changes its times.
    """
    problems: list[OSError] = []
    steps: list[Callable[[], None]] = [
        partial(_copy_owner, target_fd, status, os.stat(target_fd)),
        # chown clears set-user-ID and set-group-ID, so the mode comes after it. An ACL is an
        # extended attribute that includes the group's bits of the mode, so it comes after that.
        partial(os.chmod, target_fd, stat.S_IMODE(status.st_mode)),
        *(partial(_set_attribute, target_fd, *each) for each in _changes(source_fd, target_fd)),
        partial(copy_times, target_fd, status),
    ]
    for step in steps:
        try:
            step()
        except OSError as e:
            problems.append(e)
    return problems


def copy_times(fd: int, status: os.stat_result) -> None:
    """Set the times of an open folder, in nanoseconds."""
    os.utime(fd, ns=(status.st_atime_ns, status.st_mtime_ns))


def _copy_owner(target_fd: int, status: os.stat_result, old: os.stat_result) -> None:
    if (status.st_uid, status.st_gid) != (old.st_uid, old.st_gid):
        os.chown(target_fd, status.st_uid, status.st_gid)


def _changes(source_fd: int, target_fd: int) -> Iterator[tuple[str, bytes | None]]:
    """Yield (name, value) of attributes that differ; None removes one."""
    source, target = _read_attributes(source_fd), _read_attributes(target_fd)
    for name, value in source.items():
        if target.get(name) != value:
            yield name, value
    for name in target.keys() - source.keys():
        # SELinux and the like set their label when the folder is made: it belongs to the place.
        if not name.startswith("security."):
            yield name, None


def _set_attribute(fd: int, name: str, value: bytes | None) -> None:
    if value is None:
        os.removexattr(fd, name)
    else:
        os.setxattr(fd, name, value)


def _read_attributes(fd: int) -> dict[str, bytes]:
    try:
        return {name: os.getxattr(fd, name) for name in os.listxattr(fd)}
    except OSError:  # a file system without attributes
        return {}
