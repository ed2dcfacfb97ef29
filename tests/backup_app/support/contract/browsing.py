"""Looking into backups, as every engine must."""

import os

import pytest

from backup_app.exceptions import NotFound

from ..factories import JobFactory
from .setting import LATIN, UNKNOWN, Setting, change


class Browsing(Setting):
    def test_a_folder_lists_its_content_folders_first(self, engine, machine, filled):
        job = self.back_up(machine)

        listing = engine.list_folder(job, bytes(filled))

        assert (listing.path, listing.total) == (bytes(filled), 6)
        assert [(file.name, file.type) for file in listing.files[:2]] == [
            (b"docs", "directory"),
            (b"empty", "directory"),
        ]
        names = [file.name for file in listing.files[2:]]
        assert names == sorted([LATIN, b"large", b"link", b"twin"])
        assert {file.parent_node_id for file in listing.files} == {listing.node_id}

    def test_files_and_links_are_described(self, engine, machine, filled):
        job = self.back_up(machine)

        (letter,) = [
            file
            for file in engine.list_folder(job, bytes(filled / "docs")).files
            if file.name == b"letter"
        ]

        status = (filled / "docs" / "letter").stat()
        assert letter.path == bytes(filled / "docs" / "letter")
        assert (letter.type, letter.size, letter.mode) == ("file", 8, status.st_mode & 0o7777)
        assert (letter.mtime, letter.node_id) == (int(status.st_mtime), None)
        found = {file.name: file for file in engine.list_folder(job, bytes(filled)).files}

        target = b"docs/letter" if self.knows_targets else b""
        assert (found[b"link"].type, found[b"link"].target) == ("symlink", target)
        assert {found[b"large"].type, found[b"twin"].type} == {"file", "hardlink"}

    def test_pages_of_a_folder_make_up_the_whole(self, engine, machine, filled):
        job = self.back_up(machine)
        whole = engine.list_folder(job, bytes(filled))

        pages = [engine.list_folder(job, bytes(filled), offset=n, limit=2) for n in (0, 2, 4)]

        assert [file for listing in pages for file in listing.files] == whole.files
        assert {listing.total for listing in pages} == {whole.total}
        assert list(engine.list_folder(job, bytes(filled), offset=99, limit=2).files) == []

    def test_folders_can_be_walked_from_the_root(self, engine, machine, filled):
        job = self.back_up(machine)
        node_id = engine.list_folder(job, b"/").node_id

        for name in os.fsencode(filled).split(b"/")[1:]:
            nodes = {node.name: node for node in engine.subfolders(job, node_id)}
            assert nodes[name].has_children
            node_id = nodes[name].node_id

        assert engine.folder_path(job, node_id) == bytes(filled)
        docs, empty = engine.subfolders(job, node_id)
        assert (docs.name, docs.has_children, docs.files, docs.size) == (b"docs", True, 1, 8)
        assert (empty.path, empty.has_children, empty.files) == (bytes(filled / "empty"), False, 0)

    def test_a_folder_has_the_same_node_in_all_backups(self, engine, machine, filled):
        first = self.back_up(machine)
        second = self.back_up(machine)

        nodes = [engine.list_folder(job, bytes(filled)).node_id for job in (first, second)]

        assert nodes[0] == nodes[1]

    def test_an_unknown_folder_is_not_found(self, engine, machine, filled):
        job = self.back_up(machine)

        for name in (b"none", b"docs/none", b"large", b"large/x", b"docs/../docs"):
            with pytest.raises(NotFound):
                engine.list_folder(job, bytes(filled) + b"/" + name)
        for ask in (engine.folder_path, engine.subfolders):
            with pytest.raises(NotFound):
                ask(job, UNKNOWN)

    def test_backups_that_contain_a_path(self, engine, machine, filled):
        full = self.back_up(machine)
        change(filled)
        later = self.back_up(machine, "Incremental")
        JobFactory(client=machine, type="restore", level=None, status="completed")

        def having(name):
            found = engine.jobs_with_path(machine.jobs.all(), bytes(filled) + name)
            return sorted(job.pk for job in found)

        assert having(b"") == having(b"/docs") == [full.pk, later.pk]
        assert having(b"/large") == [full.pk]
        assert having(b"/new") == [later.pk]
        assert having(b"/none") == []

    def test_the_clients_tree_is_that_of_its_newest_backup(self, engine, machine, filled):
        self.back_up(machine)
        change(filled)
        self.back_up(machine, "Incremental")

        found = engine.client_tree(machine, bytes(filled))

        assert [node.name for node in found] == [b"added", b"docs"]
        with pytest.raises(NotFound):
            engine.client_tree(machine, bytes(filled / "empty"))
