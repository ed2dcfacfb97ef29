"""Downloads of what a real Bacula has stored."""

import os
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, repeat
from pathlib import Path
from threading import Barrier

import pytest
from django.db import connections

from backup_app.engines import get_engine
from backup_app.engines.bacula.extraction import download
from backup_app.engines.bacula.extraction.cache import DownloadCache
from backup_app.exceptions import Canceled, EngineError, TooLarge

from ....support.contract.setting import LATIN, at, downloaded
from ....support.factories import JobFactory
from ....support.restores import tree_of
from ..conftest import ENGINE
from ..support import configs, release
from ..support.daemon import Daemon
from ..support.forged_volumes import rename_in_volumes
from ..support.installation import free_ports

pytestmark = pytest.mark.django_db
EARLIER = 10**18, 10**18
JOB = """
FileSet {{
  Name = "{name}"
  Include {{
    Options {{ {options} }}
    {what}
  }}
}}
Job {{ Name = "{name}"; Type = Backup; JobDefs = operator; FileSet = "{name}" }}
"""


@pytest.fixture(autouse=True)
def root(settings, tmp_path):
    settings.BACKUP_ROOT = str(tmp_path / "root")


@pytest.fixture
def own(bacula):
    """What the operator's job backs up, empty."""
    return bacula.own


@pytest.fixture
def engine(bacula):
    return get_engine()


@pytest.fixture
def operator(bacula):
    """A function that has the operator write a job, and returns its name."""

    def write(what, options):
        name = f"{bacula.prefix}job"
        text = JOB.format(name=name, what=what, options=options)
        (bacula.operator_d / f"{name}.conf").write_text(text)
        bacula.reload()
        return name

    return write


@pytest.fixture
def back_up(bacula, bacula_client):
    """A function that lets a job of the operator run, and returns it as this service knows it."""
    client = bacula_client()

    def run(level="Full", sources=(), name="operator-backup"):
        # Bacula tells by the second which of two jobs is newer.
        time.sleep(1 - time.time() % 1)
        said = bacula.bconsole(f"run job={name} level={level} yes")
        number = int(said.rpartition("JobId=")[2].split()[0])
        assert bacula.wait(number) == "T"
        job = JobFactory(client=client, engine_job_id=number, status="completed", type="backup")
        for source in [*sources, job]:
            job.source_links.create(source=source)
        return job

    return run


@pytest.fixture
def spool_client(bacula):
    """The Director's name for a file daemon that has no plugins."""
    daemon = Daemon(release.CLIENT, bacula.folder / "spool-fd.conf", *free_ports(1))
    own = {"folder": bacula.folder, "director": bacula.director_name}
    values = {"address": "127.0.0.1", "port": daemon.port, "password": "of-the-spool"}
    text = configs.FILE_DAEMON.format(name="spool-fd", plugins="", **own, **values)
    daemon.config.write_text(re.sub("Plugin Directory.*", "", text))
    (bacula.operator_d / "spool-fd.conf").write_text(
        configs.CLIENT.format(name="spool-fd", **values)
    )
    bacula.reload()
    daemon.start()
    yield "spool-fd"
    daemon.kill()


def fill(folder):
    """Make what trees have, and what is hard to keep."""
    (folder / "docs" / "old").mkdir(parents=True)
    (folder / "docs" / "old" / "draft").write_text("Dear")
    (folder / "docs" / "letter").write_text("Dear all")
    (folder / "empty").mkdir()
    (folder / "none").touch(mode=0)
    (folder / "large").write_bytes(os.urandom(300_000))
    (folder / "large").chmod(0o640)
    os.link(folder / "large", folder / "docs" / "twin")
    (folder / "link").symlink_to("docs/letter")
    (folder / "away").symlink_to("/etc/passwd")
    (folder / ("n" * 200)).write_text("long")
    Path(os.fsdecode(bytes(folder) + b"/" + LATIN)).write_text("bytes")
    (folder / 'quote"d \\ name ').write_text("quoted")
    os.mkfifo(folder / "pipe")
    os.mknod(folder / "null", 0o20600, os.makedev(1, 3))
    (folder / "program").write_text("#!/bin/sh")
    os.chown(folder / "program", 1234, 2345)
    (folder / "program").chmod(0o4750)
    with (folder / "holes").open("wb") as file:
        file.seek(3_000_000)
        file.write(b"end")
    (folder / "closed").mkdir()
    (folder / "closed" / "file").write_text("in")
    (folder / "closed").chmod(0o500)


def change(folder):
    (folder / "large").unlink()
    shutil.rmtree(folder / "empty")
    shutil.rmtree(folder / "docs" / "old")
    (folder / "docs" / "old").symlink_to("/etc")
    (folder / "docs" / "letter").write_text("Dear nobody")
    (folder / "new").write_text("new")


def kept_of(folder):
    """Return a tree as Bacula keeps it, with times in whole seconds."""
    return {
        name: (*found[:2], found[2] // 10**9, *found[3:]) for name, found in tree_of(folder).items()
    }


def tree_in(tar: bytes, place: Path, folder: Path):
    """Return what a tar has of a folder."""
    place.mkdir()
    subprocess.run(["tar", "--extract", "--directory", place], input=tar, check=True)
    return kept_of(at(place, folder))


def everything(folder) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


def test_a_download_has_the_tree_of_its_time(own, back_up, engine, tmp_path):
    fill(own)
    full, old = back_up(), kept_of(own)
    change(own)
    later, new = back_up("Incremental", [full]), kept_of(own)

    assert tree_in(downloaded(engine, full), tmp_path / "old", own) == old
    assert tree_in(downloaded(engine, later), tmp_path / "new", own) == new


def test_a_tar_names_nothing_that_was_not_backed_up(own, back_up, engine):
    (own / "file").write_text("in")
    tar = downloaded(engine, back_up())

    names = subprocess.run(["tar", "--list"], input=tar, capture_output=True, check=True).stdout

    assert names.decode().split() == [f"{own}/"[1:], f"{own}/file"[1:]]


def test_any_part_is_read_at_any_time_by_several_at_once(own, back_up, engine):
    (own / "file").write_bytes(os.urandom(1_000_000))
    job = back_up()
    size, plan = engine.plan_download(job)

    with engine.open_download(job, plan) as one, engine.open_download(job, plan) as two:
        whole = b"".join(one.read(0, size))
        assert len(whole) == size
        for start in (size - 1, 0, 1000, 250_001):
            first, second = one.read(start, 700), two.read(start + 5, 600_000)
            assert b"".join(second) == whole[start + 5 : start + 600_005]
            assert b"".join(first) == whole[start : start + 700]
        assert list(one.read(size + 1, 10)) == []


def test_only_the_tar_stays_and_only_its_owner_reads_it(own, back_up, engine):
    (own / "file").write_text("in")
    _, plan = engine.plan_download(back_up())

    folder = DownloadCache("default").folder
    assert everything(folder) == [f"{folder}/{plan.decode()}"]
    assert (folder / plan.decode()).stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "options",
    [
        "signature = SHA1; sparse = yes",
        "signature = MD5; compression = GZIP; sparse = yes",
        "compression = LZO; signature = SHA256",
        "sparse = yes",
        "portable = yes; signature = SHA512",
    ],
)
def test_a_file_comes_back_whatever_its_options_are(
    own, operator, back_up, engine, options, tmp_path
):
    with (own / "holes").open("wb") as file:
        for place in (0, 1_000_000, 2_000_017, 9_000_000):
            file.seek(place)
            file.write(b"something")
        file.truncate(12_345_678)
    (own / "zeros").write_bytes(bytes(65536 * 3))
    (own / "empty").touch()
    job = back_up(name=operator(f'File = "{own}"', options))

    assert tree_in(downloaded(engine, job), tmp_path / "new", own) == kept_of(own)


def test_a_dump_that_a_program_gave_is_in_the_download(operator, back_up, engine, tmp_path):
    plugin = "Plugin = \"bpipe:/MYSQL/shop.sql:echo DUMP:sh -c 'touch /never'\""
    tar = downloaded(engine, back_up(name=operator(plugin, "signature = MD5")))

    place = tmp_path / "new"
    tree_in(tar, place, Path("/MYSQL"))
    assert (place / "MYSQL" / "shop.sql").read_text() == "DUMP\n"
    assert not Path("/never").exists()


def volume_of(bacula, job):
    """Return the file that a job was written to."""
    names = "SELECT DISTINCT volumename FROM media JOIN jobmedia USING (mediaid)"
    ((name,),) = bacula.query(f"{names} WHERE jobid = {job.engine_job_id}")
    return bacula.volumes / name


@pytest.mark.parametrize(
    "options", ["signature = MD5", "sparse = yes; compression = GZIP6", "signature = SHA256"]
)
@pytest.mark.parametrize("part", [0.3, 0.95])
def test_a_damaged_volume_gives_no_download(bacula, own, operator, back_up, engine, options, part):
    (own / "file").write_bytes(os.urandom(1_000_000))
    job = back_up(name=operator(f'File = "{own}/file"', options))
    with volume_of(bacula, job).open("r+b") as volume:
        volume.seek(int(1_000_000 * part))
        volume.write(bytes(10))

    with pytest.raises(EngineError, match=f"'{own}/file' was not extracted.*[Cc]hecksum mismatch"):
        engine.plan_download(job)

    assert everything(DownloadCache("default").folder) == []


def test_a_volume_that_ends_too_soon_gives_no_download(bacula, own, back_up, engine):
    (own / "file").write_bytes(os.urandom(1_000_000))
    job = back_up()
    os.truncate(volume_of(bacula, job), 500_000)

    with pytest.raises(EngineError, match=f"'{own}/file' was not extracted.*Short block"):
        engine.plan_download(job)


def test_a_missing_volume_is_named_in_the_refusal(bacula, own, back_up, engine):
    (own / "file").write_text("in")
    job = back_up()
    volume_of(bacula, job).unlink()

    with pytest.raises(
        EngineError, match=f"needs a volume that is missing: .*{volume_of(bacula, job).name}"
    ):
        engine.plan_download(job)


def test_what_a_client_calls_its_files_leads_nowhere_else(bacula, own, back_up, engine, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    way = own / ("aa/" * 30 + str(outside)[1:])
    way.mkdir(parents=True)
    (way / "planted").write_text("by a client")
    job = back_up()
    rename_in_volumes(volume_of(bacula, job), b"aa/" * 30, b"../" * 30)

    with pytest.raises(EngineError, match="was not extracted"):
        engine.plan_download(job)

    assert everything(outside) == []


def test_a_symlink_of_a_client_leads_nowhere_else(bacula, own, back_up, engine, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (own / "way1").symlink_to(outside)
    full = back_up()
    (own / "way2").mkdir()
    (own / "way2" / "planted").write_text("by a client")
    job = back_up("Incremental", [full])
    rename_in_volumes(volume_of(bacula, job), b"/way2/planted", b"/way1/planted")

    with pytest.raises(EngineError, match="was not extracted"):
        engine.plan_download(job)

    assert everything(outside) == []


@pytest.mark.django_db(transaction=True)
def test_several_may_prepare_the_same_download(own, back_up, engine):
    (own / "file").write_bytes(os.urandom(100_000))
    job = back_up()
    both = Barrier(2, timeout=20)
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda _: in_thread(engine, job, both), range(2)))

    assert made[0][0] == made[1][0]
    assert len({plan for _, plan in made}) == 2
    for size, plan in made:
        with engine.open_download(job, plan) as ranges:
            assert len(b"".join(ranges.read(0, size))) == size


def test_a_disk_without_room_is_told_before_anything_is_extracted(own, back_up, engine, settings):
    (own / "file").write_bytes(bytes(3_000_000))
    job = back_up()
    small = own.parent / "small"
    small.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", small], check=True)
    try:
        settings.BACKUP_ROOT = str(small)
        with pytest.raises(EngineError, match=f"needs 6000000 bytes in '{small}.*', which has 41"):
            engine.plan_download(job)
        assert everything(DownloadCache("default").folder) == []
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def test_a_disk_that_becomes_full_gives_no_download(own, operator, back_up, engine, settings):
    # What a program gives has no size in the catalog.
    plugin = 'Plugin = "bpipe:/dump:head -c 6000000 /dev/zero:cat"'
    job = back_up(name=operator(plugin, "signature = MD5"))
    small = own.parent / "small"
    small.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", small], check=True)
    try:
        settings.BACKUP_ROOT = str(small)
        with pytest.raises(EngineError, match=f"disk of '{small}.*' is full.*Write error"):
            engine.plan_download(job)
        assert everything(DownloadCache("default").folder) == []
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def test_a_canceled_preparation_leaves_nothing(own, back_up, engine):
    (own / "file").write_text("in")

    def tick():
        raise Canceled

    with pytest.raises(Canceled):
        engine.plan_download(back_up(), tick)
    assert everything(DownloadCache("default").folder) == []


def test_a_job_whose_files_have_gone_from_the_catalog_gives_no_download(
    bacula, own, back_up, engine
):
    (own / "file").write_text("in")
    job = back_up()
    bacula.bconsole(f"purge files jobid={job.engine_job_id}")

    with pytest.raises(
        EngineError, match=f"no longer has the files of its job {job.engine_job_id}"
    ):
        engine.plan_download(job)


def test_without_volumes_here_it_is_restored_to_this_hosts_file_daemon(
    bacula, own, back_up, settings, tmp_path, spool_client
):
    fill(own)
    (own / "null").unlink()
    os.chown(own / "program", 0, 0)
    full = back_up()
    change(own)
    job, tree = back_up("Incremental", [full]), kept_of(own)
    options = bacula.options(storage_config="", spool_client=spool_client)
    settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}

    assert tree_in(downloaded(get_engine(), job), tmp_path / "new", own) == tree


def test_a_file_daemon_with_plugins_restores_no_downloads(bacula, own, back_up, settings):
    (own / "file").write_text("in")
    job = back_up()
    options = bacula.options(storage_config="", spool_client="two-fd")
    settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}

    with pytest.raises(EngineError, match=r"'two-fd' has plugins .*bpipe.*Plugin Directory"):
        get_engine().plan_download(job)


def in_thread(engine, job, both):
    """Prepare a download, at work while the other one is."""
    ticks = chain([both.wait], repeat(lambda: None))
    try:
        return engine.plan_download(job, lambda: next(ticks)())
    finally:
        connections.close_all()


# --- A part of a view ----------------------------------------------------------------------------


def unpacked(folder, own, job, *paths):
    """Return what the tar of a selection has, with the content of its files."""
    engine = get_engine()
    size, opened = engine.open_selection(job, engine.select_paths(job, [bytes(p) for p in paths]))
    folder.mkdir()
    with opened as ranges:
        data = b"".join(ranges.read(0, size))
    subprocess.run(["tar", "--extract", "--directory", folder], input=data, check=True)
    top = folder / str(own)[1:]
    return {
        str(path.relative_to(top)): path.read_text() for path in folder.rglob("*") if path.is_file()
    }


def test_a_selection_is_sent_alone(own, back_up, tmp_path):
    for name in ("a/one", "a/sub/two", "ab/three", "four"):
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        (own / name).write_text(name)
    os.link(own / "four", own / "a" / "twin")
    full = back_up()
    (own / "a/one").write_text("changed")
    job = back_up("Incremental", [full])

    found = unpacked(tmp_path / "out", own, job, own / "a", own / "four")

    assert found == {"a/one": "changed", "a/sub/two": "a/sub/two", "a/twin": "four", "four": "four"}
    assert unpacked(tmp_path / "alone", own, full, own / "a" / "twin") == {"a/twin": "four"}
    assert [path for path in (tmp_path / "root").rglob("*") if path.is_file()] == []


def test_a_selection_that_is_too_large_is_refused(own, back_up, monkeypatch):
    (own / "file").write_text("more than four")
    monkeypatch.setattr(download, "MAX_PART", 4)
    job = back_up()

    with pytest.raises(TooLarge, match="more than 4"):
        get_engine().open_selection(job, get_engine().select_paths(job, [bytes(own)]))
