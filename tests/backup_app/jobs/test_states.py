from datetime import timedelta

import pytest
from django.utils import timezone

from backup_app.jobs import states
from backup_app.models import Job
from tests.support.concurrency import call_together

from ..support.factories import JobFactory

ALL = Job.Status.values
STEPS = {
    "begin": (lambda pk: states.begin(pk, "me"), {"queued": "running"}),
    "keep_alive": (lambda pk: states.keep_alive(pk, "me", files_done=1), {"running": "running"}),
    "complete": (lambda pk: states.finish(pk, "me", "completed"), {"running": "completed"}),
    "warn": (lambda pk: states.finish(pk, "me", "warnings"), {"running": "warnings"}),
    "fail": (
        lambda pk: states.give_up(pk, "me", "failed"),
        {"running": "failed", "canceling": "failed"},
    ),
    "end canceled": (
        lambda pk: states.give_up(pk, "me", "canceled"),
        {"running": "canceled", "canceling": "canceled"},
    ),
    "cancel queued": (lambda pk: states.cancel_queued(pk, "Canceled."), {"queued": "canceled"}),
    "request cancel": (states.request_cancel, {"running": "canceling"}),
}


@pytest.mark.django_db
@pytest.mark.parametrize("status", ALL)
@pytest.mark.parametrize("step", STEPS)
def test_each_step_is_taken_from_its_own_states_only(step, status):
    take, steps = STEPS[step]
    job = JobFactory(status=status, worker="me", started=timezone.now())

    taken = take(job.pk)

    assert taken == (status in steps)
    assert Job.objects.get().status == steps.get(status, status)


@pytest.mark.django_db
@pytest.mark.parametrize("step", ["keep_alive", "complete", "warn", "fail", "end canceled"])
def test_another_workers_job_is_not_touched(step):
    job = JobFactory(status="running", worker="another", started=timezone.now())

    assert not STEPS[step][0](job.pk)
    assert Job.objects.get().status == "running"


@pytest.mark.django_db
def test_a_clock_that_is_behind_ends_a_job_when_it_began():
    later = timezone.now() + timedelta(hours=1)
    job = JobFactory(status="running", worker="me", started=later)

    states.finish(job.pk, "me", "completed")

    assert Job.objects.get().ended == later


@pytest.mark.django_db
def test_a_job_is_taken_over_once():
    job = JobFactory(status="running", worker="dead", seen=timezone.now())

    assert states.take_over(job, "me")
    assert not states.take_over(job, "another")
    assert Job.objects.get().worker == "me"


@pytest.mark.django_db(transaction=True)
class TestTwoWorkersAtOnce:
    def test_one_begins_a_job(self):
        job = JobFactory()

        begun = call_together(lambda number: states.begin(job.pk, "me"), 4)

        assert sorted(begun) == [False, False, False, True]

    def test_one_job_of_a_client_begins(self):
        first = JobFactory()
        others = [JobFactory(client=first.client, type="restore", level=None) for _ in range(3)]

        jobs = [first, *others]
        results = call_together(lambda number: states.begin(jobs[number].pk, "me"), 4)

        assert results.count(True) == 1
        assert sum(isinstance(result, states.ClientBusy) for result in results) == 3

    def test_a_job_ends_or_is_canceled(self):
        job = JobFactory(status="running", worker="me", started=timezone.now())

        ends = [
            lambda: states.finish(job.pk, "me", "completed"),
            lambda: states.request_cancel(job.pk),
        ]
        done, canceled = call_together(lambda number: ends[number](), 2)

        assert (done, canceled) in [(True, False), (False, True)]
        assert Job.objects.get().status == ("completed" if done else "canceling")

    def test_one_takes_over_from_a_dead_one(self):
        JobFactory(status="running", worker="dead", seen=timezone.now())
        job = Job.objects.get()

        taken = call_together(lambda number: states.take_over(job, f"worker {number}"), 4)

        assert sorted(taken) == [False, False, False, True]
