"""Reading volumes before a restore, as far as Bacula's own tool is not needed for it."""

from pathlib import Path

import pytest

from backup_app.engines.bacula import BaculaEngine
from backup_app.engines.bacula.director.director import CatalogSelection
from backup_app.engines.bacula.extraction import bls
from backup_app.exceptions import Canceled, EngineError

WANTED = CatalogSelection(jobs=[1], files=[1])
BOOTSTRAP = 'Storage="File1"\nVolume="V"\nMediaType="File1"\nDevice="Dev0"\n'
CONFIG = 'Device {\n  Name = "Dev0"\n  Media Type = "File1"\n}\n'


class Telling:
    """A Director that knows where everything is."""

    def bootstrap(self, wanted):
        return BOOTSTRAP


def nothing():
    pass


@pytest.fixture
def engine(tmp_path):
    """A function that returns an engine whose bls is a shell script."""

    def make(script):
        (tmp_path / "sd.conf").write_text(CONFIG)
        program = tmp_path / "bls"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o700)
        options = {"storage_config": str(tmp_path / "sd.conf")}
        return BaculaEngine(extract_program=str(tmp_path / "bextract"), **options)

    return make


def test_what_can_be_read_is_no_error(engine):
    bls.require_readable(engine("echo End of Volume"), Telling(), WANTED, nothing)


def test_it_is_told_what_to_read(engine, tmp_path):
    script = f'cp "$5" {tmp_path}/asked; shift 5; echo "$@" > {tmp_path}/device'

    bls.require_readable(engine(script), Telling(), WANTED, nothing)

    assert (tmp_path / "asked").read_text() == BOOTSTRAP
    assert (tmp_path / "device").read_text() == "Dev0\n"


def test_an_error_is_one_whatever_the_exit_code_is(engine):
    script = "echo '21-Nov 20:20 bls JobId 0: Error: block_util.c:467 Volume data error at 0:0!'"

    with pytest.raises(EngineError) as refused:
        bls.require_readable(engine(script), Telling(), WANTED, nothing)

    assert str(refused.value) == "The volumes cannot be read: Volume data error at 0:0!"


def test_an_exit_code_is_an_error_without_words(engine):
    with pytest.raises(EngineError, match="ended with code 3: killed"):
        bls.require_readable(engine("echo killed; exit 3"), Telling(), WANTED, nothing)


def test_a_cancel_ends_it(engine, monkeypatch, tmp_path):
    monkeypatch.setattr(bls, "TICK_SECONDS", 0.01)
    file = tmp_path / "pid"

    def cancel():
        if file.exists() and file.read_text():
            raise Canceled

    with pytest.raises(Canceled):
        bls.require_readable(
            engine(f"echo $$ > '{file}'; exec sleep 600"), Telling(), WANTED, cancel
        )

    assert not Path("/proc", file.read_text().strip()).exists()


def test_where_volumes_cannot_be_read_nothing_is(tmp_path):
    elsewhere = BaculaEngine(extract_program=str(tmp_path / "bextract"), storage_config="sd.conf")

    for engine in (BaculaEngine(storage_config=""), elsewhere):
        bls.require_readable(engine, None, WANTED, nothing)
