"""Operations 4, 5 and 6 as a caller sees them."""

import pytest
from django.contrib.auth.hashers import make_password

from backup_app.engines import get_engine
from backup_app.models import AuditEntry, Entry, Job

from ...support.api_client import client_with, refusal
from ...support.catalog_rows import catalogued, folder_of
from ...support.factories import ClientFactory, FilesetFactory, JobFactory, SubuserFactory
from ...support.folder_engine import folder_engine

pytestmark = pytest.mark.django_db


@pytest.fixture
def backup(machine):
    """A full backup of two homes, and of what lies beside them."""
    paths = [b"/etc/hosts", b"/home/al/notes", b"/home/al/docs/old", b"/home/alice/diary"]
    return catalogued(machine, dict.fromkeys(paths, "f"))


def restores():
    return Job.objects.filter(type="restore")


def subuser_of(machine, **values):
    """Return a subuser with a password to whom a machine is granted."""
    password = make_password("sesame")
    sam = SubuserFactory(account=machine.account, login="sam", password=password, **values)
    sam.grants.create(client=machine)
    return sam


class TestRestore:
    @pytest.fixture
    def asked(self, api, backup):
        def ask(*files, client=backup.client, **options):
            return api.post(f"/api/restore/{backup.pk}/{client.ip}", {"files": files, **options})

        return ask

    def test_is_queued_at_once(self, asked, backup, machine):
        answer = asked("/etc/hosts", "/home/al/")

        job = restores().get()
        assert (answer.status_code, answer.json()) == (200, {"job_id": job.pk})
        assert (job.parent, job.client, job.status) == (backup, machine, "queued")
        assert job.requested_by == machine.account.email
        assert job.request == {
            "nodes": [folder_of(machine, b"/home/al").pk],
            "files": [Entry.objects.get(name=b"hosts").pk],
            "path": "/",
        }

    @pytest.mark.parametrize(
        "body", ["files[0]=/etc/hosts&files[1]=/home/al", "files[]=/etc/hosts&files[]=/home/al"]
    )
    def test_a_form_asks_as_json_does(self, api, backup, body):
        answer = api.post(
            f"/api/restore/{backup.pk}/{backup.client.ip}",
            body,
            content_type="application/x-www-form-urlencoded",
        )

        assert answer.status_code == 200
        request = restores().get().request
        assert (len(request["nodes"]), len(request["files"])) == (1, 1)

    @pytest.mark.parametrize(
        ("path", "stored"), [("", "/"), ("/", "/"), ("/mnt/x", "/mnt/x"), ("//mnt/./x/", "/mnt/x")]
    )
    def test_the_destination(self, asked, path, stored):
        asked("/etc/hosts", path=path)

        assert restores().get().request["path"] == stored

    @pytest.mark.parametrize("path", ["mnt", "/mnt/../etc", "/..", "/mnt\0"])
    def test_a_destination_that_could_lead_elsewhere_is_refused(self, asked, path):
        answer = asked("/etc/hosts", path=path)

        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["path"])
        assert not restores().exists()

    def test_the_first_path_that_is_missing_is_named(self, asked, backup):
        assert refusal(asked("/etc/hosts", "/etc/none", "/no")) == (
            404,
            f"Backup {backup.pk} does not contain '/etc/none'.",
        )
        assert not restores().exists()

    @pytest.mark.parametrize("path", ["/etc/../etc/hosts", "/..", "/home/al/../alice/diary"])
    def test_a_path_with_two_dots_is_not_found(self, asked, path):
        assert asked(path).status_code == 404
        assert not restores().exists()

    @pytest.mark.parametrize("files", [[], [""], ["etc"], [{"a": 1}]])
    def test_invalid_paths_are_refused(self, asked, files):
        assert asked(*files).status_code == 400
        assert not restores().exists()

    @pytest.mark.parametrize("place", ["x", "-1", "9" * 5000])
    def test_an_invalid_index_of_a_list_is_refused(self, api, backup, place):
        answer = api.post(
            f"/api/restore/{backup.pk}/{backup.client.ip}",
            f"files[{place}]=/etc/hosts",
            content_type="application/x-www-form-urlencoded",
        )

        assert answer.status_code == 400

    def test_files_are_needed(self, api, backup):
        answer = api.post(f"/api/restore/{backup.pk}/{backup.client.ip}", {"path": "/"})

        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["files"])

    def test_too_many_are_refused(self, asked, settings):
        settings.BACKUP_MAX_PATHS = 2

        answer = asked("/etc/hosts", "/etc/hosts", "/etc/hosts")

        assert answer.json()["fields"] == {
            "files": ["There are 3 items, more than the limit of 2."]
        }

    def test_another_client_of_the_account_may_get_it(self, asked, machine):
        other = ClientFactory(account=machine.account, connection="ssh")

        asked("/etc/hosts", client=other)

        assert restores().get().client == other

    def test_another_accounts_client_is_unknown(self, asked):
        theirs = ClientFactory(ip="198.51.100.1")

        assert refusal(asked("/etc/hosts", client=theirs)) == (
            404,
            "There is no client with the address '198.51.100.1'.",
        )
        assert not restores().exists()

    def test_of_two_clients_a_subuser_needs_both(self, asked, machine):
        other = ClientFactory(account=machine.account, connection="ssh")
        sam = subuser_of(machine)

        assert asked("/etc/hosts", client=other, subuser="sam").status_code == 403
        assert not restores().exists()

        sam.grants.create(client=other)
        assert asked("/etc/hosts", client=other, subuser="sam").status_code == 200

    @pytest.mark.parametrize("status", ["running", "failed", "canceled"])
    def test_a_backup_without_content_is_refused(self, api, machine, status):
        job = JobFactory(client=machine, status=status)

        answer = api.post(f"/api/restore/{job.pk}/{machine.ip}", {"files": ["/etc"]})

        assert answer.status_code == 409

    def test_leaves_an_audit_row(self, asked, backup, machine):
        asked("/etc/hosts", path="/mnt")

        row = AuditEntry.objects.get()
        assert (row.login, row.operation, row.outcome) == (machine.account.email, "restore", "done")
        assert row.target == f"{backup.pk} {machine.ip} /mnt"


class TestWholeMachines:
    def test_an_account_restores_them(self, api, backup):
        answer = api.post(f"/api/restore/{backup.pk}/{backup.client.ip}", {"files": ["/"]})

        assert answer.status_code == 200

    @pytest.mark.parametrize(("bmr", "status"), [(False, 403), (True, 200)])
    def test_on_behalf_of_a_subuser_only_if_it_may(self, api, backup, bmr, status):
        subuser_of(backup.client, bmr=bmr)

        answer = api.post(
            f"/api/restore/{backup.pk}/{backup.client.ip}",
            {"files": ["/etc/hosts", "//"], "path": "/mnt", "subuser": "sam"},
        )

        assert answer.status_code == status
        assert restores().exists() == bmr

    @pytest.mark.parametrize(("bmr", "status"), [(False, 403), (True, 200)])
    def test_by_a_subusers_login_only_if_it_may(self, backup, bmr, status):
        subuser_of(backup.client, bmr=bmr)
        sam = client_with("sam", "sesame")

        answer = sam.post(
            f"/api/restorenodes/{backup.pk}/{backup.client.ip}",
            {"nodes": [folder_of(backup.client, b"/").pk], "home": "/"},
        )

        assert answer.status_code == status
        assert restores().exists() == bmr

    @pytest.mark.parametrize(
        ("files", "status"),
        [
            (["/"], 403),
            (["/etc", "/home"], 403),
            (["/etc/hosts", "/home/al", "/home/alice/diary"], 403),
            (["/etc/hosts", "/home/al/notes", "/home/al/docs/old", "/home/alice/diary"], 403),
            (["/home"], 200),
            (["/etc", "/home/al"], 200),
            (["/etc/hosts", "/home/al/notes", "/home/alice/diary"], 200),
        ],
    )
    @pytest.mark.parametrize("operation", ["restore", "restorenodes"])
    def test_all_that_a_backup_holds_is_the_whole_machine(
        self, api, backup, machine, operation, files, status
    ):
        subuser_of(machine)
        sent = {"files": files}
        if operation == "restorenodes":
            selection = get_engine("default").select_paths(
                backup, [file.encode() for file in files]
            )
            nodes, ids = ([pk for pk, _ in found] for found in (selection.nodes, selection.files))
            sent = {"nodes": nodes, "files": ids, "home": "/"}

        answer = api.post(f"/api/{operation}/{backup.pk}/{machine.ip}", {**sent, "subuser": "sam"})

        assert answer.status_code == status

    @pytest.mark.parametrize(("bmr", "status"), [(False, 403), (True, 200)])
    def test_the_only_folder_is_all_that_there_is(self, api, machine, bmr, status):
        subuser_of(machine, bmr=bmr)
        backup = catalogued(machine, {b"/data/a": "f", b"/data/b/c": "f"})

        answer = api.post(
            f"/api/restore/{backup.pk}/{machine.ip}", {"files": ["/data"], "subuser": "sam"}
        )

        assert answer.status_code == status

    def test_few_folders_are_read(self, api, machine, django_assert_max_num_queries):
        subuser_of(machine)
        names = {f"/data/{number}/{number}".encode(): "f" for number in range(300)}
        backup = catalogued(machine, names)

        with django_assert_max_num_queries(40):
            answer = api.post(
                f"/api/restore/{backup.pk}/{machine.ip}",
                {"files": [name.decode() for name in names if b"9" in name], "subuser": "sam"},
            )

        assert answer.status_code == 200

    def test_the_refusal_says_who_may_not(self, api, backup):
        subuser_of(backup.client)

        answer = api.post(
            f"/api/restore/{backup.pk}/{backup.client.ip}", {"files": ["/"], "subuser": "sam"}
        )

        assert answer.json()["error"] == "Subuser 'sam' may not restore whole machines."


class TestRestoreNodes:
    @pytest.fixture
    def asked(self, api, backup):
        return lambda **options: api.post(
            f"/api/restorenodes/{backup.pk}/{backup.client.ip}", options
        )

    @pytest.fixture
    def node(self, machine, backup):
        return lambda path: folder_of(machine, path).pk

    @pytest.fixture
    def file(self, backup):
        return lambda name: Entry.objects.get(name=name).pk

    def test_is_queued_at_once(self, asked, node, file):
        docs, notes = node(b"/home/al/docs"), file(b"notes")

        answer = asked(nodes=[docs], files=[notes], home="/home/al", path="/home/al/back")

        job = restores().get()
        assert (answer.status_code, answer.json()) == (200, {"job_id": job.pk})
        assert job.request == {"nodes": [docs], "files": [notes], "path": "/home/al/back"}

    def test_a_form_asks_as_json_does(self, api, backup, node):
        answer = api.post(
            f"/api/restorenodes/{backup.pk}/{backup.client.ip}",
            f"home=/home/al&path=/&nodes[0]={node(b'/home/al/docs')}",
            content_type="application/x-www-form-urlencoded",
        )

        assert answer.status_code == 200

    @pytest.mark.parametrize("options", [{}, {"home": ""}])
    def test_a_home_is_needed(self, asked, node, options):
        answer = asked(nodes=[node(b"/home/al")], **options)

        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["home"])
        assert not restores().exists()

    @pytest.mark.parametrize("path", [b"/home/alice", b"/home", b"/", b"/etc"])
    def test_one_node_outside_the_home_refuses_all(self, asked, node, path):
        answer = asked(nodes=[node(b"/home/al/docs"), node(path)], home="/home/al")

        assert refusal(answer) == (403, f"'{path.decode()}' is not in '/home/al'.")
        assert not restores().exists()

    def test_one_file_outside_the_home_refuses_all(self, asked, node, file):
        answer = asked(nodes=[node(b"/home/al")], files=[file(b"diary")], home="/home/al")

        assert refusal(answer) == (403, "'/home/alice/diary' is not in '/home/al'.")
        assert not restores().exists()

    @pytest.mark.parametrize("path", ["/home/alice", "/home", "/home/al/../alice", "/mnt"])
    def test_a_destination_outside_the_home_is_refused(self, asked, node, path):
        answer = asked(nodes=[node(b"/home/al")], home="/home/al", path=path)

        assert refusal(answer) == (403, f"'{path}' is not in '/home/al'.")
        assert not restores().exists()

    @pytest.mark.parametrize("home", ["/home/alice/../al", "/home/al/..", "/.."])
    def test_a_home_with_two_dots_contains_nothing(self, asked, node, home):
        assert asked(nodes=[node(b"/home/al")], home=home).status_code == 403

    @pytest.mark.parametrize("kind", ["nodes", "files"])
    def test_an_unknown_id_is_named(self, asked, kind):
        answer = asked(**{kind: [987654321]}, home="/")

        assert answer.status_code == 404
        assert "987654321" in answer.json()["error"]

    def test_another_clients_ids_are_unknown(self, asked, machine):
        other = ClientFactory(account=machine.account)
        catalogued(other, {b"/home/al/x": "f"})

        answer = asked(nodes=[folder_of(other, b"/home/al").pk], home="/home/al")

        assert answer.status_code == 404

    @pytest.mark.parametrize("ids", [["x"], [0], [-1], [2**63], [1.5], [None]])
    def test_invalid_ids_are_refused(self, asked, ids):
        assert asked(nodes=ids, home="/").status_code == 400

    def test_nothing_selected_is_refused(self, asked):
        answer = asked(home="/")

        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["files"])


class TestRestoreMysql:
    @pytest.fixture(autouse=True)
    def engine(self):
        with folder_engine():
            yield

    @pytest.fixture
    def dumped(self, machine):
        """A backup with the dumps of two databases, one of which no server has any more."""
        names = [{"kind": "mysql", "name": name} for name in ("shop", "absent")]
        fileset = FilesetFactory(account=machine.account, databases=names)
        return JobFactory(client=machine, fileset=fileset, status="completed")

    def test_goes_to_the_original_server(self, api, dumped):
        answer = api.post(f"/api/restoremysql/{dumped.pk}/shop")

        job = restores().get()
        assert (answer.status_code, answer.json()) == (200, {"job_id": job.pk})
        assert (job.client, job.parent) == (dumped.client, dumped)
        assert job.request == {"database": {"database": "shop", "kind": "mysql"}}

    @pytest.mark.parametrize("by", ["name", "ip"])
    def test_goes_to_another_client_by_name_or_address(self, api, dumped, by):
        other = ClientFactory(account=dumped.account, name="db2")

        api.post(f"/api/restoremysql/{dumped.pk}/shop", {"client": getattr(other, by)})

        assert restores().get().client == other

    def test_an_unknown_client_is_named(self, api, dumped):
        ClientFactory(name="theirs")

        assert refusal(api.post(f"/api/restoremysql/{dumped.pk}/shop", {"client": "theirs"})) == (
            404,
            "There is no client named 'theirs'.",
        )

    def test_a_database_that_the_server_has_not_is_refused(self, api, dumped):
        assert refusal(api.post(f"/api/restoremysql/{dumped.pk}/absent")) == (
            409,
            "There is no database 'absent' on client 'web1'.",
        )
        assert not restores().exists()

    def test_a_database_without_a_dump_is_unknown(self, api, dumped):
        answer = api.post(f"/api/restoremysql/{dumped.pk}/blog")

        assert answer.status_code == 404
        assert not restores().exists()
