"""Users of a machine who swap what was listed before it is read."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from backup_app.exceptions import EngineError
from tests.attacks import rounds
from tests.prerequisites import need_root, need_zstd

from ....support.local_backups import back_up, local_client, over_ssh, stored, view, volume_of
from ....support.machine.swaps import swapping
from ....support.restores import restore

pytestmark = pytest.mark.django_db
STRANGER = 12345
OLD = 1_700_000_000


@pytest.fixture
def meanwhile(tmp_path, monkeypatch):
    """Return what lets scripts run before a program starts, the first before its first start.

    By default that is tar, which first runs after the listing.
    """
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def run(*scripts, program="tar"):
        real, starts = shutil.which(program, path=os.defpath), folder / f"{program}.starts"
        cases = "\n".join(
            f"{n}) (cd {tmp_path} && {script}) ;;" for n, script in enumerate(scripts, 1)
        )
        (folder / program).write_text(
            f"#!/bin/sh\necho >> {starts}\n"
            f"case $(wc -l < {starts}) in\n{cases}\nesac\n"
            f'exec {real} "$@"\n'
        )
        (folder / program).chmod(0o755)
        starts.unlink(missing_ok=True)

    return run


SWAP = "mv tree/mine tree/was && ln -s ../secrets tree/mine"
SWAP_BACK = "rm tree/mine && mv tree/was tree/mine"


def make(folder, text, owner=0):
    need_root()
    folder.mkdir(parents=True)
    (folder / "key").write_text(text)
    for path in (folder, folder / "key"):
        os.chown(path, owner, owner)


@pytest.fixture(params=["old", "new"])
def secrets(request, place):
    """A folder that only root can enter, with a file whose content is marked."""
    make(place / "secrets", "a marked secret")
    (place / "secrets").chmod(0o700)
    if request.param == "old":
        os.utime(place / "secrets/key", (OLD, OLD))
    return place / "secrets"


def content(job):
    """Return all that is in a job's volume."""
    need_zstd()
    listed = ["tar", "--zstd", "--extract", "--to-stdout", "-f", volume_of(job)]
    return subprocess.run(listed, capture_output=True, check=True).stdout


def messages(job):
    return [message for level, message in job.run.lines if level != "info"]


def lost(path):
    rest = "what had not been read yet is left out"
    return f"'{path}' is no longer the folder that was scanned: {rest}."


def test_a_folder_that_is_swapped_is_named_and_the_rest_stored(place, secrets, meanwhile):
    make(place / "tree/mine", "my own", STRANGER)
    make(place / "tree/others", "theirs")
    meanwhile(SWAP)

    job = back_up(local_client(place))

    assert (job.status, messages(job)) == ("warnings", [lost(place / "tree/mine")])
    assert b"marked" not in content(job)
    assert bytes(place / "tree/others/key") in stored(job)
    assert bytes(place / "tree/mine/key") not in stored(job)
    assert stored(job)[bytes(place / "tree/mine")] == "l"


def test_a_swapped_folder_of_the_same_owner_is_not_read(place, secrets, meanwhile):
    make(place / "tree/mine", "also of root")
    meanwhile(SWAP)

    assert b"marked" not in content(back_up(local_client(place)))


def test_a_folder_that_is_swapped_back_is_read(place, secrets, meanwhile):
    make(place / "tree/mine", "my own", STRANGER)
    meanwhile(SWAP, SWAP_BACK)

    job = back_up(local_client(place))

    assert (job.status, content(job)) == ("completed", b"my own")
    assert stored(job)[bytes(place / "tree/mine")] == "d"


def test_a_folder_that_was_a_symlink_for_a_moment_has_nothing_below_it(place, secrets, meanwhile):
    make(place / "tree/mine", "my own", STRANGER)
    meanwhile(SWAP, "true", SWAP_BACK)

    job = back_up(local_client(place))

    assert (job.status, messages(job)) == ("warnings", [lost(place / "tree/mine")])
    assert stored(job)[bytes(place / "tree/mine")] == "l"
    assert content(job) == b""


def test_a_path_that_is_swapped_before_it_is_listed_is_not_listed(place, secrets, meanwhile):
    make(place / "tree/mine/docs", "my own", STRANGER)
    make(place / "secrets/docs", "another marked secret")
    make(place / "other", "theirs")
    client = local_client(place, include=[place / "tree/mine/docs", place / "other"])
    # After the folders above were looked at.
    meanwhile(SWAP, program="sh")

    job = back_up(client)

    first = f"'{place}/tree/mine/docs' cannot be listed: a folder above it is missing or a symlink."
    assert (job.status, messages(job)[0]) == ("warnings", first)
    assert b"marked" not in content(job)
    assert bytes(place / "other/key") in stored(job)


def test_nor_while_it_is_listed(place, secrets, meanwhile):
    make(place / "tree/mine/docs", "my own", STRANGER)
    make(place / "secrets/docs", "another marked secret")
    client = local_client(place, include=[place / "tree/mine/docs"])
    meanwhile("true", SWAP, program="find")

    job = back_up(client)

    assert (job.status, messages(job)) == ("warnings", [lost(place / "tree/mine")])
    assert b"marked" not in content(job)


def test_a_symlink_above_one_path_does_not_keep_others_from_being_stored(place):
    (place / "real").mkdir()
    (place / "link").symlink_to("real")
    make(place / "tree", "mine")
    client = local_client(place, include=[place / "link/docs", place / "tree"])

    job = back_up(client)

    assert (job.status, len(messages(job))) == ("warnings", 1)
    assert bytes(place / "tree/key") in stored(job)


def test_nor_does_one_that_leads_out_of_the_roots(place):
    (place / "link").symlink_to("/usr")
    make(place / "tree", "mine")
    client = local_client(place, include=[place / "link/bin", place / "tree"])

    job = back_up(client)

    [message] = messages(job)
    assert message.startswith(f"'{place}/link/bin' is not below a folder that may be backed up")
    assert job.status == "warnings"
    assert bytes(place / "tree/key") in stored(job)


def test_a_symlink_above_the_only_path_is_named(place):
    (place / "real").mkdir()
    (place / "link").symlink_to("real")

    with pytest.raises(EngineError, match=f"path leads through '{place}/link', which is not"):
        back_up(local_client(place, include=[place / "link/docs"]))


@pytest.mark.parametrize(
    "change",
    [
        "echo more >> tree/mine/key",
        "chmod 600 tree/mine/key",
        "chmod 700 tree/mine",
        "rm tree/mine/key; echo new > tree/mine/key",
        "echo new > tree/new; touch -d 2001-01-01 tree/new; mv tree/new tree/mine/key",
        "mv tree/old tree/mine/key",
        "ln tree/mine/key tree/mine/link",
        "mv tree/mine tree/was; mv tree/mine2 tree/mine",
    ],
)
def test_what_is_changed_meanwhile_is_stored(place, meanwhile, change):
    make(place / "tree/mine", "my own")
    make(place / "tree/mine2", "another")
    (place / "tree/old").write_text("old")
    meanwhile(change)

    job = back_up(local_client(place))

    assert bytes(place / "tree/mine/key") in view(job)
    assert (place / "tree/mine/key").read_bytes() in content(job)


def test_what_is_changed_meanwhile_keeps_its_name_links_and_metadata(place, meanwhile):
    tree = place / "tree/we,i&r\\d\nx\udcff"
    tree.mkdir(parents=True)
    for name in ("-a", "'b' \udcff"):
        (tree / name).write_text("content")
    (tree / "c").hardlink_to(tree / "-a")
    (tree / "l").symlink_to("-a")
    meanwhile('touch -h "tree/we"*/*')

    job = back_up(local_client(place))
    restore(job, place / "tree", to=place / "new")

    new = Path(f"{place}/new{tree}")
    names = sorted(path.name for path in new.iterdir())
    assert (job.status, names) == ("completed", sorted(path.name for path in tree.iterdir()))
    assert (new / "-a").stat().st_ino == (new / "c").stat().st_ino
    assert (new / "l").readlink() == Path("-a")


def test_what_is_changed_meanwhile_keeps_links_of_a_folder_with_others(place, meanwhile):
    """In the listing the content of folders lies between the names of a folder."""
    for number in range(20):
        make(place / f"tree/folder{number}", "own")
    names = [f"name{number}" for number in range(20)]
    for name in names:
        (place / "tree" / name).hardlink_to(place / "tree/folder0/key")
    (place / "tree/folder0/key").unlink()
    meanwhile("find tree -type f -exec touch {} +")

    job = back_up(local_client(place))
    restore(job, place / "tree", to=place / "new")

    new = Path(f"{place}/new{place}/tree")
    assert len({(new / name).stat().st_ino for name in names}) == 1


def test_a_folder_that_becomes_a_symlink_is_stored_as_one(place, meanwhile):
    make(place / "tree/current", "release")
    make(place / "tree/other", "other")
    client = local_client(place)
    full = back_up(client)
    (place / "tree/current/key").write_text("changed")
    (place / "tree/current/new").write_text("new")
    meanwhile("mkdir tree/r; mv tree/current tree/r/2; ln -s r/2 tree/current")

    job = back_up(client, "Incremental")

    below = {path for path in view(job) if path.startswith(bytes(place / "tree/current/"))}
    assert (job.status, messages(job)) == ("warnings", [lost(place / "tree/current")])
    assert below == {bytes(place / "tree/current")}
    assert bytes(place / "tree/current/key") in view(full)
    run = restore(job, place / "tree", to=place / "new")
    new = place / f"new{place}/tree"
    assert run.outcome.warnings == 0
    assert ((new / "current").readlink().name, (new / "other/key").read_text()) == ("2", "other")


# --- Many rounds ----------------------------------------------------------------------------------


@pytest.fixture
def trap(place, secrets):
    """What a user makes who owns a folder of the tree, and wants to read another one."""
    need_root()
    make(place / "tree/mine", "my own", STRANGER)
    (place / "aside").mkdir()
    (place / "aside/mine").symlink_to(secrets)
    for number in range(30):
        (secrets / f"key{number}").write_text("a marked secret")
        (place / f"tree/mine/key{number}").write_text("my own")
        os.chown(place / f"tree/mine/key{number}", STRANGER, STRANGER)


@pytest.mark.attack
def test_no_swap_at_any_time_leads_to_a_secret(place, trap):
    client = local_client(place)

    for _ in range(rounds(6, 250)):
        with swapping(b"mine", place / "tree", place / "aside"):
            job = back_up(client)
        assert b"marked" not in content(job)


@pytest.mark.attack
@pytest.mark.usefixtures("backup_root")
def test_no_swap_on_another_machine_leads_to_a_secret(place, trap, ssh_server):
    client = local_client(place, **over_ssh(ssh_server))

    for _ in range(rounds(2, 50)):
        with swapping(b"mine", place / "tree", place / "aside"):
            job = back_up(client)
        assert b"marked" not in content(job)


@pytest.mark.attack
def test_no_swap_before_the_reading_leads_to_a_secret(place, secrets, meanwhile):
    """The secret file is replaced by a new one, as programs do, just before each backup."""
    need_root()
    make(place / "tree/mine", "my own", STRANGER)
    client = local_client(place)

    for number in range(rounds(6, 250)):
        (secrets / "new").write_text(f"a marked secret {number}")
        (secrets / "new").replace(secrets / "key")
        meanwhile(SWAP)
        job = back_up(client)
        (place / "tree/mine").unlink()
        (place / "tree/was").rename(place / "tree/mine")
        assert (job.status, b"marked" in content(job)) == ("warnings", False)
