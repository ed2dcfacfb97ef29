"""What another machine has kept and this one gets: no way to become root here."""

import os
import stat

import pytest

from backup_app.exceptions import EngineError

from ....support.factories import ClientFactory
from ....support.local_backups import back_up, local_client
from ....support.restores import restore

pytestmark = pytest.mark.django_db

NET_RAW = bytes.fromhex("0100000200200000000000000000000000000000")  # as setcap writes it


@pytest.fixture
def backup(needs_root, place):
    """A backup of a program that runs as root, and of a device that everybody may write to."""
    tree = place / "tree"
    tree.mkdir()
    (tree / "program").write_text("#!/bin/sh\n")
    (tree / "program").chmod(0o6755)
    os.setxattr(tree / "program", "user.note", b"mine")
    (tree / "ping").touch(0o755)
    os.setxattr(tree / "ping", "security.capability", NET_RAW)
    (tree / "devices").mkdir()
    os.mknod(tree / "devices/disk", stat.S_IFBLK | 0o666, os.makedev(7, 200))
    return back_up(local_client(place))


def mode_of(path):
    return stat.S_IMODE(path.lstat().st_mode)


def test_programs_and_devices_of_another_machine_are_harmless(backup, place):
    other = ClientFactory(account=backup.account)

    run = restore(backup, place / "tree", to=place / "new", client=other)

    found = place / f"new{place}/tree"
    assert mode_of(found / "program") == 0o755
    assert os.getxattr(found / "program", "user.note") == b"mine"
    assert os.listxattr(found / "ping") == []
    assert list((found / "devices").iterdir()) == []
    assert ("warning", "1 devices of another machine are left out.") in run.lines


def test_nothing_is_placed_while_programs_may_still_run_as_root(backup, place, program):
    other = ClientFactory(account=backup.account)
    program("chmod", "echo 'chmod: no' >&2; exit 1")

    words = r"^The special modes of restored files could not be cleared: chmod: no\.$"
    with pytest.raises(EngineError, match=words):
        restore(backup, place / "tree", to=place / "new", client=other)

    assert not (place / "new").exists()


def test_those_of_the_machine_itself_come_back_as_they_were(backup, place):
    restore(backup, place / "tree", to=place / "new")

    found = place / f"new{place}/tree"
    assert mode_of(found / "program") == 0o6755
    assert os.getxattr(found / "ping", "security.capability") == NET_RAW
    assert stat.S_ISBLK((found / "devices/disk").lstat().st_mode)


def test_a_device_of_another_machine_alone_is_refused(backup, place):
    other = ClientFactory(account=backup.account)

    with pytest.raises(EngineError, match="Devices of another machine are not restored"):
        restore(backup, place / "tree/devices/disk", to=place / "new", client=other)

    assert not (place / "new").exists()
