"""Operations 2, 3 and 11 as a caller sees them."""

import base64

import pytest

from backup_app.models import AuditEntry, Entry

from ...support.api_client import queries_of, refusal
from ...support.catalog_rows import catalogued, folder_of
from ...support.factories import JobFactory

pytestmark = pytest.mark.django_db
LATIN = b"caf\xe9\n"


@pytest.fixture
def backup(machine):
    """A full backup of two homes, and of what lies beside them."""
    return catalogued(
        machine,
        {
            b"/etc/hosts": ("f", 12),
            b"/home/al/notes": ("f", 5),
            b"/home/al/docs": "d",
            b"/home/al/docs/old": "d",
            b"/home/alice/diary": ("f", 7),
        },
    )


def names(files):
    return [file["name"] for file in files]


class TestFiles:
    def test_one_level_folders_first(self, api, backup):
        answer = api.post(f"/api/files/{backup.pk}", {"path": "/home/al"})

        assert answer.status_code == 200
        assert {**answer.json(), "files": names(answer.json()["files"])} == {
            "job_id": backup.pk,
            "path": "/home/al",
            "node_id": folder_of(backup.client, b"/home/al").pk,
            "files": ["docs", "notes"],
            "total": 2,
        }

    def test_all_that_is_known_of_a_file(self, api, backup):
        entry = Entry.objects.get(name=b"hosts")
        Entry.objects.filter(pk=entry.pk).update(mtime_ns=1894708800 * 10**9 + 5)

        answer = api.post(f"/api/files/{backup.pk}", {"path": "/etc"})

        assert answer.json()["files"] == [
            {
                "file_id": entry.pk,
                "node_id": None,
                "parent_node_id": folder_of(backup.client, b"/etc").pk,
                "name": "hosts",
                "path": "/etc/hosts",
                "type": "file",
                "size": 12,
                "mtime": "2030-01-15 12:00:00",
                "mode": "0644",
                "owner": "root",
                "group": "staff",
                "target": None,
                "sha256": "00" * 32,
            }
        ]

    @pytest.mark.parametrize("options", [{}, {"path": ""}, {"path": "/"}, {"path": "//."}])
    def test_the_root_when_no_path_is_named(self, api, backup, options):
        answer = api.post(f"/api/files/{backup.pk}", options).json()

        assert (answer["path"], names(answer["files"])) == ("/", ["etc", "home"])

    def test_a_form_asks_as_json_does(self, api, backup):
        answer = api.post(
            f"/api/files/{backup.pk}/",
            "path=%2Fhome%2Fal%2F",
            content_type="application/x-www-form-urlencoded",
        )

        assert names(answer.json()["files"]) == ["docs", "notes"]

    def test_the_view_has_what_the_backup_builds_on_without_what_is_gone(self, api, backup):
        changes = {b"/home/al/notes": "-", b"/home/al/new": "f"}
        newer = catalogued(backup.client, changes, backup)

        answer = api.post(f"/api/files/{newer.pk}", {"path": "/home/al"}).json()

        assert names(answer["files"]) == ["docs", "new"]

    @pytest.mark.parametrize(
        ("options", "found"),
        [({"limit": 1}, ["docs"]), ({"offset": 1}, ["notes"]), ({"limit": 5, "offset": 9}, [])],
    )
    def test_a_page(self, api, backup, options, found):
        answer = api.post(f"/api/files/{backup.pk}", {"path": "/home/al", **options}).json()

        assert (names(answer["files"]), answer["total"]) == (found, 2)

    def test_a_limit_above_the_most_is_the_most(self, api, backup, settings):
        settings.BACKUP_MAX_PAGE_SIZE = 1

        answer = api.post(f"/api/files/{backup.pk}", {"path": "/home/al", "limit": 100}).json()

        assert names(answer["files"]) == ["docs"]

    @pytest.mark.parametrize("path", ["/none", "/etc/hosts", "/etc/../etc", "/hom"])
    def test_a_folder_that_is_not_there_is_unknown(self, api, backup, path):
        answer = api.post(f"/api/files/{backup.pk}", {"path": path})

        assert answer.status_code == 404
        assert path in answer.json()["error"]

    @pytest.mark.parametrize("path", ["etc", "/a\0b", "/" + 5000 * "a"])
    def test_an_invalid_path_is_refused(self, api, backup, path):
        answer = api.post(f"/api/files/{backup.pk}", {"path": path})

        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["path"])

    def test_a_name_that_is_no_text_shows_its_bytes_and_can_be_asked_by_its_id(self, api, machine):
        backup = catalogued(machine, {b"/srv/" + LATIN + b"/x": "f"})

        (folder,) = api.post(f"/api/files/{backup.pk}", {"path": "/srv"}).json()["files"]
        inside = api.post(f"/api/nodes/{backup.pk}/{folder['node_id']}").json()

        path = base64.b64encode(b"/srv/" + LATIN).decode()
        assert (folder["name"], folder["path"]) == ("caf\ufffd\n", "/srv/caf\ufffd\n")
        assert folder["path_b64"] == inside["path_b64"] == path
        assert names(inside["files"]) == ["x"]

    @pytest.mark.parametrize("status", ["queued", "running", "canceling", "failed", "canceled"])
    def test_a_backup_without_content_is_refused(self, api, machine, status):
        job = JobFactory(client=machine, status=status)

        assert refusal(api.post(f"/api/files/{job.pk}")) == (
            409,
            f"Backup {job.pk} is {status}, so it has no content.",
        )

    def test_a_restore_cannot_be_browsed(self, api, backup):
        job = JobFactory(client=backup.client, type="restore", level=None, status="completed")

        assert refusal(api.post(f"/api/files/{job.pk}")) == (
            409,
            f"Job {job.pk} is a restore, not a backup.",
        )

    def test_takes_the_same_queries_for_one_and_for_three(self, api, machine):
        one = catalogued(machine, {b"/a": "f"})
        three = catalogued(machine, {b"/a": "f", b"/b": "f", b"/c": "f"})

        few = queries_of(lambda: api.post(f"/api/files/{one.pk}"))

        assert queries_of(lambda: api.post(f"/api/files/{three.pk}")) == few


class TestNodes:
    @pytest.fixture
    def asked(self, api, backup):
        def ask(folder, **options):
            node_id = folder_of(backup.client, folder).pk
            return api.post(f"/api/nodes/{backup.pk}/{node_id}", options)

        return ask

    def test_folders_and_files_apart(self, asked, backup):
        answer = asked(b"/home/al")

        assert answer.status_code == 200
        assert {**answer.json(), "nodes": names(answer.json()["nodes"])} == {
            "job_id": backup.pk,
            "node_id": folder_of(backup.client, b"/home/al").pk,
            "path": "/home/al",
            "nodes": ["docs"],
            "files": answer.json()["files"],
        }
        assert names(answer.json()["files"]) == ["notes"]

    def test_all_that_is_known_of_a_node(self, asked, backup):
        docs = folder_of(backup.client, b"/home/al/docs")
        Entry.objects.filter(node=docs).update(mtime_ns=1894708800 * 10**9)

        assert asked(b"/home/al").json()["nodes"] == [
            {
                "node_id": docs.pk,
                "name": "docs",
                "path": "/home/al/docs",
                "size": 0,
                "files": 0,
                "mtime": "2030-01-15 12:00:00",
                "has_children": True,
            }
        ]

    def test_a_node_is_the_same_in_all_backups(self, api, backup):
        newer = catalogued(backup.client, {b"/home/al/new": "f"}, backup)
        node_id = folder_of(backup.client, b"/home/al").pk

        answer = api.post(f"/api/nodes/{newer.pk}/{node_id}").json()

        assert names(answer["files"]) == ["new", "notes"]

    @pytest.mark.parametrize("path", ["/home/al", "/home/al/", "/home", "/", ""])
    def test_at_or_below_the_path(self, asked, path):
        assert asked(b"/home/al", path=path).status_code == 200

    @pytest.mark.parametrize(
        "path", ["/home/alice", "/home/al/docs", "/home/a", "/home/alice/../al"]
    )
    def test_a_node_elsewhere_is_refused_and_noted(self, asked, path):
        assert refusal(asked(b"/home/al", path=path)) == (403, f"'/home/al' is not in '{path}'.")
        assert AuditEntry.objects.get().outcome == "refused"

    def test_a_name_that_only_begins_alike_is_elsewhere(self, asked):
        assert asked(b"/home/alice", path="/home/al").status_code == 403

    def test_an_unknown_node_is_unknown(self, api, backup):
        assert api.post(f"/api/nodes/{backup.pk}/{10**17}").status_code == 404

    def test_takes_the_same_queries_for_one_and_for_three(self, api, machine):
        one = catalogued(machine, {b"/a": "d", b"/b": "f"})
        more = {b"/a": "d", b"/b": "d", b"/c": "d", b"/d": "f", b"/e": "f", b"/f": "f"}
        three = catalogued(machine, more)
        root = folder_of(machine, b"/").pk

        few = queries_of(lambda: api.post(f"/api/nodes/{one.pk}/{root}"))

        assert queries_of(lambda: api.post(f"/api/nodes/{three.pk}/{root}")) == few


class TestRestoreTree:
    @pytest.fixture
    def asked(self, api, backup):
        return lambda **options: api.post(f"/api/restoretree/{backup.client.ip}", options)

    def test_the_folders_in_a_folder(self, asked, backup):
        docs = folder_of(backup.client, b"/home/al/docs")

        answer = asked(name="/home/al", home="/home/al").json()

        assert answer["name"] == "/home/al"
        assert [(node["node_id"], node["path"]) for node in answer["nodes"]] == [
            (docs.pk, "/home/al/docs")
        ]

    def test_the_home_when_none_is_named(self, asked):
        assert asked(home="/home/al").json()["name"] == "/home/al"

    def test_as_the_newest_backup_has_them(self, asked, backup):
        catalogued(backup.client, {b"/home/al/docs": "-", b"/home/al/new": "d"}, backup)

        answer = asked(name="/home/al", home="/home").json()

        assert names(answer["nodes"]) == ["new"]

    @pytest.mark.parametrize(
        "name", ["/home/alice", "/home", "/", "/home/al/../alice", "/home/al/docs/../../alice"]
    )
    def test_outside_the_home_is_refused(self, asked, name):
        assert refusal(asked(name=name, home="/home/al")) == (
            403,
            f"'{name}' is not in '/home/al'.",
        )

    @pytest.mark.parametrize("options", [{}, {"home": ""}])
    def test_a_home_is_needed(self, asked, options):
        answer = asked(name="/home/al", **options)

        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["home"])

    def test_a_folder_that_no_backup_has_is_unknown(self, asked):
        assert asked(name="/home/al/none", home="/home/al").status_code == 404

    def test_a_client_without_backups_has_no_folders(self, api, machine):
        assert api.post(f"/api/restoretree/{machine.ip}", {"home": "/"}).status_code == 404

    def test_takes_the_same_queries_for_one_and_for_three(self, asked, backup):
        few = queries_of(lambda: asked(home="/home/al"))
        catalogued(backup.client, {b"/home/al/a": "d", b"/home/al/b": "d"}, backup)

        assert queries_of(lambda: asked(home="/home/al")) == few
