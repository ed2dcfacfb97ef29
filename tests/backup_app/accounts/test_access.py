"""Who may use which operation, and on whose behalf."""

import pytest
from django.contrib.auth.hashers import make_password
from django.test import RequestFactory

from backup_app.accounts.callers import Caller, address_of
from backup_app.models import AuditEntry, Job
from backup_app.urls import ROUTES

from ..support.answering_engine import answering_engine
from ..support.api_client import client_of, client_with, refused
from ..support.factories import AccountFactory, ClientFactory, JobFactory, SubuserFactory

pytestmark = pytest.mark.django_db

# What a subuser's own login may use: to list, browse, restore, download and follow the jobs of the
# clients granted to it, and to look up what those are called, what they are and which mailboxes
# their backups hold. It starts no backups and cancels none: a job may be another's.
SUBUSERS_MAY = {
    1: "jobs",
    2: "files",
    3: "nodes",
    4: "restore",
    5: "restorenodes",
    6: "restoremysql",
    7: "status",
    10: "system",
    11: "restoretree",
    12: "downloadinfo",
    13: "download",
    14: "getclientnamebyip",
    15: "msexchange",
    16: "msexchange",
    17: "msexchange",
    20: "servers",
    21: "myjobs",
    35: "joblog",
}
SUBUSERS_MAY_NOT = {
    8: "run",
    9: "cancel",
    18: "getbaaszones",
    19: "storages",
    22: "supportedsystems",
    23: "backupnow",
    24: "getconfig",
    25: "genconfig",
    26: "backupoptions",
    27: "getpool",
    28: "savepool",
    29: "subuser",
    30: "subuser",
    31: "subuser",
    32: "subuser",
    33: "subuser",
    34: "deleteclient",
    36: "savefileset",
}
OPERATIONS = {view.operation.number: (route, view.operation) for route, view in ROUTES.items()}
WRITES = {4, 5, 6, 8, 9, 23, 25, 28, 29, 30, 31, 34, 36}
GETS = {7, 9, 18}
HALVES = {
    "<str:client_ip>": "192.0.2.77",
    "<str:server_ip>": "192.0.2.77",
    "<number:job_id>": "9",
    "<number:node_id>": "9",
    "<number:chunk>": "9",
}


def address(route):
    for name, value in HALVES.items():
        route = route.replace(name, value)
    return f"/api/{route}"


@pytest.fixture
def sam(account):
    return SubuserFactory(account=account, login="sam", password=make_password("pass-of-7-sam"))


@pytest.fixture
def as_sam(sam):
    return client_with("sam", "pass-of-7-sam")


def test_operations_are_numbered_in_a_row():
    assert sorted(OPERATIONS) == list(range(1, len(ROUTES) + 1))


def test_each_has_its_method():
    assert {number for number, (_, found) in OPERATIONS.items() if found.method == "GET"} == GETS


def test_each_that_changes_something_is_noted():
    assert {number for number, (_, found) in OPERATIONS.items() if found.writes} == WRITES


def test_what_subusers_may():
    declared = {n: route.partition("/")[0] for n, (route, _) in OPERATIONS.items()}
    allowed = {number for number, (_, found) in OPERATIONS.items() if found.subusers}

    assert declared == SUBUSERS_MAY | SUBUSERS_MAY_NOT
    assert allowed == set(SUBUSERS_MAY)


@pytest.mark.parametrize("number", OPERATIONS)
def test_each_operation_needs_credentials(number, client):
    route, found = OPERATIONS[number]

    response = client.generic(found.method, address(route))

    assert refused(response, 401) == "Log in with HTTP Basic authentication."
    assert response["WWW-Authenticate"] == 'Basic realm="backup"'


@pytest.mark.parametrize("number", OPERATIONS)
def test_each_operation_has_one_method(number, client):
    route, found = OPERATIONS[number]
    other = "POST" if found.method == "GET" else "GET"

    response = client.generic(other, address(route))

    assert refused(response, 405)
    assert response["Allow"] == found.method


@pytest.mark.parametrize("number", SUBUSERS_MAY_NOT)
def test_a_subuser_is_forbidden_the_rest(number, as_sam):
    route, found = OPERATIONS[number]

    response = as_sam.generic(found.method, address(route))

    assert refused(response, 403) == f"A subuser's login may not {found.verb_phrase}."
    noted = AuditEntry.objects.values_list("login", "operation", "outcome", "detail").get()
    assert noted == ("sam", found.name, "refused", response.json()["error"])


class TestGranted:
    @pytest.fixture
    def job(self, account):
        return JobFactory(client__account=account, status="completed")

    def test_a_subuser_sees_what_is_granted_only(self, as_sam, sam, account, job):
        JobFactory(client__account=account, status="completed")
        JobFactory(status="completed")
        sam.clients.add(job.client)

        assert [server["name"] for server in as_sam.post("/api/servers").json()["servers"]] == [
            job.client.name
        ]
        assert [each["job_id"] for each in as_sam.post("/api/myjobs").json()["jobs"]] == [job.pk]

    def test_what_is_not_granted_is_forbidden_and_what_is_not_there_unknown(self, as_sam, job):
        other = JobFactory(client__ip="198.51.100.7")

        for path, status in {
            f"getclientnamebyip/{job.client.ip}": 403,
            "getclientnamebyip/198.51.100.7": 404,
            f"joblog/{job.pk}": 403,
            f"joblog/{other.pk}": 404,
            "joblog/99999": 404,
        }.items():
            assert refused(as_sam.post(f"/api/{path}"), status)

    def test_a_restore_of_what_is_not_granted_is_never_told_of(self, as_sam, sam, job):
        restore = JobFactory(client=job.client, type="restore", level=None, requested_by="ann")
        sam.clients.add(job.client)
        foreign = JobFactory(client__account=job.account, status="completed")
        Job.objects.filter(pk=restore.pk).update(parent=foreign)

        assert refused(as_sam.post(f"/api/joblog/{restore.pk}"), 403)
        foreign.delete()
        assert refused(as_sam.post(f"/api/joblog/{restore.pk}"), 403)
        assert as_sam.post("/api/myjobs").json()["total"] == 1
        Job.objects.filter(pk=restore.pk).update(requested_by="sam")
        assert as_sam.post(f"/api/joblog/{restore.pk}").status_code == 200

    def test_on_behalf_of_a_subuser_the_same_holds(self, account, sam, job):
        api = client_of(account)
        path, data = f"/api/joblog/{job.pk}", {"subuser": "sam"}

        assert refused(api.post(path, data), 403) == f"The job {job.pk} is not granted to 'sam'."
        sam.clients.add(job.client)
        assert api.post(path, data).status_code == 200
        sam.clients.clear()
        assert api.post(path).status_code == 200

    def test_a_get_names_the_subuser_in_its_query(self, account, sam, job):
        api, path = client_of(account), f"/api/status/{job.pk}"

        assert refused(api.get(path, {"subuser": "sam"}), 403)
        assert refused(api.generic("GET", path, '{"subuser": "sam"}', "application/json"), 403)
        sam.clients.add(job.client)
        assert api.get(path, {"subuser": "sam"}).json()["job_id"] == job.pk

    def test_a_post_does_not(self, account, sam, job):
        response = client_of(account).post(f"/api/joblog/{job.pk}?subuser=sam")

        assert response.status_code == 200

    def test_no_subuser_is_named_by_an_empty_text(self, account, job):
        response = client_of(account).post(f"/api/joblog/{job.pk}", {"subuser": ""})

        assert response.status_code == 200

    def test_an_unknown_subuser_is_404(self, account, job):
        SubuserFactory(login="eve")

        for login in ("eve", "nobody"):
            response = client_of(account).post(f"/api/joblog/{job.pk}", {"subuser": login})
            assert refused(response, 404) == f"There is no subuser '{login}'."

    def test_a_subuser_may_name_itself_and_nobody_else(self, as_sam, sam, account, job):
        sam.clients.add(job.client)
        SubuserFactory(account=account, login="tom")

        assert as_sam.post("/api/myjobs", {"subuser": "sam"}).json()["total"] == 1
        for login in ("tom", "nobody"):
            assert refused(as_sam.post("/api/myjobs", {"subuser": login}), 403) == (
                f"A subuser may not act for '{login}'."
            )

    def test_a_restore_from_a_client_that_is_not_granted_is_hidden(self, as_sam, sam, account, job):
        elsewhere = JobFactory(client__account=account, type="restore", parent=job)
        sam.clients.add(elsewhere.client)

        assert refused(as_sam.get(f"/api/status/{elsewhere.pk}"), 403)

    def test_staff_see_their_own_only(self, job):
        staff = AccountFactory(is_staff=True, is_superuser=True)

        assert refused(client_of(staff).get(f"/api/status/{job.pk}"), 404)


class TestAudit:
    def test_a_write_and_a_refused_access_leave_a_row(self, account, sam):
        api, client = client_of(account), ClientFactory(account=account, name="web1")
        api.post(
            "/api/subuser/grant", {"client": "web1", "subuser": "sam"}, REMOTE_ADDR="192.0.2.3"
        )
        api.post("/api/joblog/77", {"subuser": "sam"})
        api.post("/api/servers")
        api.post("/api/subuser/grant", {"client": "web1"})

        rows = AuditEntry.objects.order_by("pk").values_list(
            "account", "login", "operation", "target", "outcome", "detail", "address"
        )
        who = (account.pk, account.email)
        assert list(rows) == [
            (*who, "grant_access", "sam web1", "done", "", "192.0.2.3"),
            (*who, "job_log", "77 for sam", "refused", "There is no job 77.", "127.0.0.1"),
        ]
        assert client.subusers.get() == sam

    def test_a_subusers_row_has_its_login(self, as_sam, account):
        as_sam.post("/api/joblog/77")

        assert AuditEntry.objects.values_list("account", "login").get() == (account.pk, "sam")

    def test_a_target_longer_than_its_column_is_cut(self, account):
        client = ClientFactory(account=account)
        with answering_engine():
            client_of(account).post(f"/api/run/{client.ip}", {"cmd": "x" * 900})

        row = AuditEntry.objects.get()
        assert row.target == f"{client.ip} {'x' * 900}"[:500]

    def test_a_nul_in_a_login_is_kept_as_a_sign(self):
        client_with("s\0m", "wrong").post("/api/servers")

        assert AuditEntry.objects.get().login == "s�m"


class TestAddressOf:
    def test_the_project_says_how_an_address_is_found(self, settings):
        request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1", HTTP_X_REAL_IP="192.0.2.2")

        settings.BACKUP_CLIENT_ADDRESS = ""
        assert address_of(request) == "192.0.2.1"
        settings.BACKUP_CLIENT_ADDRESS = "tests.backup_app.accounts.test_access.from_header"
        assert address_of(request) == "192.0.2.2"

    def test_a_caller_is_limited_to_who_logged_in(self):
        sam, tom = SubuserFactory(), SubuserFactory()
        caller = Caller(sam.account, "sam", "", subuser=sam, behalf=tom)

        assert caller.limited_to == sam
        assert caller.unlimited.limited_to is None


def from_header(request):
    return request.META["HTTP_X_REAL_IP"]
