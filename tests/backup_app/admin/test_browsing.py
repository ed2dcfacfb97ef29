"""The page of the admin that walks through a backup and restores from it."""

import os

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from backup_app.jobs import control, execute
from backup_app.models import Job

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
    assert shown["letter.txt"]["size"] == "8\xa0bytes"
    assert shown["link"]["target"] == "letter.txt"
    assert list(rows(client.get(shown["inner"]["address"]))) == ["deep"]
    assert list(rows(client.get(shown["a & b"]["address"]))) == []
    assert list(rows(client.get(shown["� odd"]["address"]))) == ["in it"]


def test_the_breadcrumb_leads_back(client, staff, backup, tmp_path):
    names = parts(tmp_path / "data")

    crumbs = open_folder(client, backup, *names).context["crumbs"]

    assert [crumb["name"] for crumb in crumbs] == ["/", *names]
    assert list(rows(client.get(crumbs[-2]["address"]))) == ["data"]


def test_what_is_selected_is_restored_to_another_folder(client, staff, backup, tmp_path):
    shown = rows(open_folder(client, backup, *parts(tmp_path / "data")))
    target = tmp_path / "data/restored"
    wanted = {"files": shown["letter.txt"]["id"], "nodes": shown["inner"]["id"]}

    response = client.post(browse_url(backup), {**wanted, "path": str(target)})

    job = Job.objects.get(type="restore")
    assert response.url == reverse("admin:backup_app_job_change", args=[job.pk])
    assert (job.client, job.parent, job.requested_by) == (backup.client, backup, staff.username)
    assert job.request == {
        "nodes": [shown["inner"]["id"]],
        "files": [shown["letter.txt"]["id"]],
        "path": str(target),
    }


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"path": "/"}, "Nothing to restore: name files or folders."),
        ({"path": "/", "files": "999999999"}, "999999999"),
        ({"path": "x", "nodes": "root"}, "The destination 'x' is not an absolute path."),
        ({"path": "/a/../b", "nodes": "root"}, "contains '..' or a NUL."),
        ({"path": "", "nodes": "root"}, "This field is required."),
        ({"path": "/", "nodes": "none"}, "none is not one of the available choices"),
    ],
)
def test_what_cannot_be_restored_is_refused(client, staff, backup, sent, sentence):
    root = client.get(browse_url(backup)).context["node_id"]
    sent = {name: root if value == "root" else value for name, value in sent.items()}

    response = client.post(browse_url(backup), sent, follow=True)

    assert sentence in response.content.decode().replace("&#x27;", "'")
    assert not Job.objects.filter(type="restore").exists()


def test_what_was_chosen_stays_so_after_a_refusal(client, staff, backup, tmp_path):
    shown = open_folder(client, backup, *parts(tmp_path / "data"))
    letter, inner = rows(shown)["letter.txt"], rows(shown)["inner"]
    sent = {"files": letter["id"], "nodes": inner["id"], "path": "/elsewhere"}

    again = client.post(shown.request["PATH_INFO"] + "?" + shown.request["QUERY_STRING"], sent)

    chosen = [name for name, row in rows(again).items() if row["is_chosen"]]
    assert chosen == ["inner", "letter.txt"]
    assert again.content.decode().count(" checked ") == 2
    assert again.context["form"]["path"].value() == "/elsewhere"
    assert "'/elsewhere' is not below a folder" in str(next(iter(again.context["messages"])))


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

    second = client.get(first.context["next"])
    third = client.get(second.context["next"])

    assert first.context["previous"] is None
    assert list(rows(third)) == ["link"]
    assert third.context["next"] is None
    assert list(rows(client.get(third.context["previous"]))) == list(rows(second))


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

    client.post(browse_url(backup), {"nodes": node, "path": "/"})

    assert "Restore the selection" not in response.content.decode()
    assert not Job.objects.filter(type="restore").exists()


def test_whoever_may_not_look_sees_nothing(client, backup):
    client.force_login(User.objects.create_user("other@example.org", is_staff=True))

    assert client.get(browse_url(backup)).status_code == 403
