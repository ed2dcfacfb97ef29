"""Looking through all backups of a client, and through all that one stored."""

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from backup_app.engines import get_engine
from backup_app.engines.bacula.view import presence, view
from backup_app.exceptions import EngineUnreachable, NotFound, WrongState

from ....support.factories import FilesetFactory, JobFactory
from ..support.forged_jobs import GONE, add_many_files, execute, forged_job

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(bacula_client):
    return bacula_client()


def jobs_with(client, path):
    return sorted(get_engine().jobs_with_path(client.jobs.all(), path), key=lambda job: job.pk)


def tree(client, path):
    return [node.path for node in get_engine().client_tree(client, path)]


# --- Which backups have a path ---------------------------------------------------------------


def test_backups_whose_view_has_a_path(forge, client):
    full = forge([b"/top/srv/", b"/top/srv/a", b"/top/srv/b"])
    second = forge({b"/top/srv/a": GONE, b"/top/srv/c": {}}, full)
    third = forge([b"/top/srv/b"], second)
    fourth = forge([b"/top/srv/a"], third)
    JobFactory(client=client, type="restore", level=None, status="completed")

    assert jobs_with(client, b"/top/srv/a") == [full, fourth]
    assert jobs_with(client, b"/top/srv/b") == [full, second, third, fourth]
    assert jobs_with(client, b"/top/srv/c/") == [second, third, fourth]
    for folder in (b"/top/srv", b"/top", b"/"):
        assert jobs_with(client, folder) == [full, second, third, fourth]


@pytest.mark.parametrize("path", [b"/none", b"/none/x", b"/srv/a/x", b"/sr", b"/srv/\xff"])
def test_no_backup_has_an_unknown_path(forge, client, path):
    forge([b"/srv/", b"/srv/a"])

    assert jobs_with(client, path) == []


def test_a_folder_that_went_is_in_no_later_backup(forge, client):
    full = forge([b"/srv/sub/", b"/srv/sub/x"])
    later = forge({b"/srv/sub/": GONE, b"/srv/sub/x": GONE}, full)
    again = forge([b"/srv/sub/"], later)

    assert jobs_with(client, b"/srv/sub") == [full, again]
    assert jobs_with(client, b"/srv/sub/x") == [full]


def test_paths_of_windows_machines_are_found(forge, client):
    windows, unix = forge([b"C:/Users/x"]), forge([b"/C:/Users/y"])

    assert jobs_with(client, b"C:/Users/x") == jobs_with(client, b"/C:/Users/x") == [windows]
    assert jobs_with(client, b"/C:/Users") == [windows, unix]


def test_only_the_jobs_that_were_asked_about_are_found(forge, client):
    one, other = forge([b"/srv/"]), forge([b"/srv/"])
    type(other).objects.filter(pk=other.pk).update(status="failed")

    assert jobs_with(client, b"/srv") == [one]
    found = get_engine().jobs_with_path(client.jobs.exclude(pk=one.pk), b"/srv")
    assert list(found) == []
    assert list(get_engine().jobs_with_path(client.jobs.none(), b"/srv")) == []


def never_looked_into(job):
    execute("UPDATE job SET hascache = 0 WHERE jobid = %s", job.engine_job_id)
    execute("DELETE FROM pathvisibility WHERE jobid = %s", job.engine_job_id)
    return job


def test_folders_above_others_are_found_in_jobs_that_nobody_has_looked_into(forge, client):
    job = never_looked_into(forge([b"/above/srv/x"]))

    assert jobs_with(client, b"/above") == [job]


def test_no_request_waits_for_years_of_jobs_to_be_looked_into(forge, client, monkeypatch):
    monkeypatch.setattr(presence, "MAX_PREPARED", 2)
    jobs = [never_looked_into(forge([b"/above/srv/x"])) for _ in range(5)]

    for left in (3, 1):
        with pytest.raises(EngineUnreachable, match=f"^{left} of Bacula's jobs are not yet"):
            jobs_with(client, b"/above")

    assert jobs_with(client, b"/above") == jobs


def test_many_backups_take_as_many_queries_as_one(forge, client):
    base = forge([b"/top/srv/", b"/top/srv/a"])

    def asked():
        with (
            CaptureQueriesContext(connection) as ours,
            CaptureQueriesContext(connections["bacula"]) as theirs,
        ):
            jobs = jobs_with(client, b"/top")
        return len(ours), len(theirs), len(jobs)

    before = asked()
    for _ in range(3):
        base = forge([b"/top/srv/a"], base)

    assert before[2] == 1
    assert asked() == (*before[:2], 4)


# --- The tree of a client ----------------------------------------------------------------------


def test_the_newest_good_backup_of_each_fileset_counts(forge, client):
    other = FilesetFactory(account=client.account)

    def of_other(job):
        job.fileset = other
        job.save()
        return job

    forge([b"/srv/old/"])
    forge({b"/srv/www/": {}, b"/srv/www/a": {"size": 5}, b"/srv/mail/": {}})
    of_other(forge([b"/srv/gone/"]))
    of_other(forge({b"/srv/db/": {}, b"/srv/www/": {}, b"/srv/www/x/": {}}))
    failed = forge([b"/srv/never/"])
    type(failed).objects.filter(pk=failed.pk).update(status="failed")

    assert tree(client, b"/srv") == [b"/srv/db", b"/srv/mail", b"/srv/www"]
    www = get_engine().client_tree(client, b"/srv")[-1]
    assert (www.files, www.size, www.has_children) == (1, 5, True)
    assert tree(client, b"/srv/mail") == []
    with pytest.raises(NotFound, match="/srv/old"):
        tree(client, b"/srv/old")


def test_the_newest_is_what_bacula_did_last(forge, client):
    forged = [forge([b"/srv/%d/" % number]) for number in range(2)]
    numbers = [job.engine_job_id for job in forged]
    for job, number in zip(forged, (2**31 - 1, *numbers), strict=False):
        type(job).objects.filter(pk=job.pk).update(engine_job_id=number)

    # The first of ours is the last of Bacula's, which has forgotten it.
    with pytest.raises(WrongState):
        tree(client, b"/srv")


def test_a_pruned_backup_does_not_hide_those_of_other_filesets(forge, client):
    pruned = forge([b"/srv/pruned/"])
    kept = forge([b"/srv/kept/"])
    kept.fileset = FilesetFactory(account=client.account)
    kept.save()
    execute("UPDATE job SET purgedfiles = 1 WHERE jobid = %s", pruned.engine_job_id)

    assert tree(client, b"/srv") == [b"/srv/kept"]
    with pytest.raises(WrongState):
        tree(client, b"/srv/pruned")


def test_a_client_without_backups_has_no_tree(client):
    with pytest.raises(NotFound):
        tree(client, b"/")


# --- Files by the ends of their names ------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 2, 1000])
def test_files_are_found_by_the_ends_of_their_names(forge, monkeypatch, batch):
    monkeypatch.setattr(view, "BATCH", batch)
    full = forge([b"/mail/old.pst"])
    job = forge(
        {
            b"/mail/": {}, b"/mail/a.pst": {"size": 5}, b"/mail/B.PsT": {}, b"/mail/pst": {},
            b"/mail/x.pst.bak": {}, b"/mail/dir.pst/": {}, b"/mail/gone.pst": GONE,
            b"/store/c.edb": {}, b"C:/\xff.EDB": {}, b"/mail/link.pst": {"mode": 0o120777},
        },
        full,
    )  # fmt: skip

    found = get_engine().files_ending(job, [b".pst", b".EDB"])

    by_path = {file.path: file for file in found}
    assert set(by_path) == {b"/mail/a.pst", b"/mail/B.PsT", b"/store/c.edb", b"C:/\xff.EDB"}
    file = by_path[b"/mail/a.pst"]
    assert (file.name, file.size) == (b"a.pst", 5)
    listed = {each.name: each for each in get_engine().list_folder(job, b"/mail").files}
    assert listed[b"a.pst"] == file


def test_a_job_that_stored_nothing_has_no_such_files(forge):
    assert list(get_engine().files_ending(forge([]), [b".pst"])) == []
    assert list(get_engine().files_ending(forge([b"/a.pst"]), [])) == []


# --- In a catalog of millions of names -----------------------------------------------------------


def test_every_query_finds_its_rows_by_an_index(forge, client, monkeypatch):
    """Of what is looked for, and not of all of a job of which no statistics tell yet."""
    monkeypatch.setattr(view, "BATCH", 10)  # as few of this catalog as usually of a large one
    paths = [b"/top/srv/", b"/top/srv/a", b"/top/srv/b/", b"C:/x"]
    forge(paths)  # they get the first numbers: from one to another is a part of the catalog
    execute("DELETE FROM file")  # of other tests, whose small jobs would be read whole
    execute("DELETE FROM pathvisibility")
    add_many_files(forged_job())
    execute("ANALYZE")
    engine = get_engine()
    full = forge(paths)
    job = forge([b"/top/srv/c.pst"], full)
    engine.reader().rows("SELECT 1")  # so that the version of the tables is known
    with CaptureQueriesContext(connections["bacula"]) as asked:
        listing = engine.list_folder(job, b"/top/srv")
        engine.list_folder(job, b"/", limit=2)
        engine.subfolders(job, listing.node_id)
        chosen = engine.select_paths(job, [b"/top/srv/a", b"/top/srv/b", b"/C:/x", b"/"])
        engine.select_ids(job, [n for n, _ in chosen.nodes], [f for f, _ in chosen.files])
        assert list(engine.files_ending(job, [b".pst"]))
        jobs_with(client, b"/top")
        jobs_with(client, b"/top/srv/a")
        engine.client_tree(client, b"/top")

    execute("SET enable_seqscan = off")
    try:
        plans = ["\n".join(row[0] for row in execute(f"EXPLAIN {q['sql']}")) for q in asked]
    finally:
        execute("RESET enable_seqscan")

    assert len(plans) > 30
    for slow in ("Seq Scan", "file_jobid_idx", "pathvisibility_jobid"):
        assert [plan for plan in plans if slow in plan] == []
