"""Databases on clients of Bacula."""

import pytest

from backup_app.engines.bacula.catalog.job_log import Line
from backup_app.engines.bacula.clients import databases
from backup_app.engines.bacula.config.database_plugins import load_place
from backup_app.exceptions import Forbidden


class TestPlaces:
    def test_files_cannot_be_restored_to_where_dumps_are_loaded(self):
        with pytest.raises(Forbidden, match="'/dev/null/load-database/shop' is not a destination"):
            databases.require_no_load(load_place("shop").encode())

    @pytest.mark.parametrize("path", [b"/", b"/srv", b"/dev", b"/srv/dev/null/load-database/a"])
    def test_they_can_be_restored_elsewhere(self, path):
        databases.require_no_load(path)


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
