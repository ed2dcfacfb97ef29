"""Jobs that Bacula itself starts, on a Director that runs."""

import secrets
import time

import pytest
from django.utils import timezone

from backup_app.engines import get_engine
from backup_app.engines.bacula.adoption import jobs
from backup_app.engines.bacula.catalog import job_history
from backup_app.engines.bacula.catalog.chains import Chains
from backup_app.jobs import control, periodic, retention
from backup_app.models import Client, Job

from ....support.factories import FilesetFactory
from ..support.forged_jobs import execute

pytestmark = pytest.mark.django_db
JOB = """
Job {{
  Name = "{name}"; JobDefs = operator; Type = Backup; Level = Full; Client = one-fd
  RunScript {{
    RunsWhen = Before; RunsOnClient = yes
    Command = "sh -c 'while [ ! -e {gate} ]; do sleep 0.05; done'"
  }}
}}
"""


@pytest.fixture
def gate(tmp_path):
    """A file without which the operator's job waits on its client."""
    gate = tmp_path / "gate"
    gate.touch()
    return gate


@pytest.fixture
def machine(bacula_client):
    machine = bacula_client()
    machine.fileset = FilesetFactory(account=machine.account, engine_name="operator-files")
    machine.save()
    return machine


@pytest.fixture
def job(bacula, gate):
    """The name of a job that the operator has configured for "one-fd"."""
    name = f"job-{secrets.token_hex(4)}"
    file = bacula.operator_d / "job.conf"
    file.write_text(JOB.format(name=name, gate=gate))
    bacula.reload()
    yield name
    gate.touch()
    file.unlink()
    bacula.reload()


def run(bacula, job, level):
    """Let the operator run a job to its end; return its number."""
    (bacula.own / secrets.token_hex(4)).write_text(level)
    bacula.bconsole(f"run job={job} level={level} yes")
    number = newest(job)
    assert bacula.wait(number) == "T"
    return number


def newest(job):
    return execute("SELECT max(jobid) FROM job WHERE name = %s", job)[0][0]


def test_chains_are_those_of_the_director(bacula, job):
    levels = ["Full", "Incremental", "Incremental", "Differential", "Incremental", "Full"]
    numbers = [run(bacula, job, level) for level in [*levels, "Incremental"]]

    engine = get_engine()
    found = {}
    for row in engine.reader().jobs_by_id(numbers).values():
        chains = Chains()
        for each in job_history.up_to(engine.reader(), row):
            found[row.job_id] = [link.job_id for link in chains.add(each)]
    with engine.director() as director:
        assert found == {number: director.chain(number) for number in numbers}
    first, second, third, differential, later, full, last = numbers
    assert found[third] == [first, second, third]
    assert found[later] == [first, differential, later]
    assert found[last] == [full, last]


def followed(pk, statuses=("completed",)):
    """Return a job once the upkeep has seen it end."""
    deadline = time.monotonic() + 60
    while (job := Job.objects.get(pk=pk)).is_open:
        assert time.monotonic() < deadline, vars(job)
        periodic.tick()
        time.sleep(0.1)
    assert job.status in statuses, list(job.log.values_list("message", flat=True))
    return job


def run_slowly(bacula, job, gate):
    """Let the operator begin an incremental backup; return its number here while it runs."""
    gate.unlink()
    bacula.bconsole(f"run job={job} level=Incremental yes")
    running = adopted(newest(job))
    gate.touch()
    return running.pk


def files_of(bacula, job):
    return {file.name for file in get_engine().list_folder(job, bytes(bacula.own)).files}


def adopted(number):
    """Return the job that the upkeep makes of one of Bacula's."""
    deadline = time.monotonic() + 60
    while not (found := Job.objects.filter(engine_job_id=number).first()):
        assert time.monotonic() < deadline
        periodic.tick()
    return found


def test_a_job_of_the_operator_is_seen_running_and_then_done(bacula, machine, job, gate):
    gate.unlink()
    (bacula.own / "file").write_text("content")
    bacula.bconsole(f"run job={job} level=Full yes")
    number = newest(job)

    running = adopted(number)
    assert (running.status, running.client, running.requested_by) == ("running", machine, "bacula")

    gate.touch()
    done = followed(running.pk)
    assert (done.name, done.level, done.fileset) == (job, "Full", machine.fileset)
    assert (done.files > 0, done.bytes > 0) == (True, True)
    assert [each.pk for each in done.sources.all()] == [done.pk]
    assert any("Termination:" in line.message for line in done.log.all())
    assert b"file" in files_of(bacula, done)


def test_a_later_one_builds_on_it(bacula, machine, job):
    full, later = (run(bacula, job, level) for level in ("Full", "Incremental"))

    second = adopted(later)

    first = Job.objects.get(engine_job_id=full)
    assert set(second.sources.all()) == {first, second}
    assert second.parent == first
    assert files_of(bacula, first) < files_of(bacula, second)


def test_one_that_fails_in_bacula_fails_here(bacula, machine, job, gate):
    gate.unlink()
    bacula.bconsole(f"run job={job} level=Full yes")
    running = adopted(newest(job))

    bacula.bconsole(f"cancel jobid={running.engine_job_id} yes")

    assert followed(running.pk, ["canceled"]).engine_job_id == newest(job)
    assert bacula.wait(newest(job)) == "A"


def test_it_can_be_canceled_here(bacula, machine, job, gate):
    gate.unlink()
    bacula.bconsole(f"run job={job} level=Full yes")
    running = adopted(newest(job))

    control.cancel(running, "kim")

    followed(running.pk, ["canceled"])
    assert bacula.wait(newest(job)) == "A"


def test_a_restore_of_the_operator_is_seen(bacula, machine, job):
    number = run(bacula, job, "Full")
    adopted(number)
    restore = f"restore jobid={number} client=one-fd restorejob=operator-restore all done yes"
    bacula.bconsole(restore)
    number = newest("operator-restore")

    done = followed(adopted(number).pk)

    assert (done.type, done.client, done.files > 0) == ("restore", machine, True)


def test_a_client_that_is_purged_stays_in_bacula(bacula, machine, job):
    number = run(bacula, job, "Full")
    adopted(number)
    Client.objects.filter(pk=machine.pk).update(deleted=timezone.now())

    (purged,) = retention.purge(timezone.now())

    assert (purged.problem, Job.objects.count(), Client.objects.count()) == ("", 0, 0)
    assert execute("SELECT jobstatus FROM job WHERE jobid = %s", number) == [("T",)]
    assert "one-fd" in bacula.bconsole(".clients")


def test_one_that_is_old_comes_with_what_builds_on_it(bacula, machine, job, gate, monkeypatch):
    monkeypatch.setattr(jobs, "MAX_JOBS", 1)
    full = run(bacula, job, "Full")
    later = run_slowly(bacula, job, gate)

    done = followed(later)

    assert {each.engine_job_id for each in done.sources.all()} == {full, done.engine_job_id}


def test_an_adopted_job_waits_for_an_unreachable_director(bacula, machine, job, gate, settings):
    gate.unlink()
    bacula.bconsole(f"run job={job} level=Full yes")
    running = adopted(newest(job))
    options = settings.BACKUP_ENGINES["default"]["OPTIONS"]
    port = options["port"]
    options |= {"port": 1, "away_seconds": 0}

    for _ in range(2):
        Job.objects.update(seen=None)
        periodic.tick()
    assert Job.objects.get(pk=running.pk).status == "running"

    options["port"] = port
    gate.touch()
    lines = [line.message for line in followed(running.pk).log.all()]
    assert "The Director can be reached again." in lines
