"""Nobody sees or changes what is another's: every operation, by everybody, on everybody else's."""

from dataclasses import dataclass, field

import pytest

from backup_app.models import AuditEntry
from backup_app.urls import ROUTES

from ..support.world import ENGINE, PASSWORD, Things, kept

pytestmark = pytest.mark.django_db
OPERATIONS = {view.operation.number: view.operation for view in ROUTES.values()}


@dataclass(frozen=True)
class Row:
    """A request that names something of another: ``me`` are the caller's things, ``it`` theirs.

    foreign: what it answers when "it" is another account's. own: when all of it is the caller's.
    """

    number: int
    path: str
    body: dict = field(default_factory=dict)
    foreign: int = 404
    own: int = 200

    @property
    def operation(self):
        return OPERATIONS[self.number]

    def send(self, party, it):
        path, body = (filled(each, me=party.things, it=it) for each in (self.path, self.body))
        call = party.api.get if self.operation.method == "GET" else party.api.post
        return call(f"/api/{path}", body)

    def __str__(self):
        return f"{self.number}-{self.path}-{'-'.join(self.body)}"


def filled(value, **things):
    match value:
        case str():
            return value.format(**things)
        case list():
            return [filled(each, **things) for each in value]
        case dict():
            return {name: filled(each, **things) for name, each in value.items()}
    return value


FILE, OWN_FILE = {"files": ["{it.path}"]}, {"files": ["{me.path}"]}
MAILBOX = {"mailbox": "box@example.org"}
NODE = {"home": "/", "nodes": ["{it.node}"]}
OF_SUBUSER = {"subuser": "{it.login}"}
PERSON = {"Firstname": "A", "Lastname": "B", "Email": "x@example.org"}
# A row for each way to name something of another.
ROWS = [
    Row(1, "jobs/{it.ip}"),
    Row(2, "files/{it.job}"),
    Row(3, "nodes/{it.job}/{it.node}"),
    Row(3, "nodes/{me.job}/{it.node}"),
    Row(4, "restore/{it.job}/{it.ip}", FILE),
    Row(4, "restore/{it.job}/{me.ip}", FILE),
    Row(4, "restore/{me.job}/{it.ip}", OWN_FILE),
    Row(5, "restorenodes/{it.job}/{it.ip}", NODE),
    Row(5, "restorenodes/{it.job}/{me.ip}", NODE),
    Row(5, "restorenodes/{me.job}/{it.ip}", {"home": "/", "nodes": ["{me.node}"]}),
    Row(5, "restorenodes/{me.job}/{me.ip}", NODE),
    Row(5, "restorenodes/{me.job}/{me.ip}", {"home": "/", "files": ["{it.file}"]}),
    Row(6, "restoremysql/{it.job}/shop"),
    Row(6, "restoremysql/{it.job}/shop", {"client": "{me.client}"}),
    Row(6, "restoremysql/{me.job}/shop", {"client": "{it.client}"}),
    Row(6, "restoremysql/{me.job}/shop", {"client": "{it.ip}"}),
    Row(7, "status/{it.job}"),
    Row(7, "status/{it.queued}"),
    Row(8, "run/{it.ip}", {"cmd": "uptime"}),
    Row(9, "cancel/{it.queued}"),
    Row(10, "system/{it.ip}"),
    Row(11, "restoretree/{it.ip}", {"home": "/"}),
    Row(12, "downloadinfo/{it.job}/{it.ip}"),
    Row(12, "downloadinfo/{it.job}/{me.ip}"),
    Row(12, "downloadinfo/{me.job}/{it.ip}"),
    Row(13, "download/{it.job}/{it.ip}/0"),
    Row(13, "download/{it.job}/{me.ip}/0"),
    Row(13, "download/{me.job}/{it.ip}/0"),
    Row(14, "getclientnamebyip/{it.ip}"),
    Row(15, "msexchange/{it.ip}/getemail", MAILBOX),
    Row(16, "msexchange/{it.ip}/path", MAILBOX),
    Row(17, "msexchange/{it.ip}/search", {"search": "box"}),
    Row(18, "getbaaszones", foreign=200),
    Row(19, "storages", OF_SUBUSER),
    Row(20, "servers", OF_SUBUSER),
    Row(21, "myjobs", OF_SUBUSER),
    Row(22, "supportedsystems", foreign=200),
    Row(23, "backupnow/{it.ip}/full"),
    Row(23, "backupnow/{me.ip}/full", {"fileset": "{it.fileset}"}),
    Row(23, "backupnow/{me.ip}/full", {"pool": "{it.pool}"}),
    Row(24, "getconfig/{it.ip}/unix"),
    Row(25, "genconfig/unix", {"name": "{me.client}", "fileset": "{it.fileset}"}),
    Row(25, "genconfig/unix", {"name": "{me.client}", "pool": "{it.pool}"}),
    Row(25, "genconfig/unix", {"name": "{it.client}", "IP": "203.0.113.1"}, foreign=200),
    Row(26, "backupoptions/{it.ip}/unix"),
    Row(27, "getpool/{it.pool}"),
    Row(28, "savepool", {"name": "{it.pool}", "retention_days": 7}, foreign=200),
    Row(29, "subuser/add", {"Login": "{it.login}", **PERSON}, foreign=409, own=409),
    Row(30, "subuser/grant", {"client": "{it.client}", "subuser": "{it.login}"}),
    Row(30, "subuser/grant", {"client": "{it.client}", "subuser": "{me.login}"}),
    Row(30, "subuser/grant", {"client": "{me.client}", "subuser": "{it.login}"}),
    Row(31, "subuser/password", {**OF_SUBUSER, "Password": PASSWORD[::-1]}),
    Row(32, "subuser/check", OF_SUBUSER, foreign=200),
    Row(33, "subuser/bmr", OF_SUBUSER),
    Row(34, "deleteclient/{it.client}", own=409),
    Row(35, "joblog/{it.job}"),
    Row(36, "savefileset", {"name": "{it.fileset}", "include": [{"path": "/x"}]}, foreign=200),
]
each_row = pytest.mark.parametrize("row", ROWS, ids=str)


@pytest.fixture(autouse=True)
def engine(settings):
    settings.BACKUP_ENGINES = ENGINE


def outcome(response):
    """Return the status and, of a refusal, its sentence."""
    return response.status_code, getattr(response, "data", {}).get("error")


def last_audit():
    return AuditEntry.objects.order_by("pk").values_list("login", "operation", "outcome").last()


def require_refused(row, party, it, status):
    """Send a request that must be refused with a status, change nothing and be noted."""
    before, noted = kept(), AuditEntry.objects.count()

    answer = row.send(party, it)

    assert (party.name, answer.status_code) == (party.name, status), outcome(answer)
    assert kept() == before
    assert AuditEntry.objects.count() == noted + 1
    assert last_audit() == (party.login, row.operation.name, "refused")
    return answer.data["error"]


def test_each_operation_has_a_row():
    assert {row.number for row in ROWS} == set(OPERATIONS)


@each_row
def test_an_account_may_do_it_with_its_own(row, world):
    me = world["a"]

    assert row.send(me, me.things).status_code == row.own


@each_row
def test_a_subuser_may_do_it_with_its_own_or_not_at_all(row, world):
    me = world["a1"]
    if not row.operation.subusers:
        sentence = require_refused(row, me, me.things, 403)
        assert sentence == f"A subuser's login may not {row.operation.verb_phrase}."
    else:
        assert row.send(me, me.things).status_code == row.own


@each_row
def test_another_accounts_things_do_not_exist(row, world):
    for me, other in (("a", "b"), ("b", "a")):
        me, it = world[me], world[other].things
        if row.foreign == 404:
            sentence = require_refused(row, me, it, 404)
            missing = outcome(row.send(me, Things()))
            assert missing[0] == 404
            require_same(me, it, sentence, missing[1])
        else:
            require_untouched(row, me, it)


def require_same(me, it, sentence, missing):
    """What is said of another's thing must be what is said of one that there is not."""
    # An ID of theirs may be one of mine as well, of something else.
    hidden = [me.things.hidden_in(it.hidden_in(sentence))]
    assert hidden == [me.things.hidden_in(Things().hidden_in(missing))]


def require_untouched(row, me, it):
    before = kept()
    assert row.send(me, it).status_code == row.foreign
    for table, rows in kept().items():
        assert [each for each in rows if each in before[table]] == before[table]


@each_row
def test_another_accounts_things_do_not_exist_for_subusers(row, world):
    for me, other in (("a1", "b"), ("a2", "b"), ("b1", "a"), ("b2", "a")):
        me, it = world[me], world[other].things
        # Whom it may act for is not for a subuser to try out.
        allowed = row.operation.subusers and row.body != OF_SUBUSER
        sentence = require_refused(row, me, it, 404 if allowed else 403)
        status, missing = outcome(row.send(me, Things()))
        assert status == (404 if allowed else 403)
        require_same(me, it, sentence, missing)


@each_row
def test_what_is_not_granted_to_a_subuser_is_refused(row, world):
    for me, other in (("a1", "a2"), ("a2", "a1"), ("b1", "b2"), ("b2", "b1")):
        # An ID of another client's folder is none of this backup.
        strange = {"nodes/{me.job}/{it.node}", "restorenodes/{me.job}/{me.ip}"}
        require_refused(row, world[me], world[other].things, 404 if row.path in strange else 403)


def on_behalf():
    return [row for row in ROWS if row.operation.on_behalf]


def of_clients():
    """Return the rows that name a client or a job and may name on whose behalf, too."""
    named = "it.ip}", "it.client}", "it.job}"
    return [
        row
        for row in on_behalf()
        if "subuser" not in row.body and any(name in f"{row.path}{row.body}" for name in named)
    ]


@pytest.mark.parametrize("row", of_clients(), ids=str)
def test_on_behalf_of_a_subuser_only_what_is_granted(row, world):
    behalf = Row(row.number, row.path, row.body | {"subuser": "{me.login}"})

    require_refused(behalf, world["a"], world["a2"].things, 403)
    require_refused(behalf, world["a"], world["b1"].things, 404)


@pytest.mark.parametrize("row", on_behalf(), ids=str)
def test_not_on_behalf_of_another_accounts_subuser(row, world):
    behalf = Row(row.number, row.path, row.body | {"subuser": "login-b1"})

    me = world["a"]
    assert require_refused(behalf, me, me.things, 404) == "There is no subuser 'login-b1'."


@pytest.mark.parametrize("row", [row for row in ROWS if row.number in (1, 20, 21)], ids=str)
def test_lists_hold_what_is_granted_and_no_more(row, world):
    for name in ("a1", "a2", "b1", "b2"):
        me = world[name]
        text = row.send(me, me.things).content.decode()
        others = [party.things.client for party in world.values() if party.things != me.things]
        assert me.things.client in text
        assert [other for other in others if other in text] == []
