"""What Bacula is told of databases."""

import pytest

from backup_app.engines.bacula import BaculaEngine
from backup_app.engines.bacula.catalog.job_log import Line
from backup_app.engines.bacula.clients import databases
from backup_app.exceptions import EngineError, Forbidden
from backup_app.models import Fileset


def plugins(*names, kind="mysql", program="/usr/local/sbin/backup-databases"):
    fileset = Fileset(databases=[{"kind": kind, "name": name} for name in names])
    return list(databases.plugins(BaculaEngine(database_program=program), fileset))


class TestPlugins:
    def test_each_database_has_a_line(self):
        assert plugins("shop", "a$b-c", kind="postgresql") == [
            f"bpipe:/.databases/postgresql/{name}.sql"
            f":/usr/local/sbin/backup-databases dump postgresql '{name}'"
            f":/usr/local/sbin/backup-databases load postgresql '{name}'; exit $? # %w"
            for name in ("shop", "a$b-c")
        ]

    @pytest.mark.parametrize("name", ["", "a:b", "a'b", "a b", "a/b", "%w", "a\n", "ü", "-a"])
    def test_a_name_that_could_be_more_is_refused(self, name):
        with pytest.raises(EngineError, match="cannot be backed up by its name"):
            plugins(name)

    def test_an_unknown_kind_is_refused(self):
        with pytest.raises(EngineError, match=r"^The a:b database 'shop' cannot be backed up"):
            plugins("shop", kind="a:b")

    @pytest.mark.parametrize("program", ["backup", "/a b", "/a:b", "/a'b", "/a;b", ""])
    def test_a_program_that_could_be_more_is_refused(self, program):
        with pytest.raises(EngineError, match=f"'database_program' is '{program}', and not a path"):
            plugins("shop", program=program)


class TestPlaces:
    def test_files_cannot_be_restored_to_where_dumps_are_loaded(self):
        with pytest.raises(Forbidden, match="'/dev/null/load-database/shop' is no destination"):
            databases.require_no_load(databases.load_place("shop").encode())

    @pytest.mark.parametrize("path", [b"/", b"/srv", b"/dev", b"/srv/dev/null/load-database/a"])
    def test_they_can_be_restored_elsewhere(self, path):
        databases.require_no_load(path)

    @pytest.mark.parametrize("name", ["", "a/b", "a'b", "../a"])
    def test_a_dump_is_loaded_into_a_name(self, name):
        with pytest.raises(EngineError, match=r"^No dump can be loaded into database"):
            databases.load_place(name)


def test_failed_dumps_are_seen_in_a_log():
    failed = "Error: bpipe-fd: Error closing for file {}: 268435457"
    log = [
        "/.databases/mysql/shop.sql: mariadb-dump: No such table.",
        "/.databases/mysql/shop.sql: The dump failed.\nIt is cut off.",
        failed.format("/.databases/mysql/shop.sql"),
        "/.databases/mysql/good.sql: All is well.",
        failed.format("/.databases/mysql/dumb.sql"),
        failed.format("/other/dump.sql"),
    ]

    assert databases.failed_dumps(Line("one-fd", words) for words in log) == [
        "mariadb-dump: No such table. The dump failed. It is cut off.",
        "The program that writes '/.databases/mysql/dumb.sql' failed.",
    ]
