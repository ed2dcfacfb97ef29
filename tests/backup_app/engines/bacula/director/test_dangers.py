"""What Bacula does without a word where it is told something wrong is not done, or is noticed.

One class for each danger that was seen on a Director. That bpipe ignores where a dump is to be
restored to is in ``test_bpipe.py``.
"""

import re

import pytest

from backup_app.engines.bacula.config import resources
from backup_app.engines.bacula.director.director import CatalogSelection
from backup_app.exceptions import EngineError
from backup_app.models import Client
from tests.support.waiting import wait_for

from ..support.forged_jobs import execute
from ..support.operator import at_work, backed_up, file_ids, log_of, restore_to


def jobs(bacula):
    return [int(row[0]) for row in bacula.query("SELECT jobid FROM job ORDER BY jobid")]


@pytest.fixture
def trusting(director):
    """A Director whose names are not looked up first, as one that is reloaded in between."""
    director.require = lambda kind, name: None
    return director


class TestUnknownNames:
    """Bacula takes another client, fileset, pool or storage, and starts the job."""

    WORDS = {
        "client": "one-fd",
        "fileset": "operator-files",
        "pool": "Default",
        "storage": "File1",
        "comment": "test",
    }

    @pytest.mark.parametrize("kind", ["job", "client", "fileset", "pool", "storage"])
    def test_an_unknown_name_starts_nothing(self, bacula, director, kind):
        before = jobs(bacula)
        words = {"job": "operator-backup", **self.WORDS, kind: "nosuch"}

        with pytest.raises(EngineError, match=f"has no {kind} 'nosuch'"):
            director.run(words.pop("job"), **words)

        assert jobs(bacula) == before

    @pytest.mark.parametrize("kind", ["client", "fileset", "pool", "storage"])
    def test_what_bacula_starts_instead_is_canceled(self, bacula, trusting, own, kind):
        bacula.reload()  # it chooses for itself where there is one only: those of tests are gone
        before = jobs(bacula)

        with pytest.raises(EngineError, match=r"not understand|selected a resource by itself"):
            trusting.run("operator-backup", **self.WORDS | {kind: "nosuch"})

        (started,) = [job_id for job_id in jobs(bacula) if job_id not in before]
        assert bacula.wait(started) == "A"

    @pytest.mark.parametrize("kind", ["job", "source", "client"])
    def test_an_unknown_name_restores_nothing(self, bacula, director, own, tmp_path, kind):
        job_id = backed_up(bacula, director)
        words = {"job": "operator-restore", "source": "one-fd", "client": "one-fd"}

        with pytest.raises(EngineError, match=r"has no (job|client) 'nosuch'"):
            director.restore(
                CatalogSelection([job_id], files=file_ids(job_id, "first")),
                **words | {kind: "nosuch"},
                where=str(tmp_path),
                comment="test",
            )

        assert jobs(bacula)[-1] == job_id

    def test_a_restore_to_another_client_than_meant_is_canceled(
        self, bacula, trusting, own, tmp_path
    ):
        job_id = backed_up(bacula, trusting)

        with pytest.raises(EngineError, match="did not understand"):
            trusting.restore(
                CatalogSelection([job_id], files=file_ids(job_id, "first")),
                job="operator-restore",
                source="one-fd",
                client="nosuch",
                where=str(tmp_path / "place"),
                comment="test",
            )

        assert [bacula.wait(later) for later in jobs(bacula) if later > job_id] in ([], ["A"])
        assert not (tmp_path / "place").exists()

    def test_an_unknown_client_is_not_asked(self, director):
        with pytest.raises(EngineError, match="has no client 'nosuch'"):
            director.client_header("nosuch")

    def test_an_unknown_client_deletes_no_other(self, director):
        # There are two clients that the operator has; of only one Bacula would take that.
        before = director.catalog.unames()

        director.delete_client("nosuch")

        assert director.catalog.unames() == before


class TestDeletedJobs:
    """Bacula says "deleted" of a job that never was, and deletes one that runs."""

    def test_a_job_that_runs_is_not_deleted(self, bacula, director, own):
        job_id = director.run("operator-backup", client="one-fd", comment="test")

        with pytest.raises(EngineError, match="cannot be deleted while it runs"):
            director.delete_job(job_id)

        assert bacula.wait(job_id) == "T"

    def test_a_job_that_never_was_is_nothing_to_delete(self, bacula, director, own):
        kept = backed_up(bacula, director)

        director.delete_job(999_999)

        assert jobs(bacula)[-1] == kept


class TestReload:
    """Bacula keeps its old configuration without a word where the new one is wrong."""

    def test_a_configuration_that_is_not_taken_is_an_error(self, bacula, director):
        config = bacula.operator_d / "wrong.conf"
        config.write_text("Pool { Name = Added; Pool Type = Backup }\nClient { Name = lost }\n")
        try:
            with pytest.raises(EngineError, match="did not accept its new configuration"):
                director.reload()
            assert "Added" not in director.names("pool")
        finally:
            config.unlink()
            director.reload()

    def test_two_reloads_in_a_second_are_both_seen(self, director):
        # The Director tells the time of the last one in seconds.
        director.reload()
        director.reload()


class TestListing:
    """Bacula lists all jobs where it is asked for one."""

    def test_one_job_is_asked_for(self, bacula, director, own):
        first, second = backed_up(bacula, director), backed_up(bacula, director)

        assert director.catalog.job(first).job_id == first
        assert list(director.catalog.jobs_by_id([second])) == [second]
        assert director.catalog.job(999_999) is None


class TestSeveralFiles:
    """Bacula restores only the first of several files and folders that a command names."""

    def test_all_files_and_folders_come_back(self, bacula, director, own, tmp_path):
        (own / "folder").mkdir()
        (own / "folder" / "third").write_text("content of the third")
        try:
            job_id = backed_up(bacula, director)
        finally:
            (own / "folder" / "third").unlink()
            (own / "folder").rmdir()
        director.update_cache([job_id])
        path = f"SELECT pathid FROM path WHERE path = '{own}/folder/'"  # noqa: S608

        restore = restore_to(
            director,
            tmp_path,
            CatalogSelection(
                [job_id],
                files=file_ids(job_id, "first", "second"),
                folders=[int(bacula.query(path)[0][0])],
            ),
        )

        assert bacula.wait(restore) == "T"
        restored = tmp_path / str(own).lstrip("/")
        files = [str(each.relative_to(restored)) for each in restored.rglob("*") if each.is_file()]
        assert sorted(files) == ["first", "folder/third", "second"]


class TestLongVolumes:
    """A volume is longer than the catalog says after a job on it was canceled."""

    def test_a_backup_after_a_canceled_one_can_be_restored(self, bacula, director, own, tmp_path):
        config = bacula.operator_d / "shared.conf"
        config.write_text("Pool { Name = Shared; Pool Type = Backup; Label Format = Shared- }\n")
        director.reload()
        words = {"client": "one-fd", "pool": "Shared", "comment": "test", "level": "Full"}
        with (own / "big").open("wb") as file:
            file.truncate(4_000_000_000)  # more than it gets to
        canceled = director.run("operator-backup", **words)
        wait_for(lambda: at_work(director, canceled))
        director.cancel(canceled)
        assert bacula.wait(canceled) == "A"
        (own / "big").unlink()

        job_id = director.run("operator-backup", **words)

        assert bacula.wait(job_id) == "T"
        # The catalog does not always tell on what a canceled job has written.
        query = "SELECT volbytes FROM media JOIN pool USING (poolid) WHERE pool.name = 'Shared'"
        ((size,),) = execute(query)
        assert size > 0
        restore = restore_to(
            director, tmp_path, CatalogSelection([job_id], files=file_ids(job_id, "second"))
        )
        assert bacula.wait(restore) == "T"
        restored = tmp_path / str(own / "second").lstrip("/")
        assert restored.read_text() == "content of the second"
        config.unlink()
        director.reload()


class TestIncompleteJobs:
    """Bacula runs a job again half an hour after its client was lost."""

    OURS = "Reschedule Incomplete Jobs = no"

    @pytest.mark.parametrize(("line", "waiting"), [(OURS, 0), ("Allow Duplicate Jobs = no", 1)])
    def test_only_without_our_word_a_lost_job_is_run_again(
        self, bacula, director, own, line, waiting
    ):
        uses = {"client": "one-fd", "fileset": "operator-files", "pool": "Default"}
        text = resources.backup_job("made", Client(), **uses, storage="File1", messages="Standard")
        config = bacula.operator_d / "made.conf"
        config.write_text(text.replace(self.OURS, line))
        director.reload()
        for number in range(400):
            with (own / str(number)).open("wb") as file:
                file.truncate(10_000_000)
        job_id = director.run("made", client="one-fd", level="Full", comment="test")
        # What has stored few files is never run again.
        wait_for(lambda: (progress := at_work(director, job_id)) and progress.files > 40)

        bacula.one.daemon.kill()

        assert bacula.wait(job_id) == "fI"[waiting]
        bacula.one.daemon.start()
        assert re.search("Network error (with|reading from) FD", log_of(bacula, job_id))
        again = wait_for(lambda: self.answered(director))
        assert again.count("name=made\n") == waiting
        director.cancel(job_id)
        config.unlink()
        director.reload()

    def answered(self, director):
        """Return what the Director runs once the lost job is not among it any more."""
        said = "".join(director.ask(".status dir running"))
        return said if "status=R" not in said else ""


class TestSmuggledCommands:
    """A line break or a quotation mark in a value begins another command or another word."""

    TEXTS = ['x" client=two-fd yes', "x\nreload", "x\rreload", "x\0", "x\\", "\ud800"]

    @pytest.mark.parametrize("text", TEXTS)
    @pytest.mark.parametrize("word", ["client", "level", "fileset", "pool", "storage", "comment"])
    def test_no_value_of_a_backup_is_more_than_a_value(self, bacula, director, word, text):
        before = jobs(bacula)
        words = {"client": "one-fd", "comment": "test"}

        with pytest.raises(EngineError, match=r"cannot|not a valid name"):
            director.run("operator-backup", **words | {word: text})

        assert jobs(bacula) == before

    @pytest.mark.parametrize("text", TEXTS)
    def test_no_place_of_a_restore_is_more_than_a_place(self, bacula, director, text):
        before = jobs(bacula)

        with pytest.raises(EngineError, match="cannot"):
            restore_to(director, f"/nonexistent/{text}", CatalogSelection([1], files=[1]))

        assert jobs(bacula) == before

    @pytest.mark.parametrize("text", TEXTS[:-1])
    def test_no_name_is_more_than_a_name(self, director, text):
        for ask in (director.update_pool, director.running, director.client_header):
            with pytest.raises(EngineError, match="not a valid name in Bacula"):
                ask(text)

    @pytest.mark.parametrize("number", ["1 yes\nreload", "1,2", "x"])
    def test_no_number_is_more_than_a_number(self, director, number):
        for ask in (director.cancel, director.delete_job, director.chain):
            with pytest.raises((ValueError, TypeError)):
                ask(number)
