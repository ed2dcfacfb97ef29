"""The lines by which Bacula dumps and loads databases."""

import pytest

from backup_app.engines.bacula import BaculaEngine
from backup_app.engines.bacula.config import database_plugins
from backup_app.exceptions import EngineError
from backup_app.models import Fileset


def plugins(*names, kind="mysql", program="/usr/local/sbin/backup-databases"):
    fileset = Fileset(databases=[{"kind": kind, "name": name} for name in names])
    return list(database_plugins.plugins(BaculaEngine(database_program=program), fileset))


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
        with pytest.raises(EngineError, match="cannot be backed up: its name is not supported"):
            plugins(name)

    def test_an_unknown_kind_is_refused(self):
        with pytest.raises(EngineError, match=r"^The a:b database 'shop' cannot be backed up"):
            plugins("shop", kind="a:b")

    @pytest.mark.parametrize("program", ["backup", "/a b", "/a:b", "/a'b", "/a;b", ""])
    def test_a_program_that_could_be_more_is_refused(self, program):
        with pytest.raises(EngineError, match=f"'database_program' is '{program}', which is not"):
            plugins("shop", program=program)


@pytest.mark.parametrize("name", ["", "a/b", "a'b", "../a"])
def test_a_dump_is_loaded_into_a_name(name):
    with pytest.raises(EngineError, match=r"^No dump can be loaded into database"):
        database_plugins.load_place(name)
