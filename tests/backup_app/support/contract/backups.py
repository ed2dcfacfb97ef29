"""Making and keeping backups, as every engine must."""

import pytest

from backup_app.exceptions import Canceled
from backup_app.jobs import control
from backup_app.models import Job

from ..recording_run import Recording
from .setting import Setting, at_work, change, ended, paths_of


class Backups(Setting):
    def test_a_full_backup_holds_the_tree(self, engine, machine, filled):
        job = self.back_up(machine)

        assert (job.level, job.files >= 5, job.bytes >= 300_000) == ("Full", True, True)
        assert job.stored_bytes > 0
        assert [source.pk for source in job.sources.all()] == [job.pk]
        assert self.paths_in(engine, job, bytes(filled)) == paths_of(filled)

    def test_an_incremental_backup_holds_the_tree_as_it_is_then(self, engine, machine, filled):
        full = self.back_up(machine)
        before = paths_of(filled)
        change(filled)

        job = self.back_up(machine, "Incremental")

        assert job.level == "Incremental"
        assert job.bytes < full.bytes
        assert self.paths_in(engine, job, bytes(filled)) == paths_of(filled)
        assert self.paths_in(engine, full, bytes(filled)) == before

    def test_a_differential_backup_needs_the_full_one_only(self, engine, machine, filled):
        full = self.back_up(machine)
        (filled / "between").write_text("then")
        self.back_up(machine, "Incremental")
        change(filled)

        job = self.back_up(machine, "Differential")

        assert job.level == "Differential"
        assert {source.pk for source in job.sources.all()} == {full.pk, job.pk}
        assert self.paths_in(engine, job, bytes(filled)) == paths_of(filled)

    @pytest.mark.parametrize("level", ["Incremental", "Differential"])
    def test_without_a_full_backup_it_becomes_one_and_says_so(self, machine, filled, level):
        job = self.back_up(machine, level)

        assert job.level == "Full"
        assert any("full" in str(line).lower() for line in job.log.all())

    def test_a_backup_of_nothing_new_holds_all_the_same(self, engine, machine, filled):
        self.back_up(machine)

        job = self.back_up(machine, "Incremental")

        assert job.bytes == 0
        assert self.paths_in(engine, job, bytes(filled)) == paths_of(filled)

    def test_a_canceled_backup_leaves_nothing(self, engine, machine, filled):
        full = self.back_up(machine)
        job = at_work(control.start_backup(machine, level="Full", by="test"))
        with pytest.raises(Canceled):
            engine.backup(Recording(job, cancel_at=1))

        engine.discard(job)
        engine.discard(job)

        assert self.leftovers(job) == []
        assert self.leftovers(full) != []
        ended(job)
        later = self.back_up(machine, "Incremental")
        assert self.paths_in(engine, later, bytes(filled)) == paths_of(filled)

    def test_a_queued_backup_is_canceled_at_once(self, machine, filled):
        job = control.cancel(control.start_backup(machine, level="Full", by="test"), "test")

        assert job.status == "canceled"
        assert self.finish(job).status == "canceled"
        assert self.leftovers(job) == []

    def test_a_good_backup_passes_verification(self, machine, filled):
        job = self.back_up(machine)

        assert self.finish(control.start_verify(job, "test")).status == "completed"

    def test_verification_finds_damage(self, machine, filled):
        job = self.back_up(machine)
        self.damage(job)

        done = self.finish(control.start_verify(job, "test"))

        assert done.status in ("warnings", "failed")
        assert done.log.exclude(level="info").exists()

    def test_a_damaged_backup_is_not_restored_silently(self, engine, machine, filled, destination):
        job = self.back_up(machine)
        self.damage(job)

        self.restore(job, engine.select_paths(job, [bytes(filled)]), destination, "failed")

        assert list(destination.iterdir()) == []

    def test_a_removed_backup_is_gone_and_others_stay(self, engine, machine, filled):
        first, second = self.back_up(machine), self.back_up(machine)

        engine.remove(first)

        assert not Job.objects.filter(pk=first.pk).exists()
        assert self.paths_in(engine, second, bytes(filled)) == paths_of(filled)

    def test_it_says_what_it_can_back_up(self, engine, machine):
        assert machine.system in [system.system for system in engine.systems()]

    def test_it_says_what_must_be_on_a_client(self, engine, machine):
        config = engine.client_config(machine)

        assert config.file_name
        assert config.config
