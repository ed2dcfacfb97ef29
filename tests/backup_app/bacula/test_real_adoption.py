"""Jobs that Bacula itself starts, on a Director that runs."""

import secrets

import pytest

from backup_app.engines import get_engine
from backup_app.engines.bacula import history
from backup_app.engines.bacula.chains import Chains

from .forged import execute

pytestmark = pytest.mark.django_db
JOB = """
Job {{ Name = "{name}"; JobDefs = operator; Type = Backup; Level = Full; Client = one-fd }}
"""


@pytest.fixture
def job(bacula):
    """The name of a job that the operator has configured for "one-fd"."""
    name = f"job-{secrets.token_hex(4)}"
    file = bacula.operator_d / "job.conf"
    file.write_text(JOB.format(name=name))
    bacula.reload()
    yield name
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
        for each in history.up_to(engine.reader(), row):
            found[row.job_id] = [link.job_id for link in chains.add(each)]
    with engine.director() as director:
        assert found == {number: director.chain(number) for number in numbers}
    first, second, third, differential, later, full, last = numbers
    assert found[third] == [first, second, third]
    assert found[later] == [first, differential, later]
    assert found[last] == [full, last]
