"""What the Director is asked to do, it does."""

import re
import shutil
import threading

import psycopg
import pytest

from backup_app.engines import get_engine
from backup_app.engines.bacula.director import director as of_director
from backup_app.engines.bacula.director.director import CatalogSelection
from backup_app.exceptions import EngineError, EngineUnreachable
from tests.support.waiting import wait_for

from ..support.forged_jobs import execute
from ..support.installation import SERVER
from ..support.operator import at_work, backed_up, file_ids, restore_to

NOTE_FOLDER = """
INSERT INTO pathhierarchy (pathid, ppathid)
SELECT own.pathid, above.pathid FROM path own, path above WHERE own.path = %s AND above.path = %s
"""
WAITING = """
SELECT 1 FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT%'
"""

# --- What there is --------------------------------------------------------------------------------


def test_it_tells_its_version(director):
    assert re.match(r"(9\.6|15)\.", director.version())


def test_it_lists_what_is_configured(director):
    director.reload()  # without what other tests had configured

    found = {kind: director.names(kind) for kind in ("client", "job", "fileset", "pool", "storage")}

    assert found == {
        "client": {"one-fd", "two-fd"},
        "job": {"operator-backup", "operator-restore"},
        "fileset": {"operator-files"},
        "pool": {"Default"},
        "storage": {"File1"},
    }


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("client", "one-fd"),
        ("job", "operator-backup"),
        ("fileset", "operator-files"),
        ("pool", "Default"),
        ("storage", "File1"),
    ],
)
def test_what_is_configured_is_there_under_just_this_name(director, kind, name):
    director.require(kind, name)

    for other in ("nosuch", name.upper(), name[:-1], f"{name} "):
        with pytest.raises(EngineError, match=f"has no {kind} '{other}'"):
            director.require(kind, other)


@pytest.mark.parametrize("kind", ["client", "job", "pool", "storage"])
def test_an_invalid_name_is_not_sent_to_the_director(director, kind):
    with pytest.raises(EngineError, match="not a valid name in Bacula"):
        director.require(kind, 'one-fd" level="Full')


def test_it_tells_what_is_configured_of_a_client(bacula, director):
    found = director.defaults("client", "one-fd")

    assert found["address"] == "127.0.0.1"
    assert found["fdport"] == str(bacula.one.port)


def test_it_tells_nothing_of_an_unknown_client(director):
    with pytest.raises(EngineError, match="has no client 'nosuch'"):
        director.defaults("client", "nosuch")


# --- Jobs -----------------------------------------------------------------------------------------


def test_a_job_runs_as_it_is_told(bacula, director, own):
    job_id = director.run(
        "operator-backup",
        client="two-fd",
        level="Full",
        fileset="operator-files",
        pool="Default",
        storage="File1",
        comment="t-job 7",
    )

    assert bacula.wait(job_id) == "T"
    row = director.catalog.job(job_id)
    assert (row.client, row.level, row.comment, row.files) == ("two-fd", "F", "t-job 7", 3)


def test_an_invalid_level_is_refused(director):
    with pytest.raises(EngineError, match='Level "Bogus" not valid'):
        director.run("operator-backup", client="one-fd", level="Bogus", comment="test")


def test_a_running_job_tells_its_progress_and_is_canceled(bacula, director, own):
    with (own / "big").open("wb") as file:
        file.truncate(4_000_000_000)  # more than it gets to

    job_id = director.run("operator-backup", client="one-fd", level="Full", comment="test")
    try:
        # What it read before, it may still be at.
        wait_for(lambda: getattr(at_work(director, job_id), "path", b"") == bytes(own / "big"))
    finally:
        assert director.cancel(job_id)

    # A busy file daemon may list the job for a while after its end.
    assert bacula.wait(job_id) == "A"


def test_canceling_what_does_not_run_does_nothing(director):
    assert not director.cancel(999_999)


def test_a_job_is_deleted(bacula, director, own):
    job_id = backed_up(bacula, director)

    director.delete_job(job_id)
    director.delete_job(job_id)

    assert director.catalog.job(job_id) is None


# --- Restoring ------------------------------------------------------------------------------------


def test_files_are_restored_to_another_client(bacula, director, own, tmp_path):
    job_id = backed_up(bacula, director)
    wanted = CatalogSelection([job_id], files=file_ids(job_id, "second"))

    restore = restore_to(director, tmp_path / "there is room", wanted, client="two-fd")

    assert bacula.wait(restore) == "T"
    restored = tmp_path / "there is room" / str(own).lstrip("/")
    assert [path.name for path in restored.iterdir()] == ["second"]
    assert (restored / "second").read_text() == "content of the second"
    assert director.catalog.job(restore).client == "two-fd"


def test_a_folder_is_restored_with_all_that_is_in_it(bacula, director, own, tmp_path):
    job_id = backed_up(bacula, director)
    director.update_cache([job_id])
    query = f"SELECT pathid FROM path WHERE path = '{own}/'"  # noqa: S608
    folder = int(bacula.query(query)[0][0])

    restore = restore_to(director, tmp_path, CatalogSelection([job_id], folders=[folder]))

    assert bacula.wait(restore) == "T"
    restored = tmp_path / str(own).lstrip("/")
    assert sorted(path.name for path in restored.iterdir()) == ["first", "second"]


def test_no_table_of_wanted_files_stays(bacula, director, own, tmp_path):
    job_id = backed_up(bacula, director)

    director.bootstrap(CatalogSelection([job_id], files=file_ids(job_id, "first")))

    assert bacula.query("SELECT tablename FROM pg_tables WHERE tablename LIKE 'b2%'") == []


def test_a_bootstrap_tells_where_a_file_is(bacula, director, own):
    job_id = backed_up(bacula, director)

    text = director.bootstrap(CatalogSelection([job_id], files=file_ids(job_id, "first")))

    found = dict(line.split("=", 1) for line in text.splitlines())
    query = "SELECT volumename FROM media JOIN jobmedia USING (mediaid) WHERE jobid = %s"
    ((volume,),) = execute(query, job_id)
    assert found["Volume"] == f'"{volume}"'
    assert found["Count"] == "1"


def test_ten_thousand_files_are_wanted_at_once(bacula, director, own):
    job_id = backed_up(bacula, director)
    (first,) = file_ids(job_id, "first")

    text = director.bootstrap(
        CatalogSelection([job_id], files=[first, *range(10**9, 10**9 + 10_000)])
    )

    assert "Count=1\n" in text


def test_folders_that_another_console_notes_just_now_are_no_fault(bacula, director, own):
    """Bacula notes each new folder once, and refuses whoever comes second with all of theirs."""
    (own / "new").mkdir()
    (own / "new" / "file").write_text("content")
    job_id = backed_up(bacula, director)
    with psycopg.connect(**SERVER, dbname=bacula.database) as other:
        other.execute(NOTE_FOLDER, [f"{own}/new/", f"{own}/"])
        thread = threading.Thread(target=director.update_cache, args=[[job_id]])
        thread.start()
        wait_for(lambda: bacula.query(WAITING))
        other.commit()
        thread.join()
    shutil.rmtree(own / "new")

    assert bacula.query(f"SELECT hascache FROM job WHERE jobid = {job_id}") == [["1"]]  # noqa: S608


def test_a_chain_is_a_full_backup_and_what_is_based_on_it(bacula, director, own):
    full = backed_up(bacula, director)
    (own / "first").write_text("changed")
    incremental = backed_up(bacula, director, "Incremental")

    assert director.chain(full) == [full]
    assert director.chain(incremental) == [full, incremental]


def test_a_chain_of_an_unknown_job_is_refused(director):
    with pytest.raises(EngineError, match="No Job found for JobId 999999"):
        director.chain(999_999)


# --- Clients --------------------------------------------------------------------------------------


def test_a_client_tells_what_it_is(director):
    found = director.client_header("two-fd")

    assert found["name"] == "two-fd"
    assert re.match(r"(9\.6|15\.0)\.\d+ ", found["version"])


def test_a_client_that_hangs_takes_no_longer_than_an_answer_may(bacula, director):
    director.console.seconds = 1

    with (
        bacula.two.daemon.stopped(),
        pytest.raises(EngineUnreachable, match="did not answer the Director within 1 seconds"),
    ):
        director.client_header("two-fd")

    assert re.match(r"(9\.6|15)\.", director.version())


def test_a_client_that_did_not_answer_is_not_asked_again_at_once(bacula, director, monkeypatch):
    monkeypatch.setattr(of_director, "STATUS_TIMEOUT", 0.5)

    with bacula.two.daemon.stopped():
        assert director.running("two-fd") == {}
        monkeypatch.setattr(director, "_status", None)  # with which it would be asked again
        assert director.running("two-fd") == {}


def test_a_client_that_answers_again_is_asked_again(bacula, director, own, monkeypatch):
    monkeypatch.setattr(of_director, "STATUS_TIMEOUT", 0.5)
    monkeypatch.setattr(of_director, "SILENCE", 0.01)
    with bacula.one.daemon.stopped():
        assert director.running("one-fd") == {}
    with (own / "big").open("wb") as file:
        file.truncate(4_000_000_000)

    job_id = director.run("operator-backup", client="one-fd", level="Full", comment="test")
    try:
        assert wait_for(lambda: at_work(director, job_id))
    finally:
        director.cancel(job_id)
        bacula.wait(job_id)


def test_a_client_is_deleted_once_it_is_out_of_the_configuration(bacula, director, own):
    config = bacula.operator_d / "third.conf"
    text = (bacula.operator_d / "one-fd.conf").read_text()
    config.write_text(text.replace("Name = one-fd", "Name = third-fd"))
    director.reload()
    job_id = director.run("operator-backup", client="third-fd", level="Full", comment="test")
    bacula.wait(job_id)
    with pytest.raises(EngineError, match="still defined in the configuration"):
        director.delete_client("third-fd")

    config.unlink()
    director.reload()
    director.delete_client("third-fd")

    assert "third-fd" not in director.catalog.unames()
    assert director.catalog.job(job_id) is None


# --- The configuration ----------------------------------------------------------------------------


def test_a_reload_takes_what_is_new(bacula, director):
    config = bacula.operator_d / "pool.conf"
    config.write_text("Pool { Name = New; Pool Type = Backup; Maximum Volumes = 3 }\n")
    director.reload()
    config.write_text("Pool { Name = New; Pool Type = Backup; Maximum Volumes = 5 }\n")
    director.reload()

    director.update_pool("New")

    assert bacula.query("SELECT maxvols FROM pool WHERE name = 'New'") == [["5"]]
    config.unlink()
    director.reload()


def test_an_unknown_pool_is_not_updated(director):
    with pytest.raises(EngineError, match="has no pool 'nosuch'"):
        director.update_pool("nosuch")


# --- A Director that comes and goes ---------------------------------------------------------------


def test_it_is_asked_again_over_a_new_connection(bacula, director):
    assert re.match(r"(9\.6|15)\.", director.version())
    bacula.director.kill()
    try:
        with pytest.raises(EngineUnreachable, match="dropped the connection"):
            director.version()
        with pytest.raises(EngineUnreachable, match="cannot be reached"):
            director.version()
    finally:
        bacula.director.start()

    assert re.match(r"(9\.6|15)\.", director.version())


def test_a_director_that_is_not_used_is_not_connected_to(bacula):
    bacula.director.kill()
    try:
        with get_engine().director():
            pass
    finally:
        bacula.director.start()
