"""``manage.py restore --plan``, and what happens to files that are there already."""

import os

import pytest

from backup_app.models import Job

from ..support.commands import command
from ..support.local_backups import back_up, local_client, local_roots, volume_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def backup(tmp_path):
    """A backup of two files, of which one was changed and one deleted since."""
    with local_roots(tmp_path):
        client = local_client(tmp_path, name="db1")
        (tmp_path / "tree/kept").write_text("first")
        (tmp_path / "tree/lost").write_text("second")
        job = back_up(client)
        (tmp_path / "tree/kept").write_text("changed since")
        os.utime(tmp_path / "tree/kept", ns=(4 * 10**18, 4 * 10**18))
        (tmp_path / "tree/lost").unlink()
        yield job


def test_a_plan_tells_what_is_there_and_starts_nothing(backup, tmp_path):
    ran = command("restore", backup.pk, tmp_path / "tree", "--plan", "--existing=keep-newer")

    lines = ran.out.splitlines()
    assert lines[0] == "1 entry to restore, 6 bytes."
    assert "Restored: 1 entry, 6 bytes, where nothing is yet" in lines
    assert "Left: 1 entry, 5 bytes, where a newer version is" in lines
    assert f"  stays (newer): {tmp_path}/tree/kept" in lines
    assert ran.error is None
    assert not Job.objects.filter(type="restore").exists()


def test_a_plan_is_read_by_programs(backup, tmp_path):
    words = "restore", backup.pk, tmp_path / "tree", f"--to={tmp_path}/to"

    found = command(*words, "--plan", "--format=json").data

    assert found["placed"]["new"]["entries"] == found["entries"] == 3
    assert (found["left"], found["paths"], found["faults"]) == ({}, [], [])
    assert found["free"] > 0
    assert [volume["job_id"] for volume in found["volumes"]] == [backup.pk]
    assert not (tmp_path / "to").exists()


def test_a_plan_that_cannot_be_done_fails(backup, tmp_path):
    volume_of(backup).unlink()

    ran = command("restore", backup.pk, tmp_path / "tree", "--plan")

    assert f"of backup {backup.pk} cannot be read: No such file or directory." in ran.err
    assert ran.error == "1 problem, shown above."


def test_the_choice_is_kept_with_the_job(backup, tmp_path):
    command("restore", backup.pk, tmp_path / "tree", "--existing=keep")

    assert Job.objects.get(type="restore").request["existing"] == "keep"


def test_an_unknown_choice_is_refused(backup, tmp_path):
    ran = command("restore", backup.pk, tmp_path / "tree", "--existing=maybe")

    assert "--existing" in ran.error
    assert "maybe" in ran.error
