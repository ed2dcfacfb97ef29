"""Choosing, restoring and downloading, as every engine must."""

import shutil
import subprocess

import pytest

from backup_app.engines.values import Selection
from backup_app.exceptions import Canceled, NotFound
from backup_app.jobs import control

from ..recording_run import Recording
from .setting import UNKNOWN, Setting, at, at_work, change, downloaded, paths_of


class Restores(Setting):
    def test_paths_and_ids_choose_the_same(self, engine, machine, filled):
        job = self.back_up(machine)

        by_path = engine.select_paths(job, [bytes(filled / "docs"), bytes(filled / "large")])

        ((node, folder),), ((file, path),) = by_path.nodes, by_path.files
        assert (folder, path) == (bytes(filled / "docs"), bytes(filled / "large"))
        by_id = engine.select_ids(job, [node], [file])
        assert (list(by_id.nodes), list(by_id.files)) == ([(node, folder)], [(file, path)])

    def test_what_is_not_there_cannot_be_chosen(self, engine, machine, filled):
        job = self.back_up(machine)

        with pytest.raises(NotFound, match="/none"):
            engine.select_paths(job, [bytes(filled / "docs"), bytes(filled / "none")])
        for nodes, files in (([UNKNOWN], []), ([], [UNKNOWN])):
            with pytest.raises(NotFound, match=str(UNKNOWN)):
                engine.select_ids(job, nodes, files)

    def test_what_is_gone_cannot_be_chosen_any_more(self, engine, machine, filled):
        full = self.back_up(machine)
        change(filled)
        later = self.back_up(machine, "Incremental")

        assert engine.select_paths(full, [bytes(filled / "large")]).files
        with pytest.raises(NotFound):
            engine.select_paths(later, [bytes(filled / "large")])

    def test_a_tree_is_restored_elsewhere_as_it_was(self, engine, machine, filled, destination):
        job = self.back_up(machine)

        done = self.restore(job, engine.select_paths(job, [bytes(filled)]), destination)

        assert self.tree_of(at(destination, filled)) == self.tree_of(filled)
        assert (done.type, done.parent) == ("restore", job)

    def test_a_tree_comes_back_to_where_it_was(self, engine, machine, filled):
        before = self.tree_of(filled)
        job = self.back_up(machine)
        shutil.rmtree(filled / "docs")
        (filled / "large").write_text("spoiled")

        self.restore(job, engine.select_paths(job, [bytes(filled)]), "/")

        assert self.tree_of(filled) == before

    def test_each_backup_restores_the_tree_of_its_time(self, engine, machine, filled, destination):
        full, old = self.back_up(machine), self.tree_of(filled)
        change(filled)
        later = self.back_up(machine, "Incremental")
        new = self.tree_of(filled, dated_folders=self.dates_folders)

        for job, name in ((full, "old"), (later, "new")):
            (destination / name).mkdir()
            self.restore(job, engine.select_paths(job, [bytes(filled)]), destination / name)

        assert self.tree_of(at(destination / "old", filled)) == old
        restored = at(destination / "new", filled)
        assert self.tree_of(restored, dated_folders=self.dates_folders) == new

    def test_only_what_was_chosen_is_restored(self, engine, machine, filled, destination):
        job = self.back_up(machine)
        chosen = engine.select_paths(job, [bytes(filled / "docs" / "old"), bytes(filled / "link")])
        by_id = Selection(nodes=chosen.nodes, files=chosen.files)

        self.restore(job, by_id, destination)

        top = bytes(at(destination, filled))
        restored = [path.removeprefix(top) for path in paths_of(at(destination, filled))]
        assert restored == [b"/docs", b"/docs/old", b"/docs/old/draft", b"/link"]

    def test_a_download_is_what_a_restore_gives(self, engine, machine, filled, destination):
        self.back_up(machine)
        change(filled)
        job = self.back_up(machine, "Incremental")

        unpack = ["tar", "--extract", "--directory", destination]
        subprocess.run(unpack, input=downloaded(engine, job), check=True)

        assert self.tree_of(at(destination, filled)) == self.tree_of(filled)

    def test_any_part_of_a_download_can_be_read_at_any_time(self, engine, machine, filled):
        job = self.back_up(machine)
        whole = downloaded(engine, job)
        _, plan = engine.plan_download(job)

        with engine.open_download(job, plan) as ranges:
            for start in (len(whole) - 1, 0, 1000, 250_001, 512):
                part = b"".join(ranges.read(start, 700))[:700]
                assert part == whole[start : start + 700]

    def test_a_canceled_restore_places_nothing(self, engine, machine, filled, destination):
        backup = self.back_up(machine)
        chosen = engine.select_paths(backup, [bytes(filled)])
        path = bytes(destination)
        job = at_work(control.start_restore(backup, machine, chosen, path=path, by="test"))
        with pytest.raises(Canceled):
            engine.restore(Recording(job, cancel_at=1))

        engine.discard(job)
        engine.discard(job)

        assert list(destination.iterdir()) == []
        assert self.paths_in(engine, backup, bytes(filled)) == paths_of(filled)
