"""Runs a command that can write nowhere but below one folder: ``confine.py FOLDER COMMAND…``.

What bextract reads was written by a client, which may not be honest: names with ``..``, symlinks
and hard links of its own would lead out of the folder that it extracts to. So it runs where all
else is mounted read-only, in a mount namespace of its own. Root may make one; anybody else makes
a user namespace first, in which a number of files is theirs as before.

A script, not a module to import: it is run by its path, without Django.
"""

import ctypes
import os
import signal
import sys
from pathlib import Path

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000  # of linux/sched.h
MS_BIND, MS_REC, MS_PRIVATE = 1 << 12, 1 << 14, 1 << 18  # of linux/mount.h
READ_ONLY, NO_SET_ID, NO_DEVICES = 1, 2, 4
MOUNT_SETATTR = 442  # the same number on all architectures, as libc has no function for it
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
PR_SET_PDEATHSIG, PR_CAPBSET_DROP = 1, 24  # of linux/prctl.h
# Writing files of other owners is all it needs of root's rights, and above all not mounting.
LAST_NEEDED = 4  # CAP_FSETID, of linux/capability.h, after those on owners and modes
CANNOT = 120  # the exit code when nothing was run
_libc = ctypes.CDLL(None, use_errno=True)


def confine(folder: bytes) -> None:
    """Let this process, and what it becomes, write only below a folder; raises OSError."""
    _leave_the_mounts_of_others()
    _call("mount", None, b"/", None, MS_REC | MS_PRIVATE, None)
    _call("mount", folder, folder, None, MS_BIND, None)
    _set_mount(b"/", AT_RECURSIVE, added=READ_ONLY)
    _set_mount(folder, 0, added=NO_SET_ID | NO_DEVICES, dropped=READ_ONLY)
    for capability in range(LAST_NEEDED + 1, _last_capability() + 1):
        _call("prctl", PR_CAPBSET_DROP, capability, 0, 0, 0)


def _last_capability() -> int:
    return int(Path("/proc/sys/kernel/cap_last_cap").read_text())


def _leave_the_mounts_of_others() -> None:
    user, group = os.geteuid(), os.getegid()
    _call("unshare", CLONE_NEWNS if user == 0 else CLONE_NEWNS | CLONE_NEWUSER)
    if user:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"0 {user} 1"),
            ("gid_map", f"0 {group} 1"),
        ):
            Path("/proc/self", name).write_text(text)


def _set_mount(path: bytes, flags: int, *, added: int = 0, dropped: int = 0) -> None:
    attributes = (ctypes.c_uint64 * 4)(added, dropped, 0, 0)
    size = ctypes.sizeof(attributes)
    _call("syscall", MOUNT_SETATTR, AT_FDCWD, path, flags, ctypes.byref(attributes), size)


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), name)


def main(folder: str, *command: str) -> None:
    """Become the command, which is killed when who started it dies."""
    try:
        _call("prctl", PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        confine(os.fsencode(folder))
    except OSError as e:
        print(f"{e.filename}: {e.strerror}", file=sys.stderr)  # noqa: T201 - a script
        sys.exit(CANNOT)
    os.execv(command[0], command)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main(*sys.argv[1:])
