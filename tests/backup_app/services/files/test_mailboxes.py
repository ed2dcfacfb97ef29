import datetime as dt
from hashlib import blake2b

import pytest
from django.test import override_settings

from backup_app.models import Entry, Folder, Mailbox
from backup_app.services.files.mailboxes import record

from ...support.factories import ClientFactory, JobFactory

pytestmark = pytest.mark.django_db
DAY = 24 * 3600 * 10**9
MARCH = int(dt.datetime(2027, 3, 1, tzinfo=dt.UTC).timestamp()) * 10**9


def folder(client, path):
    return Folder.objects.get_or_create(
        client=client,
        path_hash=blake2b(path, digest_size=16).digest(),
        defaults={"path": path, "name": path.rpartition(b"/")[2]},
    )[0]


def entry(job, path, **fields):
    parent, _, name = path.rpartition(b"/")
    values = {"kind": "f", "size": 5, "mtime_ns": MARCH} | fields
    place = folder(job.client, parent or b"/")
    return Entry.objects.create(job=job, folder=place, name=name, **values)


@pytest.fixture
def job():
    return JobFactory(status="completed")


def test_a_pst_file_is_noted(job):
    file = entry(job, b"/mail/Ann@Example.org.PST", size=70)

    assert record(job) == 1

    (box,) = Mailbox.objects.all()
    assert (box.client, box.mailbox, box.store_path) == (job.client, "ann@example.org", "")
    assert (box.pst_path, box.pst_file_id) == ("/mail/Ann@Example.org.PST", file.pk)
    assert (box.pst_size, box.pst_mtime) == (70, dt.datetime(2027, 3, 1, tzinfo=dt.UTC))
    assert box.job == job


def test_a_mail_store_is_noted(job):
    entry(job, b"/srv/ann@example.org/mail.edb")

    record(job)

    (box,) = Mailbox.objects.all()
    assert (box.mailbox, box.store_path) == ("ann@example.org", "/srv/ann@example.org/mail.edb")
    assert (box.pst_path, box.pst_file_id, box.pst_mtime) == ("", None, None)


def test_store_and_pst_of_one_address_are_one_mailbox(job):
    entry(job, b"/srv/ann@example.org/mail.edb")
    file = entry(job, b"/ann@example.org.pst")

    assert record(job) == 1

    (box,) = Mailbox.objects.all()
    assert (box.store_path, box.pst_file_id) == ("/srv/ann@example.org/mail.edb", file.pk)


def test_other_files_are_none(job):
    entry(job, b"/mail/ann@example.org.txt")
    entry(job, b"/mail/archive.pst")
    entry(job, b"/pst")
    entry(job, b"/%s@example.org.pst" % (b"a" * 250))
    entry(job, b"/%s/ann@example.org.pst" % (b"a" * 4096))
    entry(job, b"/ann@example.org.pst", kind="-")
    entry(JobFactory(client=job.client), b"/bob@example.org.pst")

    assert record(job) == 0


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_pst_file_that_was_changed_last_counts(job, order):
    paths = b"/old/ann@example.org.pst", b"/new/ann@example.org.pst"
    for number in order:
        entry(job, paths[number], mtime_ns=MARCH + number * DAY)

    record(job)

    assert Mailbox.objects.get().pst_path == "/new/ann@example.org.pst"


def test_the_same_file_in_a_newer_backup_counts(job):
    entry(job, b"/ann@example.org.pst")
    record(job)
    later = JobFactory(status="completed", client=job.client)
    file = entry(later, b"/ann@example.org.pst", mtime_ns=MARCH - DAY)

    record(later)

    (box,) = Mailbox.objects.all()
    assert (box.pst_file_id, box.job) == (file.pk, later)


def test_an_older_file_in_a_newer_backup_does_not_count(job):
    file = entry(job, b"/ann@example.org.pst")
    record(job)
    later = JobFactory(status="completed", client=job.client)
    entry(later, b"/old/ann@example.org.pst", mtime_ns=MARCH - DAY)

    record(later)

    assert Mailbox.objects.get().pst_file_id == file.pk


def test_each_client_has_its_own(job):
    other = JobFactory(status="completed", client=ClientFactory(account=job.account))
    for each in (job, other):
        entry(each, b"/ann@example.org.pst")
        record(each)

    assert {box.client for box in Mailbox.objects.all()} == {job.client, other.client}


def test_it_may_be_repeated(job):
    entry(job, b"/ann@example.org.pst")

    assert (record(job), record(job)) == (1, 1)
    assert Mailbox.objects.count() == 1


def test_the_operator_says_what_a_mailbox_is(job):
    entry(job, b"/mail/ann.pst")

    with override_settings(BACKUP_MAILBOX_PATTERNS=r"/(?P<mailbox>[^/]+)\.pst$"):
        record(job)

    assert Mailbox.objects.get().mailbox == "ann"
