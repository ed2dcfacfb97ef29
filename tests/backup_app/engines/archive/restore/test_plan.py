import pytest

from backup_app.engines.archive.catalog.selection import select_paths
from backup_app.engines.archive.catalog.view import View
from backup_app.engines.archive.restore.plan import RestorePlan, coalesced, folders_above
from backup_app.engines.values import Selection
from backup_app.exceptions import NotFound

from ....support.catalog_rows import catalogued
from ....support.factories import ClientFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def plan(tmp_path):
    with RestorePlan(tmp_path / "plan") as plan:
        yield plan


def backup(files, base=None, client=None):
    """Return a backup whose entries lie one after the other in its tar."""
    job = catalogued(client or ClientFactory(), files, base)
    for number, entry in enumerate(job.entries.order_by("pk")):
        entry.offset, entry.length = number * 1024, 1024
        entry.save()
    return job


def fill(plan, job, *paths):
    view = View(job)
    plan.fill(view, select_paths(view, paths))
    return sorted(path for path, _ in plan.placed())


def test_neighbours_are_one_piece():
    pieces = [(1, 0, 10), (1, 10, 5), (1, 20, 5), (2, 25, 5)]

    assert list(coalesced(pieces)) == [(1, 0, 15), (1, 20, 5), (2, 25, 5)]
    assert list(coalesced([])) == []


def test_ways_lead_to_what_is_selected_from_the_root():
    selection = Selection(nodes=[(1, b"/a/b")], files=[(2, b"/a/b/c/d"), (3, b"/x/y")])

    assert folders_above(selection) == {b"/", b"/a", b"/x"}


def test_a_folder_brings_all_below_it_and_nothing_beside(plan):
    job = backup({b"/a/b/c": "f", b"/a/bc": "f", b"/a/b": "d"})

    assert fill(plan, job, b"/a/b") == [b"/a/b", b"/a/b/c"]
    assert plan.passed == {b"/", b"/a"}


def test_a_whole_full_backup_is_a_single_piece(plan):
    job = backup({b"/a/b": "f", b"/c": "f"})

    fill(plan, job, b"/")

    assert list(plan.segments()) == [(job.pk, 0, 4 * 1024)]


def test_what_is_selected_twice_is_wanted_once(plan):
    job = backup({b"/a/b": "f"})

    assert fill(plan, job, b"/a", b"/a/b", b"/a/") == [b"/a", b"/a/b"]


def test_of_a_chain_the_newest_counts_and_what_is_gone_does_not(plan):
    full = backup({b"/a/changed": "f", b"/a/same": "f", b"/a/gone": "f"})
    job = backup({b"/a/changed": "f", b"/a/gone": "-"}, full, full.client)

    assert fill(plan, job, b"/a") == [b"/a", b"/a/changed", b"/a/same"]
    sources = {part.path: part.job_id for part in plan.parts()}
    assert (sources[b"/a/changed"], sources[b"/a/same"]) == (job.pk, full.pk)
    assert plan.sources() == [full.pk, job.pk]


def test_the_target_of_a_link_helps_if_it_is_not_wanted_itself(plan):
    job = backup({b"/a/file": "f", b"/b/link": "h"})
    job.entries.filter(name=b"link").update(target=b"/a/file")

    assert fill(plan, job, b"/b") == [b"/b", b"/b/link"]
    assert plan.only_helping() == [b"/a/file"]
    assert not plan.has(b"/a/file")
    assert not plan.has(b"/a")


def test_a_target_that_is_wanted_too_is_no_help(plan):
    job = backup({b"/a/file": "f", b"/b/link": "h"})
    job.entries.filter(name=b"link").update(target=b"/a/file")

    fill(plan, job, b"/")

    assert plan.only_helping() == []


def test_the_target_that_a_link_was_made_to_counts_not_a_newer_one(plan):
    full = backup({b"/a/file": "f", b"/b/link": "h"})
    full.entries.filter(name=b"link").update(target=b"/a/file")
    job = backup({b"/a/file": "f"}, full, full.client)

    fill(plan, job, b"/b")

    sources = {part.path: part.job_id for part in plan.parts()}
    assert sources[b"/a/file"] == full.pk


def test_what_has_no_content_is_not_found(plan):
    job = catalogued(ClientFactory(), {b"/a": "f"})  # without any blocks

    with pytest.raises(NotFound, match="contains nothing of the selection"):
        fill(plan, job, b"/a")
