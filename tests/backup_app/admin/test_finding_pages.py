"""The pages of a client that search all of its backups, show versions and compare."""

import datetime as dt

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse
from django.utils import timezone

from backup_app.models import AccountAccess, Volume
from backup_app.services.files import finding

from ..support.catalog_rows import catalogued
from ..support.factories import ClientFactory
from ..support.folder_engine import folder_engine

pytestmark = pytest.mark.django_db
NAMES = ["find", "versions", "differences"]
DAY = dt.timedelta(days=1)


@pytest.fixture
def machine():
    return ClientFactory(name="web1")


def stored(machine, entries, base=None, age=0):
    moment = timezone.now() - age * DAY
    job = catalogued(machine, entries, base, started=moment, ended=moment)
    Volume.objects.create(job=job, path="x", size=1, tar_size=1, sha256=b"")
    finding.try_index(job)
    return job


def open_page(client, name, machine, **query):
    return client.get(reverse(f"admin:backup_app_client_{name}", args=[machine.pk]), query)


def said(response):
    return [str(message) for message in response.context["messages"]]


def test_a_name_is_found_with_its_newest_version(client, staff, machine):
    full = stored(machine, {b"/etc/hosts": ("f", 5), b"/etc/host\xff": "f"})
    stored(machine, {b"/etc/hosts": "-"}, full)

    response = open_page(client, "find", machine, q="HOST")

    rows = response.context["rows"]
    assert [row["path"] for row in rows] == ["/etc/hosts", "/etc/host�"]
    assert (rows[0]["job"], rows[0]["number"]) == (full, 1)
    assert "Gone since" in response.content.decode()
    assert client.get(rows[1]["address"]).context["rows"][0]["newest"].pk > full.pk


@pytest.mark.parametrize("number", [1, 3])
def test_the_queries_of_a_search_do_not_grow(client, staff, number, django_assert_max_num_queries):
    machine = ClientFactory()
    stored(machine, {f"/a{n}/file{n}".encode(): "f" for n in range(number)})

    with django_assert_max_num_queries(16):
        assert len(open_page(client, "find", machine, q="file").context["rows"]) == number


@pytest.mark.parametrize(
    ("query", "sentence"),
    [({"q": "/"}, "Enter a part of a name"), ({"q": "x" * 201}, "at most 200 characters")],
)
def test_what_cannot_be_searched_for_is_said(client, staff, machine, query, sentence):
    assert sentence in said(open_page(client, "find", machine, **query))[0]


def test_results_have_pages(client, staff, machine, monkeypatch):
    monkeypatch.setattr(finding, "PAGE_SIZE", 2)
    monkeypatch.setattr(finding.search, "__defaults__", (0, 2))
    stored(machine, {f"/a/file{n}".encode(): "f" for n in range(3)})
    first = open_page(client, "find", machine, q="file")

    second = client.get(first.request["PATH_INFO"] + first.context["next"])

    assert [row["path"] for row in second.context["rows"]] == ["/a/file2"]
    assert second.context["next"] is None


def test_the_backup_of_a_moment_is_opened(client, staff, machine):
    old = stored(machine, {b"/a/b/x": "f", b"/a/b/y": "f"}, age=3)
    stored(machine, {b"/a/b/z": "f"}, old, age=1)
    at = (timezone.now() - 2 * DAY).strftime("%Y-%m-%dT%H:%M")

    response = open_page(client, "find", machine, open=1, at=at, path="/a")
    deepest = open_page(client, "find", machine, open=1)

    browse = reverse("admin:backup_app_job_browse", args=[old.pk])
    assert response.url == f"{browse}?path=%2Fa"
    assert client.get(deepest.url).url.endswith("?path=%2Fa%2Fb")
    too_early = open_page(client, "find", machine, open=1, at="2001-01-01T00:00")
    assert said(too_early) == ["Client 'web1' has no good backup of then or before."]
    assert (
        "Enter a valid date" in open_page(client, "find", machine, open=1, at="x").content.decode()
    )


def test_a_version_is_selected_to_be_restored_or_downloaded(client, staff, machine):
    full = stored(machine, {b"/a/file": ("f", 1)})
    stored(machine, {b"/a/file": ("f", 2)}, full)
    address = reverse("admin:backup_app_client_versions", args=[machine.pk]) + "?path=/a/file"

    restored = client.post(address, {"version": "1"})
    loaded = client.post(address, {"version": "1", "download": "zip"})

    assert restored.url == reverse("admin:backup_app_job_plan", args=[full.pk])
    assert loaded.url == reverse("admin:backup_app_job_selected", args=[full.pk]) + "?kind=zip"
    assert client.session["backup_selection"]["files"] == [full.entries.get(name=b"file").pk]
    assert client.post(address, {"version": "9"}).status_code == 404


def test_two_backups_are_compared_in_pages(client, staff, machine, monkeypatch):
    full = stored(machine, {b"/a/file": "f"})
    stored(machine, {b"/a/file": "-", b"/a/new": "f"}, full)

    response = open_page(client, "differences", machine)

    assert [(row["path"], row["change"]) for row in response.context["rows"]] == [
        ("/a/file", "removed"),
        ("/a/new", "added"),
    ]
    broken = open_page(client, "differences", machine, after="x")
    assert said(broken) == ["'x' is no place to continue from."]
    assert open_page(client, "differences", ClientFactory()).status_code == 200


def test_an_engine_that_cannot_find_says_so(client, staff, machine):
    full = stored(machine, {b"/a/file": "f"})
    stored(machine, {b"/a/file": "-"}, full)
    with folder_engine():
        assert "cannot search" in said(open_page(client, "find", machine, q="x"))[0]
        assert "cannot compare" in said(open_page(client, "differences", machine))[0]
        response = open_page(client, "versions", machine, path="/a")
        assert response.status_code == 302


def member(client, *permissions):
    user = User.objects.create_user("member@example.org", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client.force_login(user)
    return user


@pytest.mark.parametrize("name", NAMES)
def test_what_belongs_to_another_account_is_not_found(client, machine, name):
    stored(machine, {b"/a/secret": "f"})
    user = member(client, "view_client", "view_job")

    refused = open_page(client, name, machine, q="secret", path="/a/secret")
    AccountAccess.objects.create(user=user, account=machine.account)
    allowed = open_page(client, name, machine, q="secret", path="/a/secret")

    assert (refused.status_code, allowed.status_code) == (404, 200)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("permissions", [[], ["view_client"], ["view_job"]])
def test_who_may_not_see_clients_and_jobs_finds_nothing(client, machine, name, permissions):
    user = member(client, *permissions)
    AccountAccess.objects.create(user=user, account=machine.account)

    assert open_page(client, name, machine).status_code in (403, 404)


def test_who_may_only_look_selects_nothing(client, machine):
    stored(machine, {b"/a/file": "f"})
    AccountAccess.objects.create(
        user=member(client, "view_client", "view_job"), account=machine.account
    )
    address = reverse("admin:backup_app_client_versions", args=[machine.pk]) + "?path=/a/file"

    assert client.post(address, {"version": "0"}).status_code == 404
    assert "Restore…" not in client.get(address).content.decode()
