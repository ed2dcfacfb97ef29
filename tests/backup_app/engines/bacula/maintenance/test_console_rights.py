"""A console with restricted rights works as far as they go, and what it lacks is told."""

import pytest

from backup_app.engines import get_engine
from backup_app.engines.adoption import FoundClient
from backup_app.engines.bacula.maintenance import console_rights
from backup_app.exceptions import EngineError
from backup_app.jobs import control

from ....support.api_client import client_of, refused
from ..conftest import ENGINE
from ..support.installation import guide_console
from ..support.jobs import back_up, finish, log_text

pytestmark = pytest.mark.django_db


@pytest.fixture
def use(bacula, settings):
    """A function that lets the engine use a console, with other options."""

    def change(console, **options):
        options = bacula.options(console=console, **options)
        settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}
        return get_engine()

    return change


@pytest.fixture
def console(bacula, operator, use):
    """A function that has the engine use the guide's console, with one text in place of another."""

    def write(*changes):
        text = guide_console(bacula.passwords["dir"]).replace("= calendar", "= narrow")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        operator(text)
        return use("narrow")

    return write


def missing(engine):
    with engine.director() as director:
        return list(console_rights.missing(engine, director))


def test_the_guides_console_has_all_that_is_needed(use):
    assert missing(use("calendar")) == []


def test_the_default_console_has_all(use):
    assert missing(use("")) == []


def test_all_that_is_missing_is_told(use):
    assert missing(use("limited")) == [
        (
            "The console 'limited' may not use .bvfs_cleanup, .bvfs_get_bootstrap, .bvfs_restore,"
            " .bvfs_update, .catalogs, .defaults, .filesets, .jobs, .pools, .schedule, .storage,"
            " show, .bvfs_get_jobids, .sql, cancel, delete, purge, reload, restore, run, truncate"
            " and update: add this to its CommandACL."
        ),
        (
            "The console 'limited' does not see all that this service adds: set its CatalogACL,"
            " FileSetACL, PoolACL, ScheduleACL, StorageACL and WhereACL to *all*."
        ),
    ]


def test_what_only_browses_needs_less(use, bacula):
    engine = use("limited", config_dir="", director_config="/none")

    assert missing(engine) == [
        (
            "The console 'limited' may not use .bvfs_cleanup, .bvfs_get_bootstrap, .bvfs_restore,"
            " .bvfs_update, .catalogs, .defaults, .filesets, .jobs, .pools, .schedule, .storage"
            " and show: add this to its CommandACL."
        ),
    ]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ((" purge,", ""), "The console 'narrow' may not use purge: add this to its CommandACL."),
        ((" .pools,", ""), "The console 'narrow' may not use .pools: add this to its CommandACL."),
        (
            ("ClientACL = *all*", "ClientACL = *all*, one-fd"),
            (
                "The console 'narrow' does not see all that this service adds: set its ClientACL to"
                " *all*."
            ),
        ),
    ],
)
def test_each_thing_that_is_missing_is_told(console, change, sentence):
    assert missing(console(change)) == [sentence]


def test_a_console_that_cannot_be_looked_up_is_told(use):
    (fault,) = missing(use("calendar", director_program="/none/bacula-dir"))

    assert fault.startswith(
        "What the console 'calendar' may change could not be read by '/none/bdirjson' from"
    )


def test_looking_up_changes_nothing(bacula, bacula_client, own, use):
    back_up(bacula_client(own))
    state = "SELECT jobid, jobstatus, volstatus FROM job, media ORDER BY 1, 2, 3"
    before = bacula.query(state), reloaded(bacula)

    missing(use("calendar"))

    assert (bacula.query(state), reloaded(bacula)) == before


def reloaded(bacula):
    said = bacula.bconsole(".api 2\n.status dir header")
    return [line for line in said.splitlines() if line.startswith("reloaded_epoch=")]


def test_what_a_console_may_not_do_is_refused_by_a_sentence(bacula_client, own, console):
    client = bacula_client(own)
    backup = back_up(client)
    console((" run,", ""), (" restore,", ""))
    refusal = "The console 'narrow' may not use 'run': add this to its CommandACL."

    job = finish(control.start_backup(client, level="full", by="test"))
    assert (job.status, job.message) == ("failed", refusal), log_text(job)
    answer = client_of(client.account).post(f"/api/run/{client.ip}", {"cmd": "hostname"})
    assert refused(answer, 502) == refusal

    answer = client_of(client.account).post(f"/api/files/{backup.pk}", {"path": str(own)})
    assert answer.json()["total"] == 2


def test_what_a_console_may_not_see_is_told_as_such(bacula, console):
    engine = console(("ClientACL = *all*", "ClientACL = one-fd"))

    found = [each.name for each in engine.inventory() if isinstance(each, FoundClient)]
    with engine.director() as director:
        with pytest.raises(EngineError) as refused_client:
            director.client_header("two-fd")
        progress = director.running("two-fd")

    assert found == ["one-fd"]
    assert str(refused_client.value) == (
        "The Director has no client 'two-fd' that the console 'narrow' may use."
    )
    assert progress == {}
