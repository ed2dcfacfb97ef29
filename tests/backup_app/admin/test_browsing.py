"""The pages of the admin that walk through a backup, and restore or download a selection."""

import datetime as dt
import io
import os
import socket
import tarfile
import time
import zipfile

import pytest
import zstandard
from django.contrib.auth.models import Permission, User
from django.urls import reverse
from django.utils import timezone

from backup_app.jobs import control, execute, retention
from backup_app.models import Client, Job
from backup_app.services import downloads
from backup_app.services.files import selected_downloads

from ..support.factories import (
    ClientFactory,
    FilesetFactory,
    JobFactory,
    PoolFactory,
    StorageFactory,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def backup(settings, tmp_path):
    """A backup of a folder with files, folders, and a name that is no UTF-8."""
    settings.BACKUP_LOCAL_ROOTS = [str(tmp_path / "data")]
    settings.DATA_DIR = tmp_path
    data = tmp_path / "data"
    (data / "inner/deep").mkdir(parents=True)
    (tmp_path / "storage").mkdir()
    (data / "letter.txt").write_text("Dear Ada")
    (data / "inner/deep/note").write_text("deep down")
    (data / "a & b").mkdir()
    (data / "link").symlink_to("letter.txt")
    odd = os.fsencode(data) + b"/\xff odd"
    os.mkdir(odd)  # noqa: PTH102
    with open(odd + b"/in it", "w") as file:  # noqa: PTH123 - pathlib takes no bytes
        file.write("x")
    pool = PoolFactory(storage=StorageFactory(path=str(tmp_path / "storage")))
    fileset = FilesetFactory(account=pool.account, include=[{"path": str(data)}])
    client = ClientFactory(account=pool.account, pool=pool, fileset=fileset, name="db1")
    job = control.start_backup(client, level="full", by="test")
    execute.run(job.pk)
    job.refresh_from_db()
    assert job.status == "completed", job.message
    return job


def browse_url(job):
    return reverse("admin:backup_app_job_browse", args=[job.pk])


def rows(response):
    assert response.status_code == 200, response.headers
    return {row["name"]: row for row in response.context["rows"]}


def open_folder(client, job, *names):
    """Return what the page shows after a click on each of these folders, from the root."""
    response = client.get(browse_url(job))
    for name in names:
        response = client.get(rows(response)[name]["address"])
    return response


def parts(path):
    return [part for part in str(path).split("/") if part]


def test_folders_are_walked_from_the_root(client, staff, backup, tmp_path):
    shown = rows(open_folder(client, backup, *parts(tmp_path / "data")))

    assert list(shown) == ["a & b", "inner", "� odd", "letter.txt", "link"]
    assert shown["letter.txt"]["size"] == "8 bytes"
    assert shown["link"]["target"] == "letter.txt"
    assert list(rows(client.get(shown["inner"]["address"]))) == ["deep"]
    assert list(rows(client.get(shown["a & b"]["address"]))) == []
    assert list(rows(client.get(shown["� odd"]["address"]))) == ["in it"]


def test_the_breadcrumb_leads_back(client, staff, backup, tmp_path):
    names = parts(tmp_path / "data")

    crumbs = open_folder(client, backup, *names).context["crumbs"]

    assert [crumb["name"] for crumb in crumbs] == ["/", *names]
    assert list(rows(client.get(crumbs[-2]["address"]))) == ["data"]


def plan_url(job):
    return reverse("admin:backup_app_job_plan", args=[job.pk])


def select(client, job, **sent):
    """Press a button of the page with what is checked; return the answer."""
    return client.post(browse_url(job), sent)


def said(response):
    return [str(message) for message in response.context["messages"]]


def test_what_is_selected_is_planned_and_restored_to_another_folder(
    client, staff, backup, tmp_path
):
    shown = rows(open_folder(client, backup, *parts(tmp_path / "data")))
    target = str(tmp_path / "data/restored")
    wanted = {"files": shown["letter.txt"]["id"], "nodes": shown["inner"]["id"]}

    assert select(client, backup, **wanted, plan="").url == plan_url(backup)
    plan = client.get(plan_url(backup), {"path": target, "existing": "keep"})
    response = client.post(plan_url(backup), {"path": target, "existing": "keep"})

    assert plan.context["preview"].entries == 4
    job = Job.objects.get(type="restore")
    assert response.url == reverse("admin:backup_app_job_change", args=[job.pk])
    assert (job.client, job.parent, job.requested_by) == (backup.client, backup, staff.username)
    assert job.request == {
        "nodes": [shown["inner"]["id"]],
        "files": [shown["letter.txt"]["id"]],
        "path": target,
        "existing": "keep",
    }


def test_a_selection_survives_the_walk_through_folders(client, staff, backup, tmp_path):
    page = open_folder(client, backup, *parts(tmp_path / "data"))
    shown = rows(page)
    letter, inner, link = (shown[name] for name in ("letter.txt", "inner", "link"))

    to = select(client, backup, files=[letter["id"], link["id"]], to=inner["query"])
    below = rows(client.get(to.url))["deep"]
    select(client, backup, nodes=below["id"], shown_nodes=below["id"])
    select(client, backup, shown_files=[letter["id"], link["id"]], files=letter["id"])

    again = open_folder(client, backup, *parts(tmp_path / "data"))
    assert [name for name, row in rows(again).items() if row["is_chosen"]] == ["letter.txt"]
    assert again.content.decode().count(" checked ") == 1
    assert rows(client.get(to.url))["deep"]["is_chosen"]
    assert again.context["selected"] == 2
    assert select(client, backup, clear="").status_code == 302
    assert open_folder(client, backup).context["selected"] == 0


@pytest.mark.parametrize("to", ["path=%2F%2Fexample.org", "https://example.org/", "p=x", ""])
def test_a_walk_leads_nowhere_else(client, staff, backup, to):
    assert select(client, backup, to=to).url.startswith(browse_url(backup))


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"files": "999999999", "plan": ""}, "999999999"),
        ({"nodes": "none"}, "none is not one of the available choices"),
        ({"nodes": str(2**63)}, "is not one of the available choices"),
        ({"nodes": [str(n) for n in range(1, 1002)]}, "At most 1000 files and folders"),
    ],
)
def test_what_cannot_be_selected_is_refused(client, staff, backup, sent, sentence, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = None  # Django's own limit is lower
    response = select(client, backup, **sent)

    assert sentence in said(response)[0]


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"path": "x"}, "The destination 'x' is not an absolute path."),
        ({"path": "/a/../b"}, "contains '..' or a NUL."),
        ({"path": ""}, "This field is required."),
        ({"existing": "maybe"}, "maybe is not one of the available choices"),
        ({"client": "999"}, "not one of the available choices"),
        ({"path": "/elsewhere"}, "'/elsewhere' is not below a folder"),
    ],
)
def test_what_cannot_be_restored_is_refused(client, staff, backup, sent, sentence):
    select(client, backup, nodes=client.get(browse_url(backup)).context["node_id"])

    for response in (
        client.get(plan_url(backup), sent),
        client.post(plan_url(backup), sent, follow=True),
    ):
        assert sentence in response.content.decode().replace("&#x27;", "'")
    assert not Job.objects.filter(type="restore").exists()


def test_a_client_that_is_silent_holds_up_no_plan(client, staff, backup, settings, monkeypatch):
    settings.BACKUP_SSH_CONNECT_SECONDS = 60
    monkeypatch.setattr(control, "PATIENCE", 1)
    select(client, backup, nodes=client.get(browse_url(backup)).context["node_id"])
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it accepts, and never says a word
        place = {"ip": "127.0.0.1", "ssh_port": silent.getsockname()[1]}
        key = "ssh-ed25519 " + "A" * 68
        Client.objects.update(connection="ssh", host_key=key, **place)

        begun = time.monotonic()
        page = client.get(plan_url(backup)).content.decode()

    assert time.monotonic() - begun < 30
    assert "cannot be reached at 127.0.0.1" in page
    assert "did not answer in time, so what is there already is unknown." in page


def test_a_plan_is_only_of_what_is_selected(client, staff, backup):
    assert client.get(plan_url(backup)).url == browse_url(backup)


def test_the_clients_to_restore_to_are_those_of_the_account(client, staff, backup):
    ClientFactory(name="other")
    ClientFactory(name="mine", account=backup.account, zone=backup.client.zone)
    select(client, backup, nodes=client.get(browse_url(backup)).context["node_id"])

    offered = client.get(plan_url(backup)).context["form"].fields["client"].queryset

    assert [each.name for each in offered] == ["db1", "mine"]


def test_what_newer_files_would_lose_is_said(client, staff, backup, tmp_path):
    os.utime(tmp_path / "data/letter.txt", ns=(4 * 10**18, 4 * 10**18))
    shown = rows(open_folder(client, backup, *parts(tmp_path / "data")))
    select(client, backup, files=shown["letter.txt"]["id"])

    page = client.get(plan_url(backup)).content.decode()

    assert "1 newer version or other file would be overwritten." in page
    assert "A newer version is there" in page


def test_a_report_is_shown_once_a_restore_has_one(client, staff, backup, tmp_path):
    shown = rows(open_folder(client, backup, *parts(tmp_path / "data")))
    select(client, backup, files=shown["letter.txt"]["id"])
    client.post(plan_url(backup))
    job = Job.objects.get(type="restore")
    address = reverse("admin:backup_app_job_report", args=[job.pk])
    assert client.get(address).status_code == 404

    execute.run(job.pk)

    assert "The same is there" in client.get(address).content.decode()


def downloaded(client, job, kind):
    response = select(client, job, download=kind)
    response = client.get(response.url)
    assert response.status_code == 200, response.headers
    return response, b"".join(response.streaming_content)


def test_a_selection_is_downloaded_as_tar_zst(client, staff, backup, tmp_path):
    shown = rows(open_folder(client, backup, *parts(tmp_path / "data")))
    select(client, backup, files=shown["letter.txt"]["id"], nodes=shown["� odd"]["id"])

    response, content = downloaded(client, backup, "tar.zst")

    tar = zstandard.ZstdDecompressor().decompressobj().decompress(content)
    with tarfile.open(fileobj=io.BytesIO(tar), errors="surrogateescape") as found:
        names = [os.fsencode(member.name) for member in found if member.isreg()]
        letter = found.extractfile(f"{tmp_path}/data/letter.txt".strip("/")).read()
    data = os.fsencode(str(tmp_path / "data").strip("/"))
    assert sorted(names) == [data + b"/letter.txt", data + b"/\xff odd/in it"]
    assert letter == b"Dear Ada"
    name = f'attachment; filename="db1-job-{backup.pk}-selection.tar.zst"'
    assert response["Content-Disposition"] == name


def test_a_selection_is_downloaded_as_zip(client, staff, backup, tmp_path):
    Client.objects.filter(pk=backup.client_id).update(name="東京")
    select(client, backup, nodes=client.get(browse_url(backup)).context["node_id"])

    response, content = downloaded(client, backup, "zip")

    name = f"%E6%9D%B1%E4%BA%AC-job-{backup.pk}-selection.zip"
    assert response["Content-Disposition"] == f"attachment; filename*=utf-8''{name}"

    top = str(tmp_path / "data").strip("/")
    with zipfile.ZipFile(io.BytesIO(content)) as found:
        assert found.testzip() is None
        assert found.read(f"{top}/letter.txt") == b"Dear Ada"
        assert found.read(f"{top}/link") == b"letter.txt"
        assert found.getinfo(f"{top}/link").external_attr >> 28 == 0o12
        assert f"{top}/� odd/in it" in found.namelist()


def test_a_zip_leads_to_no_other_folder_on_windows():
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as made:
        made.addfile(tarfile.TarInfo("a/..\\..\\evil"))
        link = tarfile.TarInfo("a/same")
        link.type, link.linkname = tarfile.LNKTYPE, "a/..\\..\\evil"
        made.addfile(link)

    content = b"".join(selected_downloads.KINDS["zip"](iter([tar.getvalue()])))

    with zipfile.ZipFile(io.BytesIO(content)) as found:
        assert found.namelist() == ["a/.._.._evil", "a/same"]
        assert found.read("a/same") == b"../a/.._.._evil"


def test_a_backup_is_not_pruned_while_a_selection_of_it_is_sent(
    client, staff, backup, monkeypatch, time_machine
):
    long_ago = timezone.now() - dt.timedelta(days=999)
    Job.objects.filter(pk=backup.pk).update(started=long_ago, ended=long_ago)
    JobFactory(client=backup.client, status="completed", level="Full", fileset=backup.fileset)
    select(client, backup, nodes=client.get(browse_url(backup)).context["node_id"])
    monkeypatch.setattr(downloads, "HOLD_SECONDS", 0)

    place = reverse("admin:backup_app_job_selected", args=[backup.pk])
    blocks = iter(client.get(place, {"kind": "zip"}).streaming_content)
    assert list(retention.prune([backup.client])) == []
    next(blocks)
    time_machine.move_to(timezone.now() + dt.timedelta(hours=23))
    next(blocks)
    time_machine.move_to(timezone.now() + dt.timedelta(hours=2))

    assert list(retention.prune([backup.client])) == []
    assert b"".join(blocks)
    time_machine.move_to(timezone.now() + dt.timedelta(hours=25))
    assert [removed.job_id for removed in retention.prune([backup.client])] == [backup.pk]


@pytest.mark.parametrize("kind", ["rar", ""])
def test_an_unknown_kind_of_download_is_refused(client, staff, backup, kind):
    place = reverse("admin:backup_app_job_selected", args=[backup.pk])
    select(client, backup, nodes=client.get(browse_url(backup)).context["node_id"])

    response = client.get(place, {"kind": kind}, follow=True)

    assert said(response) == [f"Unknown kind '{kind}': it must be tar.zst or zip."]


def test_a_backup_opens_at_its_deepest_common_folder(client, staff, backup, tmp_path):
    response = client.get(browse_url(backup), {"deepest": ""}, follow=True)

    assert "letter.txt" in rows(response)


@pytest.mark.parametrize(
    "query", [{"path": "/nowhere"}, {"path": "\0"}, {"path": ""}, {"path": "x"}]
)
def test_an_unknown_folder_leads_back_to_the_job(client, staff, backup, query):
    response = client.get(browse_url(backup), query, follow=True)

    assert response.status_code == 200


@pytest.mark.parametrize("number", ["x", "-1", "9" * 30, "7"])
def test_an_invalid_page_shows_the_first_one(client, staff, backup, number):
    assert client.get(browse_url(backup), {"p": number}).status_code == 200


def test_a_long_folder_has_pages(client, staff, backup, tmp_path, monkeypatch):
    monkeypatch.setattr("backup_app.admin.browsing.PAGE_SIZE", 2)
    first = open_folder(client, backup, *parts(tmp_path / "data"))

    second = client.get(first.context["next"]["address"])
    third = client.get(second.context["next"]["address"])

    assert first.context["previous"] is None
    assert list(rows(third)) == ["link"]
    assert third.context["next"] is None
    assert list(rows(client.get(third.context["previous"]["address"]))) == list(rows(second))


def test_only_the_page_of_a_good_backup_leads_to_its_content(client, staff, backup):
    failed = JobFactory(client=backup.client, status="failed")
    restore = JobFactory(client=backup.client, type="restore", level=None, status="completed")

    pages = {job.pk: job_page(client, job) for job in [backup, failed, restore]}

    leading = [pk for pk, page in pages.items() if "/browse" in page]
    assert leading == [backup.pk]


def job_page(client, job):
    response = client.get(reverse("admin:backup_app_job_change", args=[job.pk]))
    assert response.status_code == 200
    return response.content.decode()


def test_a_backup_without_content_is_not_browsed(client, staff):
    job = JobFactory(status="failed")

    response = client.get(browse_url(job), follow=True)

    assert response.redirect_chain[0][0] == reverse("admin:backup_app_job_change", args=[job.pk])
    assert f"Job {job.pk} is failed" in response.content.decode()


def test_an_unknown_job_is_not_found(client, staff):
    assert client.get("/admin/backup_app/job/9/browse/").status_code == 404
    assert client.get("/admin/backup_app/job/x/browse/").status_code == 404


def test_whoever_may_only_look_restores_nothing(client, backup):
    user = User.objects.create_user("looker@example.org", is_staff=True)
    user.user_permissions.add(*Permission.objects.filter(codename__in=["view_job", "all_accounts"]))
    client.force_login(user)
    response = client.get(browse_url(backup))
    node = response.context["node_id"]

    client.post(browse_url(backup), {"nodes": node, "plan": ""})

    assert "Restore…" not in response.content.decode()
    for name in ("plan", "selected"):
        address = reverse(f"admin:backup_app_job_{name}", args=[backup.pk])
        assert (client.get(address).status_code, client.post(address).status_code) == (403, 403)
    assert not Job.objects.filter(type="restore").exists()


def test_whoever_may_not_look_sees_nothing(client, backup):
    client.force_login(User.objects.create_user("other@example.org", is_staff=True))

    assert client.get(browse_url(backup)).status_code == 403
