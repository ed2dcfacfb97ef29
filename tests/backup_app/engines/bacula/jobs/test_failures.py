"""What jobs come to when a part of Bacula fails."""

import re

import pytest

from backup_app.engines import get_engine
from backup_app.exceptions import EngineUnreachable
from backup_app.jobs import control, execute
from backup_app.models import Job
from tests.support.waiting import wait_for

from ....support.recording_run import Recording
from ..support import release
from ..support.jobs import (
    back_up,
    fill_slowly,
    finish,
    log_of,
    look,
    look_until,
    runs,
    start,
    status_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def change_options(bacula, settings):
    def change(**options):
        settings.BACKUP_ENGINES["default"]["OPTIONS"] = bacula.options(**options)

    return change


def test_an_unreachable_client_fails_the_backup(bacula, bacula_client, tree):
    bacula.one.daemon.stop()

    job = finish(start(bacula_client(tree)))

    assert job.status == "failed"
    assert job.message.startswith("Unable to connect to Client: one-fd on 127.0.0.1:")
    assert "Connection refused" in job.message
    assert status_of(bacula, job) == ""


def test_a_client_with_another_password_fails_the_backup(bacula, bacula_client, tree):
    config = bacula.operator_d / "one-fd.conf"
    kept = config.read_text()
    config.write_text(kept.replace(bacula.one.password, "another"))
    bacula.reload()
    try:
        job = finish(start(bacula_client(tree)))
    finally:
        config.write_text(kept)
        bacula.reload()

    assert job.status == "failed"
    # Since Bacula 11 the password is the key of TLS.
    assert re.match("Unable to authenticate with File daemon|TLS .* Check the pass", job.message)


def test_an_unreachable_storage_daemon_fails_the_backup(bacula, bacula_client, tree):
    bacula.storage.stop()

    job = finish(start(bacula_client(tree)))

    assert job.status == "failed"
    assert re.match("Unable to connect to Storage [Dd]aemon", job.message)


def test_a_client_killed_during_a_backup_fails_it(bacula, bacula_client, tree):
    fill_slowly(tree)
    job = look_until(look(start(bacula_client(tree))), runs)

    bacula.one.daemon.kill()

    job = finish(job)
    assert job.status == "failed"
    # Director and storage daemon both notice it; the job ends with what came first.
    assert re.search("Network error (with FD during Backup|reading from FD)", job.message)


def test_a_director_that_dies_fails_the_backup_when_it_is_back(bacula, bacula_client, tree):
    fill_slowly(tree)
    job = look_until(look(start(bacula_client(tree))), runs)

    bacula.director.kill()
    job = look(look(job))
    bacula.director.start()

    assert job.status == "running"
    job = finish(job)
    assert job.status == "failed"
    assert f"Bacula ended its job {job.engine_job_id} with the status 'f'" in job.message
    waits = [line for line in log_of(job) if "waits for up to 15 seconds" in line]
    assert len(waits) == 1
    assert "info: The Director can be reached again." in log_of(job)


def test_a_backup_is_begun_when_the_director_is_back(bacula, bacula_client, tree):
    bacula.director.stop()
    job = look(start(bacula_client(tree)))

    bacula.director.start()

    assert (job.status, job.engine_job_id) == ("running", None)
    job = finish(job)
    assert job.status == "completed", log_of(job)


def test_waiting_for_the_director_has_a_limit(bacula, bacula_client, tree, change_options):
    change_options(away_seconds=0.1)
    client = bacula_client(tree)
    bacula.director.stop()

    job = finish(start(client))

    assert job.status == "failed"
    assert "Connection refused" in job.message


def test_a_backup_made_by_an_unreachable_director_is_removed_later(
    bacula, bacula_client, tree, change_options
):
    client = bacula_client(tree)
    job = look(start(client))
    wait_for(lambda: status_of(bacula, job) == "T")
    bacula.director.stop()
    change_options(away_seconds=0)

    job = finish(job)

    assert (job.status, status_of(bacula, job)) == ("failed", "T")
    bacula.director.start()
    later = back_up(client, "Incremental")
    assert (later.level, status_of(bacula, job)) == ("Full", "")


def test_a_director_that_lost_its_catalog_fails_the_backup(bacula, bacula_client, tree):
    fill_slowly(tree)
    job = look_until(look(start(bacula_client(tree))), runs)
    bacula.bconsole(f"cancel jobid={job.engine_job_id} yes")
    wait_for(lambda: status_of(bacula, job) == "A")
    bacula.bconsole(f"delete jobid={job.engine_job_id} yes")

    job = finish(job)

    assert job.status == "failed"
    assert job.message == f"Bacula no longer knows its job {job.engine_job_id}."


def test_a_job_that_somebody_cancels_in_bacula_is_canceled(bacula, bacula_client, tree):
    fill_slowly(tree)
    job = look_until(look(start(bacula_client(tree))), runs)

    bacula.bconsole(f"cancel jobid={job.engine_job_id} yes")

    job = finish(job)
    assert (job.status, status_of(bacula, job)) == ("canceled", "")


def test_a_canceled_job_ends_in_bacula_too_and_leaves_no_space_taken(bacula, bacula_client, tree):
    fill_slowly(tree)
    client = bacula_client(tree)
    job = look_until(look(start(client)), runs)

    control.cancel(job, "test")
    wait_for(lambda: status_of(bacula, job) == "A", 20)

    job = finish(job)
    assert (job.status, status_of(bacula, job)) == ("canceled", "")
    volumes = bacula.volumes.glob(f"{bacula.prefix}pool-{client.pool_id}-*")
    if release.VERSION != "15":  # which does that when it uses the volume again
        assert [volume.stat().st_size < 1000 for volume in volumes] == [True]


def test_a_job_is_followed_by_whoever_looks_after_the_service_was_killed(
    bacula, bacula_client, tree
):
    job = start(bacula_client(tree))
    execute.states.begin(job.pk, "gone:1:1")
    job.refresh_from_db()
    with pytest.raises(execute.Unfinished):
        get_engine().backup(Recording(Job.objects.get(pk=job.pk)))
    execute.states.leave_to_engine(job.pk, "gone:1:1")

    assert finish(Job.objects.get(pk=job.pk)).status == "completed"


def test_a_failed_discard_does_not_hide_why_a_job_failed(bacula, bacula_client, tree):
    job = look(start(bacula_client(tree)))
    wait_for(lambda: status_of(bacula, job) == "T")
    bacula.director.stop()

    get_engine().discard(job)

    assert job.engine_state["left"]
    with pytest.raises(EngineUnreachable), get_engine().director() as director:
        director.version()


def test_leftovers_are_removed_once_the_director_is_reachable_again(bacula, bacula_client, tree):
    job = look(start(bacula_client(tree)))
    wait_for(lambda: status_of(bacula, job) == "T")
    bacula.director.stop()
    get_engine().discard(job)
    execute.states.give_up(job.pk, job.worker, "failed")
    with pytest.raises(EngineUnreachable):
        get_engine().discard_left()
    bacula.director.start()

    get_engine().discard_left()

    job.refresh_from_db()
    assert (status_of(bacula, job), job.engine_state["left"]) == ("", False)
