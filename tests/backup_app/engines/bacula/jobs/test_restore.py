"""Restores that Bacula makes."""

import os

import pytest

from backup_app.engines import get_engine
from backup_app.engines.bacula.jobs import restore as restoring
from backup_app.engines.values import Selection
from backup_app.exceptions import Forbidden, Invalid
from backup_app.jobs import control
from backup_app.models import Job
from tests.support.waiting import wait_for

from ....support.factories import ClientFactory
from ..support import release
from ..support.jobs import back_up, finish, log_of, look, look_until

pytestmark = pytest.mark.django_db


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "tree" / "docs").mkdir(parents=True)
    (tmp_path / "tree" / "docs" / "letter").write_text("Dear all")
    return tmp_path / "tree"


@pytest.fixture
def to(tmp_path):
    (tmp_path / "to").mkdir()
    return tmp_path / "to"


def start(backup, *chosen, to, client=None, **how):
    selection = get_engine().select_paths(backup, [os.fsencode(path) for path in chosen])
    client, how["path"] = client or backup.client, os.fsencode(to)
    return control.start_restore(backup, client, selection, **how, by="test")


def restore(backup, *chosen, to, client=None, status="completed", **how):
    job = finish(start(backup, *chosen, to=to, client=client, **how))
    assert (job.status, log_of(job)) == (status, log_of(job))
    return job


def below(folder):
    """Return the paths of all files below a folder, as they were before."""
    return sorted(str(path)[len(str(folder)) :] for path in folder.rglob("*") if path.is_file())


def volumes_of(bacula, job):
    return bacula.volumes.glob(f"{bacula.prefix}pool-{job.pool_id}-*")


def test_it_counts_what_bacula_has_written(bacula, bacula_client, tree, to):
    job = restore(back_up(bacula_client(tree)), tree, to=to)

    assert (job.files, job.bytes, job.errors) == (3, 8, 0)
    assert below(to) == [f"{tree}/docs/letter"]


def test_what_is_there_is_replaced_or_kept_as_chosen(bacula, bacula_client, tree, to):
    content = {"missing": None, "older": 1_700_000_000, "same": 1_700_000_100, "newer": 2**31 - 1}
    for name in content:
        (tree / name).write_text("backup")
        os.utime(tree / name, (1_700_000_100, 1_700_000_100))
    backup = back_up(bacula_client(tree))
    found, jobs = {}, {}

    for existing in ("overwrite", "keep-newer", "keep"):
        place = to / existing / f"{tree}"[1:]
        place.mkdir(parents=True)
        for name, changed in content.items():
            if changed:
                (place / name).write_text("there")
                os.utime(place / name, (changed, changed))
        names = [tree / name for name in content]
        jobs[existing] = restore(backup, *names, to=to / existing, existing=existing)
        found[existing] = [name for name in content if (place / name).read_text() == "backup"]

    assert found == {
        "overwrite": ["missing", "older", "same", "newer"],
        "keep-newer": ["missing", "older"],
        "keep": ["missing"],
    }
    for existing, job in jobs.items():
        assert (job.bytes, job.bytes_expected) == (6 * len(found[existing]), 24)
        assert job.message.startswith("Bacula does not tell which") == (existing != "overwrite")
    assert jobs["overwrite"].report["placed"] == {"unknown": {"entries": 4, "bytes": 24}}


def test_another_client_gets_it(bacula, bacula_client, tree, to):
    backup = back_up(bacula_client(tree))
    other = bacula_client(machine=bacula.two, pool=backup.pool, ip="127.0.0.2")

    job = restore(backup, tree, to=to, client=other)

    assert get_engine().reader().job(job.engine_job_id).client == "two-fd"
    assert below(to) == [f"{tree}/docs/letter"]


def test_names_that_look_alike_are_not_restored_too(bacula, bacula_client, tree, to):
    for name in ("a_b", "axb", "a%b", "a\\b", "ab"):
        (tree / name).mkdir()
        (tree / name / "file").write_text(name)
    backup = back_up(bacula_client(tree))

    restore(backup, tree / "a_b", tree / "a%b", tree / "a\\b", to=to)

    assert below(to) == [f"{tree}/a%b/file", f"{tree}/a\\b/file", f"{tree}/a_b/file"]


def test_places_and_names_may_have_blanks_and_other_letters(bacula, bacula_client, tree, to):
    (tree / "a 'naïve' name").write_text("text")
    place = to / "ein schöner Ort's"

    restore(back_up(bacula_client(tree)), tree / "a 'naïve' name", to=place)

    assert below(place) == [f"{tree}/a 'naïve' name"]


@pytest.mark.parametrize("chosen", ["docs", "docs/link", "large"])
def test_a_hard_link_brings_what_it_leads_to(bacula, bacula_client, tree, to, chosen):
    (tree / "large").write_text("content")
    os.link(tree / "large", tree / "docs" / "link")
    backup = back_up(bacula_client(tree))

    job = restore(backup, tree / chosen, to=to)

    found = [to / f"{tree}/{name}"[1:] for name in ("large", "docs/link")]
    wanted = to / f"{tree}/{chosen}"[1:]
    wanted = wanted / "link" if wanted.is_dir() else wanted
    assert wanted.read_text() == "content"
    is_told = any("Hard links lead to 1 file outside" in line for line in log_of(job))
    both = all(path.exists() for path in found)
    # Bacula 15 adds what a link leads to by itself.
    assert is_told == (both and release.VERSION != "15")


def test_what_is_unknown_begins_nothing(bacula, bacula_client, tree, to):
    backup = back_up(bacula_client(tree))
    unknown = Selection(files=[(2**40, b"/none")])
    job = control.start_restore(backup, backup.client, unknown, path=os.fsencode(to), by="test")

    job = finish(job)

    assert (job.status, job.engine_job_id) == ("failed", None)
    assert job.message == f"Backup {backup.pk} has no file with ID {2**40}."


@pytest.mark.parametrize("place", ['/a"b', "/a\nb", "/a\\b", "/a\x7fb"])
def test_a_place_that_cannot_be_told_to_bacula_is_refused(bacula, bacula_client, place):
    client = bacula_client()

    with pytest.raises(Invalid) as refused:
        get_engine().require_destination(client, os.fsencode(place))

    assert list(refused.value.fields) == ["path"]


def test_no_place_loads_a_database(bacula, bacula_client):
    with pytest.raises(Forbidden):
        get_engine().require_destination(bacula_client(), b"/dev/null/load-database/shop")


@pytest.mark.parametrize(
    ("system", "path", "place"),
    [
        ("windows", b"/C:/restored files", "C:/restored files"),
        ("windows", b"/", "/"),
        ("unix", b"/srv", "/srv"),
    ],
)
def test_a_place_is_told_as_the_system_has_it(system, path, place):
    assert restoring.where(ClientFactory.build(system=system), path) == place


def test_a_lost_volume_is_told_before_anything_is_begun(bacula, bacula_client, tree, to):
    backup = back_up(bacula_client(tree))
    for volume in volumes_of(bacula, backup):
        volume.unlink()

    job = restore(backup, tree, to=to, status="failed")

    assert job.engine_job_id is None
    assert job.message.startswith("The volumes cannot be read: Too many errors trying to mount")


def test_bacula_does_not_wait_for_a_lost_volume_without_end(
    bacula, bacula_client, tree, to, settings
):
    options = bacula.options(storage_config="", away_seconds=1)
    settings.BACKUP_ENGINES["default"]["OPTIONS"] = options
    backup = back_up(bacula_client(tree))
    for volume in volumes_of(bacula, backup):
        volume.unlink()

    job = restore(backup, tree, to=to, status="failed")

    assert job.message.startswith("No volume was mounted for 1 seconds: Please mount read")
    wait_for(lambda: get_engine().reader().job(job.engine_job_id).status == "A")


def test_a_canceled_restore_ends_in_bacula_too(bacula, bacula_client, tree, to, settings):
    settings.BACKUP_ENGINES["default"]["OPTIONS"] = bacula.options(storage_config="")
    backup = back_up(bacula_client(tree))
    for volume in volumes_of(bacula, backup):
        volume.unlink()
    job = look_until(look(start(backup, tree, to=to)), lambda job: "mount" in job.engine_state)

    control.cancel(job, "test")

    job = finish(job)
    assert job.status == "canceled"
    assert get_engine().reader().job(job.engine_job_id).status == "A"


def test_what_bacula_could_not_write_is_a_failure(bacula, bacula_client, tree, to):
    backup = back_up(bacula_client(tree))
    (to / "taken").write_text("a file")

    job = restore(backup, tree, to=to / "taken", status="failed")

    assert job.message == f"{to}/taken exists but is not a directory."
    assert Job.objects.filter(pk=job.pk, errors__gt=0).exists()
