"""What a restore by Bacula would do, told before anything is begun."""

import os
import shutil

import pytest

from backup_app.engines import get_engine
from backup_app.exceptions import TooLarge
from backup_app.jobs import control
from backup_app.models import Job

from ....support.commands import command
from ....support.factories import ClientFactory
from ..support import release
from ..support.jobs import back_up

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(bacula_client, tree):
    return bacula_client(tree)


@pytest.fixture
def backups(client, tree):
    """A full backup of three files, one with two names, and an incremental one with another."""
    (tree / "large").write_bytes(bytes(50_000))
    os.link(tree / "large", tree / "twin")
    full = back_up(client)
    (tree / "later").write_text("later")
    return full, back_up(client, "Incremental")


def plan(backup, *paths, to="/", client=None, existing="overwrite"):
    words = [backup.pk, *paths, "--to", to, "--existing", existing, "--plan", "--format", "json"]
    return command("restore", *words, *(["--client", client.name] if client else []))


def numbers(bacula):
    return bacula.query("SELECT count(*), max(jobid) FROM job")


def test_it_tells_what_is_brought_from_where_to_where(bacula, backups, tree, tmp_path):
    full, later = backups
    before = numbers(bacula)

    ran = plan(later, tree, to=tmp_path / "new", existing="keep")

    found = ran.data
    assert (ran.error, found["faults"], found["paths"], found["left"]) == (None, [], [], {})
    # The folder, three files, and the other name of the large one.
    assert found["placed"] == {"unknown": {"entries": 5, "bytes": 50_013}}
    assert abs(found["free"] - shutil.disk_usage(tmp_path).free) < 10**9
    volumes = {each["job_id"]: each for each in found["volumes"]}
    assert volumes.keys() == {full.pk, later.pk}
    for each in volumes.values():
        assert (bacula.volumes / each["path"]).stat().st_size == each["size"]
        assert each["state"] == f"{each['path']}, used, there"
    assert found["notes"] == [
        "Bacula cannot tell beforehand what is at the destination: files that are there are kept."
    ]
    assert numbers(bacula) == before
    assert not Job.objects.filter(type="restore").exists()


def test_it_tells_what_comes_with_the_selection(backups, tree):
    # Only one of the two names has the content: that which Bacula has read first.
    plans = [plan(backups[0], tree / name).data for name in ("large", "twin")]
    first, second = sorted(plans, key=lambda found: found["entries"])

    assert first["placed"] == {"unknown": {"entries": 1, "bytes": 50_000}}
    assert second["placed"] == {"unknown": {"entries": 2, "bytes": 50_000}}
    note = "Hard links lead to 1 file outside of the selection: restored as well."
    is_ours = not release.VERSION  # Bacula 15 itself selects what a link leads to
    assert [note in found["notes"] for found in (first, second)] == [False, is_ours]


def test_a_lost_volume_is_a_fault(bacula, backups, tree):
    (volume,) = [each["path"] for each in plan(backups[0], tree).data["volumes"]]
    (bacula.volumes / volume).unlink()

    ran = plan(backups[0], tree)

    assert ran.data["faults"] == [f"The volume '{volume}' is not in '{bacula.volumes}'."]
    assert ran.error


def test_a_client_that_is_elsewhere_has_unknown_space_and_one_that_is_silent_no_plan(
    bacula, bacula_client, backups, client, tree, settings
):
    new = ClientFactory(account=client.account, zone=client.zone, ip="192.0.2.7", name="new")
    settings.BACKUP_ENGINES["default"]["OPTIONS"] = bacula.options(answer_seconds=2)
    other = bacula_client(machine=bacula.two, pool=client.pool, ip="127.0.0.2", name="other")
    bacula.two.daemon.stop()

    found = plan(backups[0], tree, client=new).data

    assert found["free"] is None
    assert f"The Director does not have client '{bacula.prefix}client-{new.pk}' yet" in str(found)
    assert (
        "Client 'two-fd' did not answer the Director" in plan(backups[0], tree, client=other).error
    )


def test_a_plan_that_takes_too_long_is_given_up(backups, client, tree):
    chosen = get_engine().select_paths(backups[0], [bytes(tree)])

    with pytest.raises(TooLarge):
        control.plan_restore(backups[0], client, chosen, seconds=1e-9)
