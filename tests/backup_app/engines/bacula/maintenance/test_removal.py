"""Removing backups, and getting their space back."""

import pytest

from backup_app.engines import get_engine
from backup_app.engines.shared.removal import delete_job
from backup_app.exceptions import EngineError, WrongState
from backup_app.jobs import control, retention
from backup_app.models import Job

from ..support.jobs import back_up, fill_slowly, finish, look, look_until, runs, status_of

pytestmark = pytest.mark.django_db
LABEL = 1000  # bytes, more than a label takes


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "noise").write_bytes(bytes(range(256)) * 1000)
    return tmp_path / "tree"


@pytest.fixture
def sizes(bacula):
    """A function that returns the sizes of the volumes of a client's pool."""

    def measure(client):
        volumes = sorted(bacula.volumes.glob(f"{bacula.prefix}pool-{client.pool_id}-*"))
        return [volume.stat().st_size for volume in volumes]

    return measure


def kept(job):
    """Return a job as it is before it is removed, to be asked for later."""
    return Job.objects.get(pk=job.pk)


def test_a_removed_backup_gives_its_space_back(bacula, bacula_client, tree, sizes):
    client = bacula_client(tree)
    job = back_up(client)
    removed = kept(job)

    get_engine().remove(job)

    assert status_of(bacula, removed) == ""
    assert [size < LABEL for size in sizes(client)] == [True]


def test_its_volume_is_written_again(bacula, bacula_client, tree, sizes):
    client = bacula_client(tree)
    get_engine().remove(back_up(client))

    back_up(client)

    assert [size < LABEL for size in sizes(client)] == [False]


def test_what_others_need_is_not_removed(bacula, bacula_client, tree):
    client = bacula_client(tree)
    full = back_up(client)
    (tree / "new").write_text("new")
    later = back_up(client, "Incremental")

    with pytest.raises(WrongState, match=f"Backup {later.pk} builds on backup {full.pk}"):
        get_engine().remove(full)

    assert status_of(bacula, full) == "T"


@pytest.mark.parametrize("level", ["Incremental", "Differential"])
def test_what_a_running_backup_will_build_on_is_not_removed(bacula, bacula_client, tree, level):
    client = bacula_client(tree)
    full = back_up(client)
    job = look(control.start_backup(client, level=level, by="test"))

    with pytest.raises(WrongState, match=f"Backup {job.pk} builds on backup {full.pk}"):
        get_engine().remove(kept(full))

    assert finish(job).parent == full


def test_space_that_was_kept_is_got_back_by_a_check(bacula, bacula_client, tree, sizes):
    client = bacula_client(tree)
    job = back_up(client)
    bacula.storage.stop()
    with pytest.raises(EngineError, match="could not be truncated yet"):
        get_engine().remove(job)
    bacula.storage.start()

    (problem,) = get_engine().check_storage(client.pool.storage, delete=True)

    assert problem.message == "It took up space although it was purged: it was truncated."
    assert [size < LABEL for size in sizes(client)] == [True]


def test_what_a_good_backup_builds_on_is_not_discarded(bacula, bacula_client, tree):
    client = bacula_client(tree)
    full = back_up(client)
    (tree / "new").write_text("new")
    back_up(client, "Incremental")
    full.status = "canceled"

    get_engine().discard(full)

    assert status_of(bacula, full) == "T"


def test_a_volume_that_holds_other_jobs_stays_as_it_is(bacula, bacula_client, tree):
    client = bacula_client(tree)
    text = f"""
        Pool {{ Name = "{bacula.prefix}shared"; Pool Type = Backup; Maximum Volume Jobs = 9
          Label Format = "{bacula.prefix}shared-" }}
    """
    (bacula.operator_d / f"{bacula.prefix}shared.conf").write_text(text)
    bacula.reload()
    client.pool.engine_name = f"{bacula.prefix}shared"
    client.pool.save()
    first, second = back_up(client), back_up(client)
    (volume,) = bacula.volumes.glob(f"{bacula.prefix}shared-*")
    size, removed = volume.stat().st_size, kept(first)

    get_engine().remove(first)

    assert (status_of(bacula, removed), status_of(bacula, second)) == ("", "T")
    assert volume.stat().st_size == size


def test_what_others_began_stays_in_bacula(bacula, bacula_client, tree):
    job = back_up(bacula_client(tree))
    job.engine_state["adopted"] = True
    removed = kept(job)

    get_engine().remove(job)

    assert not Job.objects.exists()
    assert status_of(bacula, removed) == "T"


def test_what_could_not_be_removed_is_found_later(bacula, bacula_client, tree, sizes):
    client = bacula_client(tree)
    job = back_up(client)
    storage, removed = job.storage, kept(job)
    delete_job(job)  # as ``remove`` does first, whose process is killed then

    (orphan,) = get_engine().check_storage(storage)
    (gone,) = get_engine().check_storage(storage, delete=True)

    number = removed.engine_job_id
    assert orphan.message == f"Job {number} of Bacula: no backup needs it."
    assert gone.message == f"Job {number} of Bacula: no backup needs it: it was removed."
    assert list(get_engine().check_storage(storage)) == []
    assert status_of(bacula, removed) == ""
    assert [size < LABEL for size in sizes(client)] == [True]


def test_space_that_a_storage_kept_is_got_back_with_the_next(bacula, bacula_client, tree, sizes):
    client = bacula_client(tree)
    first, second = back_up(client), back_up(client)
    bacula.storage.stop()
    with pytest.raises(EngineError, match="could not be truncated yet"):
        get_engine().remove(first)
    bacula.storage.start()
    (problem,) = get_engine().check_storage(client.pool.storage)
    assert problem.message == "It takes up space although it is purged."

    get_engine().remove(second)

    assert [size < LABEL for size in sizes(client)] == [True, True]


def test_space_is_got_back_while_drives_are_busy(bacula, bacula_client, tree, sizes):
    client = bacula_client(tree)
    job = back_up(client)
    (tree / "other").mkdir()
    fill_slowly(tree / "other")
    other = bacula_client(tree / "other", machine=bacula.two)
    slow = look_until(look(control.start_backup(other, level="Full", by="test")), runs)

    get_engine().remove(job)

    assert [size < LABEL for size in sizes(client)] == [True]
    control.cancel(slow, "test")
    finish(slow)


def test_backups_that_bacula_has_pruned_are_named(bacula, bacula_client, tree):
    job = back_up(bacula_client(tree))
    bacula.bconsole(f"delete jobid={job.engine_job_id} yes")

    (problem,) = get_engine().check_storage(job.storage)

    assert problem.message == f"Job {job.engine_job_id} of Bacula: Bacula has pruned it."
    assert problem.job_id == job.pk


def test_retention_removes_what_is_too_old(bacula, bacula_client, tree, sizes):
    client = bacula_client(tree)
    old, new = back_up(client), back_up(client)
    Job.objects.filter(pk=old.pk).update(ended=old.ended.replace(year=2000), started=None)

    removed = list(retention.prune([client]))

    assert len(removed) == 1
    assert (status_of(bacula, old), status_of(bacula, new)) == ("", "T")
    assert sorted(size < LABEL for size in sizes(client)) == [False, True]
