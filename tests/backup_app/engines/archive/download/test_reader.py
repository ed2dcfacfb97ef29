"""Downloads of real backups: a plain tar of the view, any part of which can be read."""

import os
import random
import shutil
import subprocess
import tarfile
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.archive.catalog.view import View
from backup_app.engines.archive.download.plan import RECORD, Plan
from backup_app.engines.archive.download.reader import Download
from backup_app.exceptions import EngineError, WrongState
from backup_app.models import Entry

from ....support.catalog_rows import catalogued
from ....support.factories import ClientFactory
from ....support.local_backups import KiB, back_up, local_client, volume_of
from ....support.restores import below, restore, tree_of

pytestmark = pytest.mark.django_db

engine = ArchiveEngine(frame_bytes=64 * KiB)
MiB = 1024 * KiB


def noise(seed, size):
    """Return the same bytes that no compression makes smaller, each time."""
    return random.Random(seed).randbytes(size)  # noqa: S311


@pytest.fixture
def tree(place):
    folder = place / "tree"
    (folder / "a/b").mkdir(parents=True)
    (folder / "a/b/one").write_bytes(noise(1, 200 * KiB))
    (folder / "a/two").write_text("2")
    os.link(folder / "a/two", folder / "a/zwei")
    (folder / "c").mkdir(mode=0o700)
    (folder / "c/three").write_text("3")
    (folder / "link").symlink_to("a/two")
    (folder / os.fsdecode(b"new\nline\xff")).write_text("x")
    (folder / ("long" * 50)).write_text("y")
    return folder


@pytest.fixture
def client(place, tree):
    return local_client(place)


def whole(job):
    size, plan = engine.plan_download(job)
    with engine.open_download(job, plan) as ranges:
        data = b"".join(ranges.read(0, size))
    assert len(data) == size
    return data


def unpacked(data, place):
    """Return the folder into which the system's tar has put what is in a tar."""
    place.mkdir()
    subprocess.run(
        ["tar", "--extract", "--xattrs", "--xattrs-include=*", "--acls", "-C", place, "-f", "-"],
        input=data,
        check=True,
    )
    return place


def same_as_restored(job, tree, place):
    restore(job, tree, to=place / f"restored{job.pk}")
    out = unpacked(whole(job), place / f"unpacked{job.pk}")
    return tree_of(below(out, tree)) == tree_of(below(place / f"restored{job.pk}", tree))


def settle(*folders, seconds):
    """Set the times of folders that a test changed, to what no clock gives."""
    for folder in folders:
        os.utime(folder, ns=(seconds * 10**9 + 7, seconds * 10**9 + 7))


def test_a_full_backup_unpacks_to_what_was_backed_up(client, tree, place):
    job = back_up(client)

    out = unpacked(whole(job), place / "out")

    assert tree_of(below(out, tree)) == tree_of(tree)


def test_a_full_backup_is_one_segment_of_its_volume(client):
    job = back_up(client)

    size, plan = engine.plan_download(job)

    assert list(Plan.unpack(plan).parts(0, size)) == [(job.pk, 0, job.volume.tar_size)]
    assert size % RECORD == 0


def test_a_chain_unpacks_to_what_a_restore_gives(client, tree, place):
    settle(tree / "a/b", tree / "a", tree / "c", tree, seconds=1_000_000)
    full = back_up(client)
    (tree / "a/b/one").write_text("changed in place")
    (tree / "a/two").unlink()
    (tree / "new/deep").mkdir(parents=True)
    (tree / "new/deep/file").write_text("z")
    settle(tree / "a", tree, seconds=2_000_000)
    second = back_up(client, "Incremental")
    shutil.rmtree(tree / "c")
    (tree / "c").write_text("a file now")
    (tree / "new/deep/file").write_text("zz")
    (tree / "empty").mkdir()
    settle(tree / "empty", tree, seconds=3_000_000)
    third = back_up(client, "Incremental")

    assert second.level == third.level == "Incremental"
    assert tree_of(below(unpacked(whole(third), place / "out"), tree)) == tree_of(tree)
    assert same_as_restored(full, tree, place)
    assert same_as_restored(second, tree, place)
    assert same_as_restored(third, tree, place)


def test_a_chain_has_each_path_once_and_nothing_that_is_gone(client, tree, place):
    back_up(client)
    (tree / "c/three").unlink()
    (tree / "a/b/four").write_text("4")
    job = back_up(client, "Incremental")
    (place / "out.tar").write_bytes(whole(job))

    with tarfile.open(place / "out.tar", errors="surrogateescape") as tar:
        names = [os.fsencode(name) for name in tar.getnames()]

    expected = {path.removeprefix(b"./") for path in tree_of(tree)} - {b"."}
    start = os.fsencode(tree)[1:] + b"/"
    assert len(names) == len(set(names))
    assert {name.removeprefix(start) for name in names if name.startswith(start)} == expected


def test_a_hard_link_whose_target_was_left_out_since_can_be_unpacked(client, tree, place):
    full = back_up(client)
    link = Entry.objects.get(job=full, kind="h")
    client.fileset.exclude = [os.fsdecode(link.target)]
    client.fileset.save()
    job = back_up(client, "Incremental")

    out = below(unpacked(whole(job), place / "out"), tree)

    assert job.level == "Incremental"
    assert (out / "a" / os.fsdecode(link.name)).read_text() == "2"


def test_a_chain_of_many_is_read_with_few_open_files(client, tree, place, monkeypatch):
    monkeypatch.setattr("backup_app.engines.archive.download.reader.MEMORY", 3 * 64 * KiB)
    back_up(client)
    for number in range(8):
        (tree / f"a/n{number % 5}").write_text(f"{number}")
        (tree / f"c/n{number}").write_text(f"{number}")
        if number > 2:
            (tree / f"c/n{number - 2}").unlink()
        job = back_up(client, "Incremental")

    size, plan = engine.plan_download(job)
    with engine.open_download(job, plan) as ranges:
        data = b"".join(ranges.read(0, size))
        assert len(ranges._open) == 3

    assert tree_of(below(unpacked(data, place / "out"), tree)) == tree_of(tree)


def test_any_range_is_that_part_of_the_whole(client, tree):
    back_up(client)
    (tree / "a/b/five").write_bytes(noise(5, 100 * KiB))
    job = back_up(client, "Incremental")
    data = whole(job)
    size, plan = engine.plan_download(job)
    numbers = random.Random(2)  # noqa: S311
    ranges = [sorted(numbers.sample(range(size + 1), 2)) for _ in range(50)]
    edges = [0, 1, 511, 512, 513, size - RECORD, size - 1025, size - 1024, size - 1, size]
    ranges += [(start, end) for start in edges for end in edges if start <= end]

    with engine.open_download(job, plan) as download:
        for start, end in ranges:
            assert b"".join(download.read(start, end - start)) == data[start:end]


@pytest.mark.parametrize(("offset", "length"), [(0, 0), (10**12, 5), (10, -5)])
def test_an_empty_range_has_no_bytes(client, offset, length):
    job = back_up(client)
    _, plan = engine.plan_download(job)

    with engine.open_download(job, plan) as download:
        assert list(download.read(offset, length)) == []


def test_a_range_over_the_end_stops_there(client):
    job = back_up(client)
    size, plan = engine.plan_download(job)

    with engine.open_download(job, plan) as download:
        assert b"".join(download.read(size - 3, 100)) == bytes(3)


@pytest.mark.django_db(transaction=True)
def test_chunks_that_are_read_at_once_are_the_whole(client, tree):
    back_up(client)
    (tree / "a/b/five").write_bytes(noise(5, 100 * KiB))
    job = back_up(client, "Incremental")
    data = whole(job)
    size, plan = engine.plan_download(job)
    downloads = [engine.open_download(job, plan) for _ in range(size // 50_000 + 1)]

    def chunk(number):
        with downloads[number] as download:
            return b"".join(download.read(number * 50_000, 50_000))

    with ThreadPoolExecutor(4) as pool:
        chunks = list(pool.map(chunk, reversed(range(len(downloads)))))

    assert b"".join(reversed(chunks)) == data


def test_a_sparse_file_of_5_gb_takes_little_memory(client, tree, place):
    with (tree / "holes").open("wb") as file:
        file.truncate(5 * 1024 * MiB)
        file.seek(3 * 1024 * MiB)
        file.write(b"in the middle")
    job = back_up(client)

    tracemalloc.start()
    size, plan = engine.plan_download(job)
    with engine.open_download(job, plan) as download:
        read = sum(map(len, download.read(0, size)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert read == size < MiB
    assert peak < 20 * MiB


def test_blocks_are_neither_tiny_nor_huge(client, tree):
    for number in range(300):
        (tree / f"small{number}").write_bytes(noise(number, KiB))
    job = back_up(client)
    size, plan = engine.plan_download(job)

    with engine.open_download(job, plan) as download:
        sizes = [len(block) for block in download.read(0, size)]

    assert all(256 * KiB <= length < 512 * KiB for length in sizes[:-1])


def test_a_damaged_volume_is_reported(client):
    job = back_up(client)
    _, plan = engine.plan_download(job)
    volume = volume_of(job)
    data = bytearray(volume.read_bytes())
    data[100] ^= 1
    volume.write_bytes(data)

    with engine.open_download(job, plan) as download, pytest.raises(EngineError) as refused:
        list(download.read(0, 1000))

    assert str(refused.value).startswith(f"The volume '{volume}' is damaged at byte 0: ")


def test_a_missing_volume_is_reported(client):
    job = back_up(client)
    _, plan = engine.plan_download(job)
    volume_of(job).unlink()

    with engine.open_download(job, plan) as download, pytest.raises(EngineError) as refused:
        list(download.read(0, 1000))

    assert str(refused.value) == (
        f"The volume '{volume_of(job)}' cannot be read: No such file or directory."
    )


def test_a_backup_without_a_volume_is_reported(client):
    job = back_up(client)
    _, plan = engine.plan_download(job)
    job.volume.delete()

    with pytest.raises(EngineError) as refused:
        engine.open_download(job, plan)

    assert str(refused.value) == f"Backup {job.pk} has no volume."


def test_only_good_backups_can_be_downloaded():
    job = catalogued(ClientFactory(), {b"/srv/a": "f"}, status="failed")

    with pytest.raises(WrongState):
        engine.plan_download(job)


def test_the_plan_of_a_full_backup_is_quick_and_that_of_a_long_chain_is_not():
    client = ClientFactory()
    full = catalogued(client, {b"/srv/a": "f"}, files=1_000_000)
    job = catalogued(client, {b"/srv/b": "f"}, full, files=1)
    small = catalogued(client, {b"/srv/a": "f"}, files=10)
    other = catalogued(client, {b"/srv/b": "f"}, small, files=1)

    slow = [engine.may_be_slow_to_plan(each) for each in (full, job, small, other)]

    assert slow == [False, True, False, False]


def test_planning_calls_tick(client, tree):
    back_up(client)
    (tree / "new").write_text("n")
    job = back_up(client, "Incremental")
    ticks = []

    engine.plan_download(job, lambda: ticks.append(1))

    assert len(ticks) >= 2 * len(View(job).sources)


@pytest.mark.parametrize("lost", ["entry", "link"])
def test_what_a_damaged_catalog_lacks_is_not_left_out(client, tree, lost):
    back_up(client)
    (tree / "new").write_text("n")
    job = back_up(client, "Incremental")
    if lost == "entry":
        Entry.objects.filter(job=job, name=b"new").delete()
    else:
        job.source_links.first().delete()

    with pytest.raises(EngineError, match="catalog"):
        engine.plan_download(job)


def test_a_download_keeps_no_more_frames_than_fit():
    assert Download(Plan(), 4 * MiB)._most == 16
    assert Download(Plan(), 64 * MiB)._most == 2
