from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from backup_app.exceptions import EngineUnreachable
from backup_app.jobs import retention
from backup_app.models import Client, Folder, Job, JobSource
from backup_app.services import downloads

from ..services.files.test_mailboxes import entry, folder
from ..support.factories import ClientFactory, FilesetFactory, JobFactory, PoolFactory
from ..support.folder_engine import FolderEngine, folder_engine

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def engine():
    with folder_engine():
        yield


@pytest.fixture
def client(db, tmp_path):
    """A client whose pool keeps 30 days and one full backup."""
    client = ClientFactory()
    client.pool.storage.path = str(tmp_path)
    client.pool.storage.save()
    return client


def backup(client, days, *, on=None, **fields):
    """Make a backup that ended days ago, and builds on another one."""
    ended = timezone.now() - days * DAY
    level = "Incremental" if on else "Full"
    values = {"status": "completed", "level": level, "started": ended, "ended": ended}
    job = JobFactory(client=client, **(values | fields))
    sources = [*(on.sources.all() if on else []), job]
    JobSource.objects.bulk_create(JobSource(job=job, source=source) for source in sources)
    return job


def pruned(*clients, **options):
    return [removed.job_id for removed in retention.prune(clients, **options)]


def test_what_is_being_downloaded_stays_with_what_it_builds_on(client):
    full = backup(client, 50)
    wanted = backup(client, 49, on=full)
    unwanted = backup(client, 48, on=full)
    backup(client, 1)
    downloads.hold(wanted)

    assert pruned(client) == [unwanted.pk]

    Job.objects.filter(pk=wanted.pk).update(downloaded=timezone.now() - 1.1 * DAY)
    assert pruned(client) == [wanted.pk, full.pk]


def test_a_download_that_begins_during_a_prune_keeps_its_backup(client):
    first, second = backup(client, 50), backup(client, 49)
    backup(client, 1)
    removals = retention.prune([client])

    assert next(removals).job_id == second.pk
    downloads.hold(first)

    assert list(removals) == []


def left():
    return list(Job.objects.order_by("pk"))


def test_what_is_older_than_the_pool_says_goes_newest_first(client):
    first, second = backup(client, 33), backup(client, 31)
    kept = [backup(client, 29), backup(client, 1)]

    assert pruned(client) == [second.pk, first.pk]
    assert left() == kept


def test_adopted_backups_are_for_the_engine_to_prune(client):
    adopted = [backup(client, days, engine_state={"adopted": True}) for days in (40, 1)]
    failed = backup(client, 39, status="failed", engine_state={"adopted": True})
    own, newer = backup(client, 38), backup(client, 37)

    assert pruned(client) == [own.pk]
    assert left() == [adopted[0], adopted[1], failed, newer]


def test_backups_in_an_adopted_pool_are_for_the_engine_to_prune(client):
    pool = PoolFactory(account=client.account, engine_name="Default")
    kept = [backup(client, days, pool=pool) for days in (40, 1)]
    failed = backup(client, 39, pool=pool, status="failed")

    assert pruned(client) == [failed.pk]
    assert left() == kept


def test_backups_that_an_engine_starts_by_our_schedule_are_pruned(client):
    old, new = (backup(client, days, engine_state={"adopted": False}) for days in (40, 1))

    assert pruned(client) == [old.pk]
    assert left() == [new]


def test_what_a_kept_one_builds_on_stays(client):
    full = backup(client, 40)
    old = backup(client, 39, on=full)
    young = backup(client, 2, on=old)
    new = backup(client, 1)

    assert pruned(client) == []
    assert left() == [full, old, young, new]


def test_a_chain_goes_when_all_of_it_is_old(client):
    full = backup(client, 40)
    chain = [full, backup(client, 39, on=full)]
    chain.append(backup(client, 38, on=chain[1]))
    new = backup(client, 1)

    assert pruned(client) == [job.pk for job in reversed(chain)]
    assert left() == [new]


def test_a_differential_needs_its_full_only(client):
    full = backup(client, 40)
    between = backup(client, 39, on=full)
    differential = backup(client, 20, on=full, level="Differential")
    new = backup(client, 1)

    assert pruned(client) == [between.pk]
    assert left() == [full, differential, new]


def test_the_newest_backup_stays_however_old(client):
    client.pool.keep_full = 1
    full = backup(client, 400)
    newest = backup(client, 399, on=full)

    assert pruned(client) == []
    assert left() == [full, newest]


def test_the_newest_of_each_fileset_stays(client):
    other = FilesetFactory(account=client.account)
    kept = [backup(client, 400), backup(client, 399, fileset=other)]

    assert pruned(client) == []
    assert left() == kept


def test_as_many_full_ones_stay_as_the_pool_says(client):
    client.pool.keep_full = 2
    client.pool.save()
    oldest, older, newest = backup(client, 90), backup(client, 80), backup(client, 70)

    assert pruned(client) == [oldest.pk]
    assert left() == [older, newest]


def test_each_pool_has_its_own_rules(client):
    long = PoolFactory(account=client.account, retention_days=365)
    old, kept = backup(client, 40), backup(client, 40, pool=long)
    new = backup(client, 1)

    assert pruned(client) == [old.pk]
    assert left() == [kept, new]


def test_warnings_are_good_and_failures_are_not(client):
    good = backup(client, 40, status="warnings")
    failed = backup(client, 35, status="failed")

    assert pruned(client) == [failed.pk]
    assert left() == [good]


def test_old_rows_of_other_jobs_go_as_well(client):
    good = backup(client, 1)
    times = {"started": None, "ended": timezone.now() - 40 * DAY}
    old = [
        JobFactory(client=client, type="restore", level=None, status="completed", **times),
        JobFactory(client=client, type="verify", level=None, status="failed", **times),
        JobFactory(client=client, status="canceled", **times),
    ]
    recent = JobFactory(client=client, status="failed", ended=timezone.now())

    assert pruned(client) == [job.pk for job in reversed(old)]
    assert left() == [good, recent]


def test_open_jobs_and_what_they_need_are_left_alone(client):
    full, read, new = backup(client, 60), backup(client, 50), backup(client, 1)
    running = backup(client, 40, on=full, status="running", ended=None)
    restore = JobFactory(client=ClientFactory(), type="restore", level=None, parent=read)

    assert pruned(client) == []
    assert left() == [full, read, new, running, restore]


def test_what_a_failed_job_had_begun_to_build_on_is_not_held(client):
    full, new = backup(client, 40), backup(client, 1)
    failed = backup(client, 2, on=full, status="failed")

    assert pruned(client) == [full.pk]
    assert left() == [new, failed]


def test_what_is_needed_since_then_is_left_alone(client):
    full = backup(client, 40)
    backup(client, 1)
    removals = retention.prune([client])
    JobFactory(type="verify", level=None, parent=full)

    assert list(removals) == []


def test_the_volume_and_the_catalog_go(client, tmp_path):
    old = backup(client, 40)
    backup(client, 1)
    entry(old, b"/a")
    volume = tmp_path / "volumes" / f"job-{old.pk}"
    volume.mkdir(parents=True)

    pruned(client)

    assert not volume.exists()
    assert not old.entries.exists()


def test_a_dry_run_removes_nothing(client):
    old = backup(client, 40)
    backup(client, 1)

    assert pruned(client, dry_run=True) == [old.pk]
    assert len(left()) == 2


def test_one_that_cannot_be_removed_keeps_what_it_builds_on(client):
    full = backup(client, 40)
    stuck = backup(client, 39, on=full, engine="gone")
    backup(client, 1)

    (removed,) = retention.prune([client])

    assert removed.problem == (
        f"Job {stuck.pk} could not be removed: BACKUP_ENGINES['gone'] is missing 'gone'."
    )
    assert full in left()


def test_it_says_what_it_removed(client):
    old = backup(client, 40, stored_bytes=70)
    backup(client, 1)

    assert list(retention.prune([client])) == [
        retention.Removed(old.pk, client.name, "backup", "Full", "completed", old.ended, 70)
    ]


class TestPurge:
    @pytest.fixture
    def deleted(self, client):
        client.deleted = timezone.now() - 31 * DAY
        client.save()
        job = backup(client, 40, stored_bytes=5)
        backup(client, 39, on=job, stored_bytes=2)
        entry(job, b"/srv/a")
        folder(client, b"/srv/deep")
        return client

    def purge(self, **options):
        return list(retention.purge(timezone.now() - 30 * DAY, **options))

    def test_nothing_is_left_of_a_client_deleted_long_ago(self, deleted):
        assert self.purge() == [retention.Purged(deleted.name, deleted.deleted, 2, 7)]
        assert not Client.objects.exists()
        assert not Folder.objects.exists()
        assert not Job.objects.exists()

    def test_a_dry_run_removes_nothing(self, deleted):
        assert self.purge(dry_run=True) == [retention.Purged(deleted.name, deleted.deleted, 2, 7)]
        assert Job.objects.count() == 2

    def test_others_stay(self, client):
        ClientFactory(deleted=timezone.now() - 29 * DAY)

        assert self.purge() == []
        assert Client.objects.count() == 2

    def test_one_with_an_open_job_stays(self, deleted):
        job = JobFactory(client=deleted, type="restore", level=None)

        (purged,) = self.purge()

        assert purged.problem == (
            f"Job {job.pk} of the deleted client '{deleted}' is still queued."
        )
        assert Job.objects.count() == 3

    def test_one_whose_backup_is_being_restored_elsewhere_stays(self, deleted):
        read = deleted.jobs.first()
        JobFactory(type="restore", level=None, parent=read)

        (purged,) = self.purge()

        assert purged.problem == (f"Job {read.pk} of the deleted client '{deleted}' is being read.")
        assert Job.objects.count() == 3

    def test_one_whose_backup_cannot_be_removed_stays(self, deleted):
        stuck = backup(deleted, 38, engine="gone")

        (purged,) = self.purge()

        assert purged.problem == (
            f"Job {stuck.pk} could not be removed: BACKUP_ENGINES['gone'] is missing 'gone'."
        )
        assert Client.objects.get() == deleted

    def test_a_client_that_its_engine_cannot_remove_stays(self, deleted, monkeypatch):
        def away(self, client):
            raise EngineUnreachable("Nobody answers.")

        monkeypatch.setattr(FolderEngine, "forget_client", away)

        (purged,) = self.purge()

        assert purged.problem == (
            f"The engine could not remove its data of client '{deleted}': Nobody answers."
        )
        assert Client.objects.get() == deleted


JOBS = st.lists(
    st.tuples(
        st.integers(0, 400),  # days
        st.sampled_from(["Full", "Differential", "Incremental"]),
        st.sampled_from(["completed", "warnings", "failed", "canceled"]),
    ),
    max_size=15,
)


class AnyHistory(TestCase):
    @settings(max_examples=30)
    @given(jobs=JOBS, keep_full=st.integers(1, 3))
    def test_what_is_left_can_be_restored(self, jobs, keep_full):
        client = ClientFactory(pool__keep_full=keep_full)
        for days, level, status in sorted(jobs, reverse=True):
            good = client.jobs.good()
            base = good.filter(level="Full").first() if level == "Differential" else good.first()
            on = None if level == "Full" else base
            backup(client, days, on=on, level=level if on else "Full", status=status)
        newest = client.jobs.good().first()
        needed = {job.pk: set(job.sources.values_list("pk", flat=True)) for job in left()}

        pruned(client)

        remaining = {job.pk for job in left()}
        assert newest is None or newest.pk in remaining
        assert all(needed[job.pk] <= remaining for job in client.jobs.good())
        assert pruned(client) == []
