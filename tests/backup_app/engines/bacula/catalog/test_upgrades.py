"""The catalogs of Bacula 11, 13 and 15 give the answers that the same catalog gave in 9.6.

Debian never had 11 and 13. Here a catalog of 9.6 is upgraded to each in turn by the statements that
the package of 15 applies to it.
"""

import pytest
from django.db import connections

from backup_app.engines import get_engine
from backup_app.engines.bacula.catalog.records import Catalog
from backup_app.engines.bacula.director.director import CatalogSelection
from backup_app.engines.bacula.extraction.members import members
from backup_app.engines.bacula.jobs import plugin_files
from backup_app.exceptions import EngineError
from backup_app.services.files import finding
from tests.prerequisites import need

from ..conftest import ENGINE
from ..support import release
from ..support.forged_jobs import GONE
from ..support.installation import apply, copy_catalog, drop_catalog

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(bool(release.VERSION), reason="of Bacula's upgrades (without BACULA)"),
]
STEPS = {
    "11": (["11.0.0~1017", "11.0.0"], 1022),
    "13": (["13.0.0"], 1024),
    "15": (["15.0.0"], 1026),
}
FILES = [
    b"/srv/", b"/srv/a.sql", b"/srv/gone", b"/srv/b\xff", b"/srv/sub/", b"/srv/sub/x.SQL",
    b"/srv/sub/deep/", b"/srv/sub/deep/y", b"C:/Users/z",
]  # fmt: skip


@pytest.fixture
def client(bacula_client):
    return bacula_client()


@pytest.fixture
def copy(bacula, hide, settings):
    """A function that copies the catalog, whose copy then is the engine's."""
    need(release.UPGRADES.is_dir(), "of Bacula's upgrades", release.REMEDY)
    name = f"{bacula.database}-upgraded"

    def make():
        copy_catalog(bacula.database, name)
        hide(name, bacula.catalog | {"NAME": name})
        options = {"catalog": name, "address": "192.0.2.1"}
        settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}
        return name

    yield make
    connections[name].close()
    drop_catalog(name)


def answers(client, jobs):
    """Return all that is read of backups, by the functions of the engine that do."""
    engine, reader = get_engine(), get_engine().reader()
    found = {"jobs": reader.jobs_by_id(job.engine_job_id for job in jobs)}
    for job in jobs:
        listings = [engine.list_folder(job, path) for path in (b"/", b"/srv", b"/srv/sub")]
        pages = [engine.list_folder(job, b"/srv", offset=n, limit=2) for n in range(4)]
        files = [file for each in listings for file in each.files]
        chosen = engine.select_paths(job, [b"/srv/sub", b"/srv/a.sql"])
        numbers = [file.file_id for file in files if file.file_id]
        found[job.level] = [
            *listings, *pages, chosen, engine.select_ids(job, [], numbers),
            [file.path for file in engine.files_ending(job, [b".sql", b"\xff"])],
            list(members(reader, [s.engine_job_id for s in job.sources.order_by("pk")])),
            refusal(reader, job, numbers),
        ]  # fmt: skip
    found["tree"] = engine.client_tree(client, b"/srv")
    for path in (b"/srv/gone", b"/srv/b\xff", b"/srv/sub/deep", b"/C:/Users/z", b"/none"):
        found[path] = sorted(engine.jobs_with_path(client.jobs.all(), path), key=lambda job: job.pk)
    found["search"] = [finding.search(client, text) for text in ("sub", "*.sql", "DEEP", "n?w")]
    found["history"] = finding.history(client, b"/srv/gone")
    found["differences"] = finding.differences(*jobs, path=b"/")
    return found


def refusal(reader, job, files):
    with pytest.raises(EngineError) as refused:
        plugin_files.require_none(reader, CatalogSelection([job.engine_job_id], files))
    return str(refused.value)


def test_an_upgraded_catalog_gives_the_same_answers(bacula, client, forge, copy):
    dump = {"size": -1}
    full = forge({path: dump if path == b"/srv/a.sql" else {} for path in FILES})
    later = {b"/srv/a.sql": dump, b"/srv/gone": GONE, b"/srv/sub/deep/": GONE, b"/srv/new": {}}
    jobs = [full, forge({**later, b"/srv/sub/deep/y": GONE}, full)]
    before = answers(client, jobs)
    assert [file.name for file in before["Incremental"][1].files] == [
        b"sub", b"a.sql", b"b\xff", b"new",
    ]  # fmt: skip

    name = copy()

    for version, (scripts, number) in STEPS.items():
        for script in scripts:
            apply(release.UPGRADES / script, name)
        connections[name].close()
        assert Catalog(name, None).rows("SELECT versionid FROM version") == [(number,)]
        assert answers(client, jobs) == before, version
