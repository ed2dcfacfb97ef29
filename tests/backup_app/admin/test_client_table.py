"""Clients from a table in the admin: shown first, then created, by who may and as shown."""

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client as Browser
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from playwright.sync_api import expect

from backup_app.models import AuditEntry, Client
from backup_app.services import client_table

from ..support.admin_pages import said
from ..support.answering_engine import AnsweringEngine, answering_engine
from ..support.factories import AccountFactory, FilesetFactory, PoolFactory

pytestmark = pytest.mark.django_db
ADDRESS = "/admin/backup_app/client/import/"
GOOD = "name,ip,pool\nweb1,192.0.2.1,month\nweb2,192.0.2.2,month\n"
MIXED = GOOD + "web3,192.0.2.999,month\nweb4,192.0.2.4,year\n"


@pytest.fixture(autouse=True)
def told(monkeypatch):
    """An engine that answers, and how often it was told of new clients."""
    calls = []
    monkeypatch.setattr(AnsweringEngine, "add_clients", lambda engine: calls.append(1))
    with answering_engine():
        yield calls


@pytest.fixture
def owner(db):
    account = AccountFactory()
    PoolFactory(account=account, name="month")
    FilesetFactory(account=account, name="default")
    return account


def upload(browser, owner, table, **more):
    content = table if isinstance(table, bytes) else table.encode()
    file = SimpleUploadedFile("machines.csv", content)
    return browser.post(ADDRESS, {"account": owner.email, "file": file} | more)


def confirm(browser, owner, preview, which="all", **more):
    sent = {"account": owner.email, "kept": preview.context["kept"], "confirmed": which}
    return browser.post(ADDRESS, sent | more)


def refusals(response):
    assert response.status_code == 200
    found = response.context["form"].errors
    return [sentence for sentences in found.values() for sentence in sentences]


def names():
    return list(Client.objects.values_list("name", flat=True))


def test_it_is_shown_and_created_once_that_is_confirmed(client, staff, owner, told):
    preview = upload(client, owner, GOOD)

    assert [line.name for line in preview.context["found"].lines] == ["web1", "web2"]
    assert (names(), told) == ([], [])

    done = confirm(client, owner, preview)

    assert said(client, done) == ["Created 2 clients."]
    assert (names(), told) == (["web1", "web2"], [1])
    assert {each.account for each in Client.objects.all()} == {owner}
    noted = AuditEntry.objects.filter(operation="admin: add client")
    assert sorted(noted.values_list("target", flat=True)) == ["web1", "web2"]


def test_a_preview_that_is_sent_twice_creates_nothing_more(client, staff, owner):
    preview = upload(client, owner, GOOD)
    confirm(client, owner, preview)

    again = confirm(client, owner, preview)

    assert [line.problem for line in again.context["found"].lines] == [
        "The account already has a client named 'web1'.",
        "The account already has a client named 'web2'.",
    ]
    assert len(names()) == 2


def test_wrong_lines_are_told_and_left_out_only_if_asked(client, staff, owner):
    preview = upload(client, owner, MIXED)
    found = preview.context["found"]
    assert found.problems == [
        "Line 4: '192.0.2.999' is not an IP address.",
        "Line 5: There is no pool 'year'.",
    ]
    page = preview.content.decode()
    assert "Create the other 2" in page
    assert 'value="all"' not in page

    assert confirm(client, owner, preview).context["found"].problems == found.problems
    assert names() == []

    confirm(client, owner, preview, "others")
    assert names() == ["web1", "web2"]


def test_a_file_is_shown_though_it_comes_with_a_confirmation(client, staff, owner):
    preview = upload(client, owner, GOOD)

    upload(client, owner, MIXED, confirmed="others", kept=preview.context["kept"])

    assert names() == []


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (b"", "Column 'name' is missing."),
        ("name,ip,root\n", "Column 'root' is unknown."),
        (b"name,ip\n\xff,192.0.2.1", "'machines.csv' is not in UTF-8."),
        ('name,ip\n"a,192.0.2.1', "The file is not CSV: unexpected end of data."),
        ("name,ip\n" + "a,192.0.2.1\n" * 1000, "More than 1000 lines are not accepted here"),
        ("name,ip\n" + "a" * 1_000_000, "'machines.csv' has 1000008 bytes; 1000000 are accepted"),
    ],
)
def test_a_table_that_is_none_is_refused(client, staff, owner, table, sentence):
    assert any(said.startswith(sentence) for said in refusals(upload(client, owner, table)))


def test_no_table_and_no_account_are_refused(client, staff, owner):
    none = client.post(ADDRESS, {"account": owner.email})
    assert refusals(none) == ["Choose the table to import."]
    owner.email = "nobody@example.org"
    sentence = "There is no account 'nobody@example.org' that you may see."
    assert refusals(upload(client, owner, GOOD)) == [sentence]


@pytest.mark.attack
class TestAttacks:
    def member(self, *permissions):
        user = User.objects.create_user("ann@example.org", "ann@example.org", is_staff=True)
        user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
        browser = Browser()
        browser.force_login(user)
        return browser, user

    def test_who_may_add_no_clients_has_no_such_page(self, owner, client, staff):
        kept = upload(client, owner, GOOD)
        browser, _ = self.member("view_client", "change_client")

        assert browser.get(ADDRESS).status_code == 403
        assert upload(browser, owner, GOOD).status_code == 403
        assert confirm(browser, owner, kept).status_code == 403
        listed = browser.get(reverse("admin:backup_app_client_changelist"))
        assert ADDRESS not in listed.content.decode()
        assert names() == []

    def test_an_account_that_one_may_not_see_is_not_there(self, owner):
        browser, user = self.member("view_client", "add_client")
        sentence = f"There is no account '{owner.email}' that you may see."

        assert refusals(upload(browser, owner, GOOD)) == [sentence]
        own = upload(browser, user, "name,ip\n")
        assert refusals(confirm(browser, owner, own)) == [sentence]
        assert names() == []

    @pytest.mark.parametrize("forge", [str.swapcase, lambda kept: "/etc/passwd", lambda kept: "x"])
    def test_a_forged_preview_is_refused(self, client, staff, owner, forge):
        preview = upload(client, owner, GOOD)

        answer = confirm(client, owner, preview, kept=forge(preview.context["kept"]))

        assert refusals(answer) == ["The preview is out of date. Choose the file again."]
        assert names() == []

    def test_a_preview_is_its_users(self, client, staff, owner):
        preview = upload(client, owner, GOOD)
        browser, user = self.member("add_client")

        answer = confirm(browser, user, preview)

        assert refusals(answer) == ["The preview is out of date. Choose the file again."]

    def test_it_needs_the_token_of_its_page(self, staff, owner):
        browser = Browser(enforce_csrf_checks=True)
        browser.force_login(staff)

        assert upload(browser, owner, GOOD).status_code == 403

    def test_a_name_is_never_html(self, client, staff, owner):
        page = upload(client, owner, "name,ip\n<script>alert(1)</script>,<b>\n").content.decode()

        assert "<script>alert(1)" not in page
        assert "<b>" not in page


def test_what_lines_name_is_looked_up_once(owner):
    def queries(lines):
        with CaptureQueriesContext(connection) as captured:
            client_table.onboard(owner, lines, dry_run=True)
        found = [re.search(r'FROM "backup_app_(pool|fileset|zone)"', q["sql"]) for q in captured]
        return sum(map(bool, found))

    head = "name,ip,pool,fileset\n"
    rows = [f"web{number},192.0.2.{number},month,default\n" for number in range(1, 6)]

    assert queries([head, *rows[:1]]) == queries([head, *rows])


@pytest.mark.django_db(transaction=True)
def test_a_table_is_imported_by_hand(viewer, tmp_path):
    page, account = viewer.page, viewer.user
    PoolFactory(account=account, name="month")
    FilesetFactory(account=account, name="default")
    (tmp_path / "machines.csv").write_text(MIXED)
    viewer.open("/admin/backup_app/client/")
    page.get_by_role("link", name="Import clients from a table").click()
    page.get_by_label("Table").set_input_files(tmp_path / "machines.csv")
    viewer.inspect("clients-upload", ".backups")

    page.get_by_role("button", name="Show what it would create").click()
    expect(page.get_by_text("'192.0.2.999' is not an IP address.")).to_be_visible()
    viewer.inspect("clients-preview", ".backups")
    assert names() == []

    page.get_by_role("button", name="Create the other 2").click()
    expect(page.get_by_text("Created 2 clients.")).to_be_visible()
    assert names() == ["web1", "web2"]
