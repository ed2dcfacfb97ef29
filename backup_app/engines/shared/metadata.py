"""What a folder has besides its content: owner, mode, extended attributes, ACLs and times."""

import os
import stat


def copy_metadata(source_fd: int, status: os.stat_result, target_fd: int) -> list[OSError]:
    """Give an open folder what another has; return what could not be set.

    ``status`` is the source's, taken before its content was moved away, which changes its times.
    """
    problems: list[OSError] = []
    old = os.stat(target_fd)
    steps = [
        (_copy_owner, (target_fd, status, old)),
        # A change of the owner can take bits away, so that the mode comes after it. An ACL is
        # an extended attribute, and has the group's bits of the mode in it.
        (os.chmod, (target_fd, stat.S_IMODE(status.st_mode))),
        *((_copy_attribute, step) for step in _attributes(source_fd, target_fd)),
        (_copy_times, (target_fd, status)),
    ]
    for step, args in steps:
        try:
            step(*args)
        except OSError as e:
            problems.append(e)
    return problems


def copy_times(fd: int, status: os.stat_result) -> None:
    """Set the times of an open folder, in nanoseconds."""
    os.utime(fd, ns=(status.st_atime_ns, status.st_mtime_ns))


def _copy_times(target_fd, status):
    copy_times(target_fd, status)


def _copy_owner(target_fd, status, old):
    if (status.st_uid, status.st_gid) != (old.st_uid, old.st_gid):
        os.chown(target_fd, status.st_uid, status.st_gid)


def _attributes(source_fd, target_fd):
    """Yield (target, name, value) of attributes that differ; the value None takes one away."""
    source, target = _read_attributes(source_fd), _read_attributes(target_fd)
    for name, value in source.items():
        if target.get(name) != value:
            yield target_fd, name, value
    for name in target.keys() - source.keys():
        # A label is the system's own matter, given when the folder was made.
        if not name.startswith("security."):
            yield target_fd, name, None


def _copy_attribute(fd, name, value):
    if value is None:
        os.removexattr(fd, name)
    else:
        os.setxattr(fd, name, value)


def _read_attributes(fd):
    try:
        return {name: os.getxattr(fd, name) for name in os.listxattr(fd)}
    except OSError:  # a file system without any
        return {}
