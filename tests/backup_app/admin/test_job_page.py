"""The panel above the record of a job: its state, its log as it grows, its chain, its buttons."""

import io
import tarfile
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from backup_app.models import Job, JobSource
from backup_app.services.reports import job_report

from ..support.estate import backup
from ..support.factories import ClientFactory, JobFactory
from ..support.local_backups import back_up, local_client, local_roots

pytestmark = pytest.mark.django_db
BUTTONS = ["cancel_now", "verify_now", "download"]


def url(name, job):
    return reverse(f"admin:backup_app_job_{name}", args=[job.pk])


def page(client, job):
    return client.get(url("change", job))


def press(client, name, job):
    response = client.post(url(name, job), follow=True)
    return [str(message) for message in response.context["messages"]]


@pytest.fixture
def running():
    started = timezone.now() - timedelta(seconds=100)
    numbers = {"bytes_done": 4000, "bytes_expected": 10000, "files_done": 7}
    return JobFactory(status="running", started=started, **numbers)


def test_a_running_job_tells_how_far_it_is_and_how_long_it_takes(client, staff, running):
    progress = job_report.progress_of(running)

    assert (progress.percent, progress.done, progress.files) == (40, 4000, 7)
    assert 39 < progress.speed <= 40
    assert timedelta(seconds=149) < progress.remaining < timedelta(seconds=155)
    part = client.get(url("live", running))
    assert "0:02:3" in part.content.decode()
    assert "X-Live" not in part.headers


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"status": "running"},
        {"status": "running", "bytes_done": 5},
        {"status": "completed", "bytes": 5},
        {"status": "failed", "message": "It is broken."},
    ],
)
def test_a_job_that_knows_little_is_shown(client, staff, fields):
    started = timezone.now() if "status" in fields else None
    job = JobFactory(**fields, started=started)

    progress = job_report.progress_of(job)

    assert progress.remaining is None
    assert page(client, job).status_code == 200


def test_a_job_that_has_ended_is_not_asked_for_again(client, staff):
    job = JobFactory(status="completed")

    assert client.get(url("live", job))["X-Live"] == "final"
    assert client.get(url("log_lines", job))["X-Live"] == "final"
    assert "Verify" in client.get(url("buttons", job)).content.decode()
    shown = page(client, job).content.decode()
    assert "data-live" not in shown
    assert "data-log" not in shown


def test_a_log_grows_by_the_lines_after_the_last(client, staff, running):
    first, second = (running.log.create(message=f"Line <{n}>") for n in (1, 2))

    answer = client.get(url("log_lines", running), {"after": first.pk})

    assert "Line &lt;2&gt;" in answer.content.decode()
    assert "Line &lt;1&gt;" not in answer.content.decode()
    assert answer["X-Last"] == str(second.pk)
    again = client.get(url("log_lines", running), {"after": second.pk})
    assert (again.content.strip(), again["X-Last"]) == (b"", str(second.pk))


@pytest.mark.parametrize("after", ["x", "-1", "", "9" * 18, "9" * 30, "²"])
def test_a_place_in_the_log_that_is_none_shows_no_error(client, staff, running, after):
    assert client.get(url("log_lines", running), {"after": after}).status_code == 200


def test_a_chain_is_shown_both_ways(client, staff):
    machine = ClientFactory()
    full, change = (backup(machine, hours_ago=hours) for hours in (9, 5))
    JobSource.objects.create(job=change, source=full)
    verify = JobFactory(client=machine, type="verify", level=None, parent=full)

    chains = [page(client, job).context["chain"] for job in (full, change, verify)]

    assert [chain.before for chain in chains] == [[], [full], [full]]
    assert [chain.after for chain in chains] == [[change, verify], [], []]


def test_it_takes_as_many_queries_for_a_long_chain_as_for_a_short_one(client, staff):
    machine = ClientFactory()
    full = backup(machine, hours_ago=9)
    counts = []
    for number in (1, 2):
        for _ in range(number):
            JobFactory(client=machine, type="verify", level=None, parent=full)
        page(client, full)
        with CaptureQueriesContext(connection) as queries:
            page(client, full)
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_a_queued_job_is_canceled(client, staff):
    job = JobFactory()

    assert press(client, "cancel_now", job) == [f"Job {job.pk} is canceled."]
    assert press(client, "cancel_now", job) == [f"Job {job.pk} has ended: it is canceled."]


def test_a_backup_is_verified_and_nothing_else_is(client, staff):
    good = backup(ClientFactory(), hours_ago=1)
    failed = JobFactory(status="failed")

    said = press(client, "verify_now", good)

    assert said == [f"Verification {Job.objects.get(type='verify').pk} started."]
    assert press(client, "verify_now", failed) == [
        f"Job {failed.pk} (backup, failed) has no content."
    ]
    assert press(client, "download", failed) == [
        f"Job {failed.pk} (backup, failed) has no content."
    ]


def test_a_backup_is_downloaded_as_one_tar(client, staff, tmp_path, settings):
    settings.BACKUP_CHUNK_BYTES = 1000
    with local_roots(tmp_path):
        machine = local_client(tmp_path, name="web1")
        (tmp_path / "tree/letter.txt").write_text("Dear Ada" * 500)
        job = back_up(machine)

        answer = client.post(url("download", job))
        content = b"".join(answer)

    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        names = [name for name in tar.getnames() if name.endswith("letter.txt")]
        assert tar.extractfile(names[0]).read() == b"Dear Ada" * 500
    assert int(answer["Content-Length"]) == len(content) > 4000
    assert answer["Content-Disposition"] == f'attachment; filename="web1-job-{job.pk}.tar"'


@pytest.mark.parametrize("name", BUTTONS)
def test_buttons_need_a_post(client, staff, name):
    assert client.get(url(name, JobFactory())).status_code == 405


@pytest.mark.parametrize("name", BUTTONS)
def test_who_may_only_look_can_press_nothing(client, name):
    user = User.objects.create_user("auditor@example.org", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_job"))
    client.force_login(user)
    job = JobFactory(client__account=user)

    assert client.post(url(name, job)).status_code == 403
    shown = page(client, job).content.decode()
    assert "Cancel" not in shown
    assert client.get(url("live", job)).status_code == 200


@pytest.mark.parametrize("name", ["live", "buttons", "log_lines", *BUTTONS])
def test_jobs_of_other_accounts_are_not_there(client, name):
    user = User.objects.create_user("operator@example.org", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__endswith="_job"))
    client.force_login(user)

    assert client.post(url(name, JobFactory())).status_code == 404
