"""Attacks on restores: nothing ever appears outside of where it was to go."""

import os
import shutil
import tarfile

import pytest

from backup_app.exceptions import EngineError, NotFound
from backup_app.lib import destinations
from tests.prerequisites import as_root

from ....support.forged_volumes import forge
from ....support.local_backups import back_up, local_client, local_roots
from ....support.machine.swaps import swapping
from ....support.recording_run import Recording
from ....support.restores import begin_restore, restore

pytestmark = pytest.mark.django_db


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "roots"
    folder.mkdir()
    with local_roots(folder):
        yield folder


@pytest.fixture
def backup(place):
    client = local_client(place)
    (place / "tree/a").mkdir()
    (place / "tree/a/victim").write_text("from the backup")
    return back_up(client)


def restore_to(backup, path, destination):
    """Restore to a destination that no verb has looked at."""
    job = begin_restore(backup, path)
    job.request = job.request | destinations.packed(os.fsencode(destination))
    return restore(backup, run=Recording(job))


def test_a_destination_with_dots_is_refused(backup, place, outside):
    with pytest.raises(NotFound, match=r"cannot contain '\.\.'"):
        restore_to(backup, place / "tree", f"{place}/../outside")


@pytest.mark.parametrize("destination", ["{outside}", "/{outside}", "{roots}-of-others/new"])
def test_a_destination_outside_of_the_roots_is_refused(destination, backup, place, outside):
    path = destination.format(outside=outside, roots=place)

    with pytest.raises(EngineError, match="is not below a folder that may be backed up"):
        restore_to(backup, place / "tree", path)


def test_an_original_location_outside_of_the_roots_is_refused(backup, place, outside):
    shutil.rmtree(place / "tree/a")

    with (
        local_roots(outside),
        pytest.raises(EngineError, match=f"'{place}/tree.*' is not below a folder"),
    ):
        restore(backup, place / "tree")

    assert list((place / "tree").iterdir()) == []


def test_a_destination_that_leads_over_a_symlink_is_refused(backup, place, outside):
    (place / "link").symlink_to(outside)

    with pytest.raises(EngineError, match=f"'{place}/link', which is a symlink or not"):
        restore_to(backup, place / "tree", place / "link/new")


def test_a_symlink_on_the_way_below_a_destination_is_not_followed(backup, place, outside):
    first, *_ = (place / "tree").parts[1:]
    (place / "new").mkdir()
    (place / "new" / first).symlink_to(outside)

    with pytest.raises(EngineError, match=f"'/{first}': Its path leads through a symlink"):
        restore(backup, place / "tree", to=place / "new")


def test_a_symlink_in_the_place_of_a_restored_folder_is_replaced(backup, place, outside):
    shutil.rmtree(place / "tree/a")
    (place / "tree/a").symlink_to(outside)

    restore(backup, place / "tree")

    assert not (place / "tree/a").is_symlink()
    assert (place / "tree/a/victim").read_text() == "from the backup"


def test_a_symlink_on_the_way_to_a_restored_file_is_not_followed(backup, place, outside):
    shutil.rmtree(place / "tree/a")
    (place / "tree/a").symlink_to(outside)

    with pytest.raises(EngineError, match=f"'{place}/tree/a': Its path leads through a symlink"):
        restore(backup, place / "tree/a/victim")


def test_symlinks_in_a_backup_come_back_and_are_not_followed(place, outside):
    client = local_client(place)
    (place / "tree/a").symlink_to(outside)
    back_up(client)
    (place / "tree/a").unlink()
    (place / "tree/a").mkdir()
    (place / "tree/a/victim").write_text("a folder now")
    job = back_up(client, "Incremental")
    shutil.rmtree(place / "tree/a")
    (place / "tree/a").symlink_to(outside)

    restore(job, place / "tree")

    assert (place / "tree/a/victim").read_text() == "a folder now"


@as_root
@pytest.mark.parametrize("target", ["{outside}", "../outside", "{up}/outside"])
def test_a_forged_volume_does_not_write_behind_its_symlink(target, place, outside):
    job = back_up(local_client(place))
    tree = str(place / "tree").strip("/")
    link = target.format(outside=outside, up="../" * tree.count("/"))
    members = [
        (tree, tarfile.DIRTYPE, ""),
        (f"{tree}/a", tarfile.SYMTYPE, link),
        (f"{tree}/a/victim", tarfile.REGTYPE, ""),
    ]
    forge(job, members)

    run = restore(job, place / "tree")

    refusal = f"'/{tree}/a/victim': A path above it is not a folder in this backup."
    assert (run.outcome.warnings, ("warning", refusal) in run.lines) == (1, True)
    assert [path.name for path in (place / "tree").iterdir()] == ["a"]
    assert (place / "tree/a").is_symlink()


def test_a_forged_volume_with_dots_in_a_name_is_refused(place, outside):
    job = back_up(local_client(place))
    tree = str(place / "tree").strip("/")
    dots = "../" * (tree.count("/") + 8)
    members = [
        (tree, tarfile.DIRTYPE, ""),
        (f"{tree}/{dots}{str(outside).strip('/')}/victim", tarfile.REGTYPE, ""),
    ]
    forge(job, members)

    with pytest.raises(EngineError, match="could not be unpacked"):
        restore(job, place / "tree")


def test_a_forged_hard_link_to_another_file_of_the_machine_is_refused(place, outside):
    job = back_up(local_client(place))
    tree = str(place / "tree").strip("/")
    members = [
        (tree, tarfile.DIRTYPE, ""),
        (f"{tree}/a", tarfile.LNKTYPE, str(outside / "victim").strip("/")),
    ]
    forge(job, members)

    with pytest.raises(EngineError, match="could not be unpacked"):
        restore(job, place / "tree")

    assert (outside / "victim").stat().st_nlink == 1


def test_a_folder_that_is_swapped_for_a_symlink_meanwhile_does_not_lead_outside(
    backup, place, outside
):
    aside = place / "aside"
    aside.mkdir()
    (aside / "a").symlink_to(outside)

    with swapping(b"a", place / "tree", aside):
        outcomes = {outcome(backup, place / "tree/a/victim") for _ in range(15)}

    assert outcomes <= {"restored", "refused"}


def test_an_owner_of_the_destination_keeps_nothing_of_a_private_folder(backup, place):
    class Renaming(Recording):
        def tick(self, files=None, size=None):
            super().tick(files, size)
            for private in place.glob(".restore-*"):
                private.rename(place / f"kept-{self.ticks}")

    shutil.rmtree(place / "tree/a")

    restore(backup, run=Renaming(begin_restore(backup, place / "tree")))

    assert (place / "tree/a/victim").read_text() == "from the backup"
    [kept] = place.glob("kept-*")
    assert list(kept.iterdir()) == []


def outcome(backup, path):
    try:
        restore(backup, path)
    except EngineError:
        return "refused"
    return "restored"
