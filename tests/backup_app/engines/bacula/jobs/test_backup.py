"""Backups that Bacula makes."""

import re

import pytest

from backup_app.engines import get_engine
from backup_app.exceptions import Unfinished
from backup_app.jobs import control, execute
from backup_app.jobs.adoption.watch import adopt_from
from backup_app.models import Job
from tests.support.waiting import wait_for

from ....support.recording_run import Recording
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


def jobs_in(bacula):
    """Return the JobIds and comments of what the test has started."""
    ours = f"starts_with(comment, '{bacula.prefix}')"
    query = f"SELECT jobid, comment FROM job WHERE {ours} ORDER BY jobid"  # noqa: S608
    return bacula.query(query)


def test_the_job_has_no_worker_while_bacula_runs_it(bacula, bacula_client, tree):
    job = look(start(bacula_client(tree)))

    assert (job.status, job.worker) == ("running", "")
    assert jobs_in(bacula) == [[str(job.engine_job_id), f"{bacula.prefix}job {job.pk}"]]
    assert finish(job).status == "completed"


def test_it_has_the_numbers_and_words_of_bacula(bacula, bacula_client, tree):
    job = back_up(bacula_client(tree))

    assert (job.files, job.bytes, job.errors) == (2, 8, 0)
    assert job.stored_bytes > 0
    assert any("Termination:            Backup OK" in line for line in log_of(job))


def test_its_times_and_those_of_its_log_are_bacula_s(bacula, bacula_client, tree):
    job = back_up(bacula_client(tree))

    reader = get_engine(job.engine).reader()
    row = reader.job(job.engine_job_id)
    assert (job.started, job.ended) == (row.started, row.ended)
    logged = {line.time for line in reader.log_after(job.engine_job_id)}
    _, *copied, last = job.log.values_list("time", flat=True)
    assert {*copied} == logged
    assert last == row.ended


def test_no_line_of_its_log_is_there_twice(bacula, bacula_client, tree):
    lines = log_of(back_up(bacula_client(tree)))

    assert len(lines) == len({*lines}) > 5


def test_a_folder_that_is_not_there_is_a_warning(bacula, bacula_client, tree):
    job = back_up(bacula_client(tree, tree / "none"), status="warnings")

    assert job.errors == 1
    (line,) = [line for line in log_of(job) if line.startswith("warning")]
    assert f'Could not stat "{tree}/none"' in line


def test_its_level_is_what_bacula_made_of_it(bacula, bacula_client, tree):
    job = back_up(bacula_client(tree), "Incremental")

    assert (job.level, job.parent) == ("Full", None)
    assert any(re.search("No prior .*Full backup .*found", line) for line in log_of(job))


def test_each_builds_on_those_before(bacula, bacula_client, tree):
    client = bacula_client(tree)
    made = [back_up(client)]
    for number in range(2):
        (tree / f"new{number}").write_text("new")
        made.append(back_up(client, "Incremental"))

    sources = list(made[-1].sources.order_by("pk"))
    assert sources == made
    assert [job.parent for job in made] == [None, *made[:-1]]


def test_it_tells_how_far_it_is_by_the_size_of_the_one_before(bacula, bacula_client, tree):
    client = bacula_client(tree)
    before = back_up(client)
    fill_slowly(tree)

    job = look(look(start(client)))
    assert (job.bytes_expected, job.percent_done) == (before.bytes, 0)
    job = look_until(job, runs)
    assert (job.bytes_expected, job.percent_done) == (before.bytes, 99)

    control.cancel(job, "test")
    assert finish(job).status == "canceled"


def test_a_job_whose_number_was_lost_is_found_again(bacula, bacula_client, tree):
    job = look(start(bacula_client(tree)))
    number = job.engine_job_id
    Job.objects.filter(pk=job.pk).update(engine_job_id=None)

    job = finish(Job.objects.get(pk=job.pk))

    assert (job.status, job.engine_job_id) == ("completed", number)
    assert len(jobs_in(bacula)) == 1


def test_a_job_of_the_same_number_in_an_older_database_is_another(bacula, bacula_client, tree):
    client = bacula_client(tree)
    job = start(client)
    old = back_up_as_another(job)

    job = finish(job)

    assert job.status == "completed"
    assert job.engine_job_id > old


def back_up_as_another(job):
    """Make a backup with a job's comment, as a project did whose database is no more."""
    pk = job.pk
    other = Job.objects.get(pk=pk)
    execute.states.begin(pk, "another")
    with pytest.raises(Unfinished):
        get_engine().backup(Recording(other))
    number = other.engine_job_id
    wait_for(lambda: get_engine().reader().job(number).status == "T")
    Job.objects.filter(pk=pk).update(
        status="queued", worker="", engine_job_id=None, engine_state={}
    )
    return number


def test_machines_are_backed_up_at_once(bacula, bacula_client, tree):
    fill_slowly(tree)
    slow = look_until(look(start(bacula_client(tree))), runs)
    other = bacula_client(bacula.folder / "work", machine=bacula.two)

    assert finish(start(other)).status in ("completed", "warnings")

    assert look(slow).status == "running"
    control.cancel(slow, "test")
    assert finish(slow).status == "canceled"


def test_one_that_others_started_is_followed_and_left_to_them(bacula, bacula_client, own):
    bacula_client()
    fill_slowly(own)
    bacula.bconsole("run job=operator-backup level=Full yes")

    def adopted():
        adopt_from(get_engine())
        return Job.objects.filter(status="running")

    (job,) = wait_for(adopted)
    job = look_until(job, runs)

    bacula.bconsole(f"cancel jobid={job.engine_job_id} yes")

    assert finish(job).status == "canceled"
    assert status_of(bacula, job) == "A"


def test_what_it_builds_on_comes_back_where_it_was_lost_here(bacula, bacula_client, tree):
    client = bacula_client(tree)
    number = back_up(client).engine_job_id
    Job.objects.all().delete()
    (tree / "new").write_text("new")

    job = back_up(client, "Incremental")

    numbers = [source.engine_job_id for source in job.sources.order_by("engine_job_id")]
    assert numbers == [number, job.engine_job_id]
