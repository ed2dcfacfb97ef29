"""What a restore says of the place it goes to, and that the plan and the report agree."""

import os
import shutil

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.previews import Existing
from backup_app.exceptions import EngineError
from backup_app.models import Job

from ....support.local_backups import back_up, local_client, over_ssh, volume_of
from ....support.recording_run import Recording
from ....support.restores import begin_restore, restore

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("backup_root")]

MODES = list(Existing)
OLD, OLDER, NEWER = (1_700_000_000 * 10**9 + each * 10**9 for each in (0, -500, 500))


@pytest.fixture
def connection():
    """How the client is connected, where a test does not say."""
    return "local"


@pytest.fixture
def client(place, tree, connection, request):
    for path in [*tree.rglob("*"), tree]:
        os.utime(path, ns=(OLD, OLD))
    over = over_ssh(request.getfixturevalue("ssh_server")) if connection == "ssh" else {}
    return local_client(place, **over)


def preview(backup, *chosen, existing=Existing.OVERWRITE, **where):
    job = begin_restore(backup, *chosen, **where)
    Job.objects.filter(pk=job.pk).update(status="failed")
    job.request["existing"] = existing
    return ArchiveEngine().preview_restore(job)


def put_back(backup, *chosen, existing=Existing.OVERWRITE, **where):
    job = begin_restore(backup, *chosen, **where)
    job.request["existing"] = existing
    return restore(backup, run=Recording(job))


def entries(counts):
    return {state: count["entries"] for state, count in counts.items()}


def write(path, text, time):
    path.write_text(text)
    os.utime(path, ns=(time, time))


@pytest.fixture
def spoiled(client, tree):
    """A backup, after which a file was changed, another set back, and a third one deleted."""
    job = back_up(client)
    write(tree / "a/b/one", "newer", NEWER)
    write(tree / "a/two", "older", OLDER)
    (tree / "c/three").unlink()
    return job


@pytest.mark.parametrize("connection", ["local", "ssh"])
@pytest.mark.parametrize(
    ("existing", "placed", "left", "content"),
    [
        ("overwrite", {"new": 1, "older": 1, "newer": 1, "merged": 4}, {}, ("1", "2", "3")),
        ("keep-newer", {"new": 1, "older": 1, "merged": 4}, {"newer": 1}, ("newer", "2", "3")),
        ("keep", {"new": 1, "merged": 4}, {"older": 1, "newer": 1}, ("newer", "older", "3")),
    ],
)
def test_each_choice_leaves_what_it_says(spoiled, tree, existing, placed, left, content):
    planned = preview(spoiled, tree, existing=existing).as_json()
    run = put_back(spoiled, tree, existing=existing)

    assert (entries(planned["placed"]), entries(planned["left"])) == (placed, left)
    assert {name: run.outcome.report[name] for name in ("placed", "left", "paths")} == {
        name: planned[name] for name in ("placed", "left", "paths")
    }
    assert tuple((tree / name).read_text() for name in ("a/b/one", "a/two", "c/three")) == content


def test_the_conflicts_are_named_with_both_times(spoiled, tree):
    found = preview(spoiled, tree, existing="keep-newer").as_json()

    assert found["paths"] == [
        {
            "path": str(tree / name),
            "there": state,
            "placed": placed,
            "size": 1,
            "mtime": OLD // 10**9,
            "size_there": 5,
            "mtime_there": time // 10**9,
        }
        for name, state, placed, time in (
            ("a/b/one", "newer", False, NEWER),
            ("a/two", "older", True, OLDER),
        )
    ]


def test_a_plan_changes_nothing(spoiled, tree, place):
    before = state_of(place)

    preview(spoiled, tree)
    preview(spoiled, tree, to=place / "elsewhere")

    assert state_of(place) == before


def test_a_plan_tells_space_and_volumes(spoiled, tree, place):
    found = preview(spoiled, tree, to=place / "new")

    assert found.free > 0
    assert found.entries == 7
    assert [(volume.job_id, volume.fault) for volume in found.volumes] == [(spoiled.pk, "")]
    assert found.faults == []


def test_a_plan_names_a_volume_that_is_missing(spoiled, tree):
    volume_of(spoiled).unlink()

    (fault,) = preview(spoiled, tree).faults

    assert f"of backup {spoiled.pk} cannot be read: No such file or directory." in fault


def test_a_folder_in_the_place_of_a_file(client, tree):
    job = back_up(client)
    (tree / "a/two").unlink()
    (tree / "a/two").mkdir()
    (tree / "c/three").unlink()
    (tree / "c/three/full").mkdir(parents=True)

    planned = preview(job, tree).as_json()
    run = put_back(job, tree)

    assert entries(planned["left"]) == {"blocked": 1}
    assert entries(planned["placed"])["other"] == 1
    assert run.outcome.report["left"] == planned["left"]
    assert (tree / "a/two").read_text() == "2"
    assert (tree / "c/three/full").is_dir()


@pytest.mark.parametrize("existing", MODES)
def test_a_symlink_in_the_place_of_a_folder_is_not_followed(client, tree, outside, existing):
    job = back_up(client)
    shutil.rmtree(tree / "c")
    (tree / "c").symlink_to(outside)

    planned = preview(job, tree, existing=existing).as_json()
    put_back(job, tree, existing=existing)

    kept = existing != "overwrite"
    assert (tree / "c").is_symlink() == kept
    assert entries(planned["left"]) == ({"same": 2, "other": 1, "blocked": 1} if kept else {})


def test_a_hard_link_is_restored_though_its_target_stays(client, tree):
    (tree / "a/linked").hardlink_to(tree / "a/two")
    job = back_up(client)
    (tree / "a/linked").unlink()
    write(tree / "a/two", "kept", NEWER)

    put_back(job, tree, existing="keep")

    texts = {(tree / name).read_text() for name in ("a/two", "a/linked")}
    assert texts == {"kept", "2"}


def test_nothing_is_to_do(client, tree):
    job = back_up(client)

    run = put_back(job, tree, existing="keep")

    assert (run.outcome.files, run.outcome.warnings) == (0, 0)
    assert run.outcome.message == "Left 3 entries in place."


@pytest.fixture
def late(tree, monkeypatch):
    """A file that appears where a restore has seen none, before it is placed."""
    from backup_app.engines.archive.restore import run as restores

    def unpack_late(*args, **kwargs):
        (tree / "c/three").write_text("appeared")
        return unpack(*args, **kwargs)

    unpack = restores.unpack
    monkeypatch.setattr(restores, "unpack", unpack_late)
    return tree / "c/three"


def test_what_appears_after_the_look_is_kept(spoiled, tree, late):
    with pytest.raises(EngineError, match=r"Something has appeared"):
        put_back(spoiled, tree, existing="keep")

    assert late.read_text() == "appeared"


@pytest.mark.parametrize("connection", ["ssh"])
@pytest.mark.parametrize("existing", ["keep-newer", "keep"])
def test_what_appears_on_another_machine_is_kept_too(spoiled, tree, late, existing):
    run = put_back(spoiled, tree / "c", existing=existing)

    assert late.read_text() == "appeared"
    assert run.lines[-1] == (
        "warning",
        f"'{late}': Something has appeared in its place, and stays.",
    )
    assert run.outcome.report["refused"] == 1


NAMES = st.sampled_from(["a", "b", "c", "a-b"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
KINDS = st.sampled_from(["file", "dir", "link", "gone"])
TIMES = st.sampled_from([OLD, OLDER, NEWER])
TREES = st.dictionaries(PATHS, st.tuples(KINDS, TIMES), max_size=6)


def plant(top, wanted):
    for name, (kind, time) in sorted(wanted.items()):
        path = top / name
        try:
            remove(path)
            path.parent.mkdir(parents=True, exist_ok=True)
        except (NotADirectoryError, FileExistsError):
            continue
        if kind == "file":
            path.write_text(str(time % 7))
        elif kind == "dir":
            path.mkdir(exist_ok=True)
        elif kind == "link":
            path.symlink_to("/nowhere")
        if kind != "gone":
            os.utime(path, ns=(time, time), follow_symlinks=False)


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def state_of(top):
    """Return all but the times of reading, which the kernel notes."""
    found = {path: path.lstat() for path in top.rglob("*")}
    return {path: (s.st_mode, s.st_ino, s.st_size, s.st_mtime_ns) for path, s in found.items()}


def texts(top):
    return {
        str(path.relative_to(top)): (path.is_symlink(), path.is_dir(), path.lstat().st_mtime_ns)
        for path in top.rglob("*")
        if not path.is_dir()
    }


@hypothesis_settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(backed_up=TREES, there=TREES, existing=st.sampled_from(MODES))
def test_plan_and_report_agree_for_any_trees(place, backed_up, there, existing):
    number = len(list(place.iterdir()))
    folder = place / f"example{number}"
    (folder / "tree").mkdir(parents=True)
    plant(folder / "tree", backed_up)
    job = back_up(local_client(folder))
    plant(folder / "tree", there)
    before = texts(folder / "tree")

    planned = preview(job, folder / "tree", existing=existing).as_json()
    run = put_back(job, folder / "tree", existing=existing)

    report = run.outcome.report
    assert (report.pop("refused") > 0) == (existing == "overwrite" and "blocked" in planned["left"])
    assert {name: planned[name] for name in report} == report
    after = texts(folder / "tree")
    if existing == "keep":
        assert before.items() <= after.items()
    for path in report["paths"]:
        name = os.path.relpath(path["path"], folder / "tree")
        if not path["placed"] and name in before:
            assert after[name] == before[name]
