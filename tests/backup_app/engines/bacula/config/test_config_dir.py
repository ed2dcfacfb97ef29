"""What this service adds to a Director's configuration, and takes back."""

import multiprocessing
import os
import random
import shutil
import subprocess
import threading
import time

import pytest

from backup_app.engines import get_engine
from backup_app.engines.bacula.config import config_dir
from backup_app.engines.bacula.engine import BaculaEngine
from backup_app.exceptions import EngineError, EngineUnreachable, WrongState

from ..support import release
from ..support.installation import free_ports

SEEDS = range(int(os.environ.get("KILLS", "6")))


def pool(name, use="1"):
    return f'Pool {{\n  Name = "{name}"\n  Pool Type = Backup\n  Maximum Volume Jobs = {use}\n}}\n'


def known(engine):
    with engine.director() as director:
        return director.names("pool")


def accepted(installation):
    done = subprocess.run(
        [release.DIRECTOR, "-t", "-c", installation.dir_config], capture_output=True
    )
    return done.returncode == 0


@pytest.fixture
def engine(bacula):
    return get_engine()


@pytest.fixture
def name(bacula):
    return f"{bacula.prefix}pool-1"


@pytest.fixture
def more(bacula):
    """A folder in the one that we write to."""
    folder = bacula.conf_d / "more"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def test_what_is_written_is_known_to_the_director(bacula, engine, name):
    assert config_dir.write(engine, {name: pool(name)}) == [name]

    assert name in known(engine)
    file = bacula.conf_d / f"{name}.conf"
    assert file.read_text() == pool(name)
    assert file.stat().st_mode & 0o777 == 0o640


def test_what_is_known_already_is_not_written_and_no_director_asked(bacula, engine, name):
    config_dir.write(engine, {name: pool(name)})
    bacula.director.kill()

    assert config_dir.write(engine, {name: pool(name)}) == []


def test_only_what_has_changed_is_written(bacula, engine, name):
    config_dir.write(engine, {name: pool(name), f"{name}0": pool(f"{name}0")})
    before = (bacula.conf_d / f"{name}.conf").stat()

    changed = config_dir.write(engine, {name: pool(name), f"{name}0": pool(f"{name}0", use=2)})

    assert changed == [f"{name}0"]
    assert (bacula.conf_d / f"{name}.conf").stat() == before


def test_what_is_removed_is_unknown_to_the_director(bacula, engine, name):
    config_dir.write(engine, {name: pool(name)})

    assert config_dir.remove(engine, [name, "never-was"]) == [name]

    assert name not in known(engine)
    assert list(bacula.conf_d.glob("*.conf")) == []


def test_nothing_is_to_be_removed_twice(engine, name):
    assert config_dir.remove(engine, [name]) == []


def test_what_the_director_does_not_accept_is_refused_in_its_words(bacula, engine, name):
    config_dir.write(engine, {name: pool(name)})

    with pytest.raises(EngineError) as refusal:
        config_dir.write(engine, {f"{name}0": pool(f"{name}0"), name: pool(name, use="many")})

    assert "expected a positive integer number, got: many" in refusal.value.message
    assert str(bacula.conf_d / f"{name}.conf") in refusal.value.message
    assert [file.name for file in bacula.conf_d.glob("*.conf")] == [f"{name}.conf"]
    assert (bacula.conf_d / f"{name}.conf").read_text() == pool(name)
    assert f"{name}0" not in known(engine)


def test_what_the_director_does_not_take_is_taken_back(bacula, engine, name):
    """As when its operator has broken another file since it was tested."""
    config_dir.write(engine, {name: pool(name)})
    hasty = get_engine()
    hasty.director_program = "/bin/true"

    with pytest.raises(EngineError) as refusal:
        config_dir.write(hasty, {f"{name}0": pool(f"{name}0"), name: "nonsense"})

    assert refusal.value.message.startswith("The Director did not accept its new configuration")
    assert [file.name for file in bacula.conf_d.glob("*.conf")] == [f"{name}.conf"]
    assert (bacula.conf_d / f"{name}.conf").read_text() == pool(name)
    assert config_dir.write(engine, {f"{name}0": pool(f"{name}0")}) == [f"{name}0"]
    assert f"{name}0" in known(engine)


def test_a_director_that_was_out_of_reach_learns_it_with_the_next_change(bacula, engine, name):
    apart = BaculaEngine(**bacula.options(port=free_ports(1)[0]))
    with pytest.raises(EngineUnreachable):
        config_dir.write(apart, {name: pool(name)})
    assert name not in known(engine)

    assert config_dir.write(engine, {name: pool(name)}) == []

    assert name in known(engine)


def test_missing_write_permission_is_reported(bacula, name):
    closed = BaculaEngine(**bacula.options(config_dir=""))

    with pytest.raises(WrongState) as refusal:
        config_dir.write(closed, {name: pool(name)})

    assert f"'{name}' cannot be added to the Director's configuration" in refusal.value.message
    assert config_dir.write(closed, {}) == []


def test_a_folder_that_the_director_does_not_include_is_refused(bacula, name, tmp_path):
    apart = BaculaEngine(**bacula.options(config_dir=str(tmp_path)))

    with pytest.raises(EngineError) as refusal:
        config_dir.write(apart, {name: pool(name)})

    assert (
        f"does not include the folder config_dir: add the line @|\"sh -c 'for f in {tmp_path}/"
        in (refusal.value.message)
    )
    assert list(tmp_path.glob("*.conf")) == []


def test_a_folder_that_is_not_there_is_named(bacula, name, tmp_path):
    lost = BaculaEngine(**bacula.options(config_dir=str(tmp_path / "lost")))

    with pytest.raises(EngineError) as refusal:
        config_dir.write(lost, {name: pool(name)})

    assert f"'{tmp_path}/lost'" in refusal.value.message


@pytest.mark.parametrize("option", ["director_program", "director_config"])
def test_a_director_that_cannot_be_tested_is_named(bacula, name, option):
    odd = BaculaEngine(**bacula.options(**{option: "/nonexistent"}))

    with pytest.raises(EngineError) as refusal:
        config_dir.write(odd, {name: pool(name)})

    assert "'/nonexistent' cannot be " in refusal.value.message
    assert list(bacula.conf_d.glob("*.conf")) == []


def test_a_name_that_is_a_path_is_refused(bacula, engine):
    with pytest.raises(EngineError):
        config_dir.write(engine, {"../operator.d/one-fd": ""})


def test_many_write_at_once(bacula, engine, name):
    """Each in its own order of arrival, and all of them are known in the end."""
    wanted = [f"{name}{number}" for number in range(4)]
    wrong = []

    def write(each):
        try:
            config_dir.write(get_engine(), {each: pool(each)})
        except EngineError as e:
            wrong.append(e)

    threads = [threading.Thread(target=write, args=[each]) for each in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
    assert known(engine) >= set(wanted)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_writer_may_be_killed_at_any_moment(bacula, engine, name, seed):
    """What it leaves the Director accepts, and the next one finishes it."""
    first, second, third = (f"{name}{number}" for number in range(3))
    config_dir.write(engine, {first: pool(first), second: pool(second)})
    files = {third: pool(third), first: pool(first, use=2), second: pool(second, use=3)}

    writer = multiprocessing.get_context("fork").Process(
        target=config_dir.write, args=[get_engine(), files]
    )
    writer.start()
    time.sleep(random.Random(seed).uniform(0, 0.15))  # noqa: S311 - to be repeated
    writer.kill()
    writer.join()

    assert accepted(bacula)
    config_dir.write(engine, files)
    assert third in known(engine)
    assert {file.name for file in bacula.conf_d.iterdir()} == {
        ".lock",
        *(f"{each}.conf" for each in files),
    }
    with engine.director() as director:
        assert director.defaults("pool", second)["pool"] == second


@pytest.mark.parametrize("way", ["find {} -type f -name *.conf", "ls -d {}/*.conf {}/more/*.conf"])
def test_what_the_operator_has_in_the_folder_is_tested_as_well(bacula, more, name, way, tmp_path):
    """Whatever the command by which it is included."""
    (more / "own.conf").write_text(pool("own"))
    config, before = tmp_path / "dir.conf", bacula.dir_config.read_text()
    end = before.index("@|")
    config.write_text(
        f"{before[:end]}@|\"sh -c '{way.format(*2 * [bacula.conf_d])} | sed s/^/@/'\"\n"
    )
    engine = BaculaEngine(**bacula.options(director_config=str(config)))

    with pytest.raises(EngineError) as refusal:
        config_dir.write(engine, {name: pool("own")})

    assert 'named "own"' in refusal.value.message
