"""``doctor`` tells what is wrong with the service, and what to do about it."""

import datetime as dt
import os
import re
import socketserver
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest
from django.core.mail.backends.smtp import EmailBackend
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from backup_app.diagnosis import alerts, clients, maintenance, storages
from backup_app.engines import get_engine
from backup_app.models import (
    AlertDelivery,
    AlertRule,
    Client,
    Fault,
    Job,
    MaintenancePlan,
    Storage,
    Worker,
)
from tests.support.waiting import free_port

from ..support.commands import command
from ..support.factories import ClientFactory, JobFactory, PoolFactory, StorageFactory
from ..support.local_backups import over_ssh


@pytest.fixture
def healthy(db, tmp_path, backup_root):
    """A service in order: a worker, a storage with its mark, and somebody who is told."""
    AlertRule.objects.create(name="on call", target="ops@example.org")
    Worker.objects.create(name="one", process="host:1:2")
    (tmp_path / "disk").mkdir()
    storage = StorageFactory(name="disk", path=str(tmp_path / "disk"))
    get_engine().label_storage(storage)
    MaintenancePlan.objects.create(task="check", storage=storage)
    return storage


def doctor(*words):
    return command("doctor", *words)


def failures(*words):
    """Return the lines that begin with ✗, without it."""
    return re.findall(r"^✗ (.*)$", doctor(*words).out, re.MULTILINE)


@contextmanager
def mail_server(answer_to_login):
    """Yield the port of an SMTP server that answers each login so."""

    class Session(socketserver.StreamRequestHandler):
        def handle(self):
            self.wfile.write(b"220 mail.example.org\r\n")
            for line in self.rfile:
                word = line[:4].upper()
                answers = {
                    b"EHLO": b"250-mail.example.org\r\n250 AUTH PLAIN",
                    b"AUTH": answer_to_login,
                }
                self.wfile.write(answers.get(word, b"221 Bye") + b"\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def test_a_service_in_order_has_a_line_for_each_topic(healthy):
    ran = doctor()

    assert ran.error is None
    lines = ran.out.splitlines()
    assert [line[:2] for line in lines] == ["✓ "] * len(lines)
    topics = [re.split(r"[ :]", line[2:])[0] for line in lines]
    expected = (
        "settings database migrations clock worker engine engine storage maintenance mail alerts"
    )
    assert topics == expected.split()
    assert re.search(r"storage disk: [\d.]+ .B of [\d.]+ .B free, 0 bytes of backups\.", ran.out)


def test_each_finding_is_a_record_of_the_json(healthy):
    Worker.objects.all().delete()

    ran = doctor("--format=json")

    assert ran.data["ok"] is False
    assert {"topic", "subject", "state", "message", "remedy"} == set(ran.data["findings"][0])
    assert [each for each in ran.data["findings"] if each["state"] == "failed"] == [
        {
            "topic": "worker",
            "subject": "",
            "state": "failed",
            "message": "No background worker is running.",
            "remedy": "Start one with 'manage.py serve' or 'manage.py worker', or see its log.",
        }
    ]
    assert ran.error == "1 thing is not in order."


def test_a_worker_that_went_silent_and_what_a_worker_lacks_are_told(healthy):
    Worker.objects.update(seen=timezone.now() - dt.timedelta(minutes=4))
    Fault.objects.create(worker="web1:1:2", message="The program 'ssh' is not installed.")

    silent, fault = failures()

    assert re.match(
        r"worker: No .* running: the last sign of life is 2[34]\d seconds old\.", silent
    )
    assert fault.startswith("worker: On web1: The program 'ssh' is not installed.")


def test_a_clock_that_was_turned_back_is_told(healthy):
    Job.objects.filter(pk=JobFactory().pk).update(
        created=dt.datetime(2100, 1, 1, tzinfo=dt.UTC), storage=healthy
    )

    assert failures()[0].startswith(
        "clock: The newest job is of 2100-01-01 00:00:00 UTC, which is in the future."
    )


def test_a_clock_other_than_the_databases_is_told(healthy, time_machine):
    time_machine.move_to(timezone.now() + dt.timedelta(minutes=10))

    assert re.match(
        r"clock: The database's clock is (599|60\d) seconds behind this machine's\. Set",
        next(line for line in failures() if line.startswith("clock")),
    )


class TestStorages:
    def test_one_whose_disk_is_not_mounted_is_told(self, healthy, tmp_path):
        (tmp_path / "disk/storage.label").unlink()

        (line,) = failures()

        assert line.startswith("storage disk: The folder of storage 'disk' has no file")
        assert "manage.py label_storage" in line

    def test_a_new_one_is_examined_without_being_marked(self, healthy, tmp_path):
        (tmp_path / "new").mkdir()
        StorageFactory(name="new", path=str(tmp_path / "new"))
        StorageFactory(name="none", path=str(tmp_path / "none"))

        assert [line[:42] for line in failures()] == [f"storage none: The folder '{tmp_path}"[:42]]
        assert list((tmp_path / "new").iterdir()) == []
        assert Storage.objects.filter(label=None).count() == 2

    def test_one_that_is_nearly_full_is_told(self, healthy):
        Storage.objects.update(capacity=1000)
        JobFactory(client__pool__storage=healthy, status="completed", stored_bytes=960)

        (line,) = failures()

        assert line.startswith("storage disk: Nearly full: 40 bytes of 1.0 kB free, 960 bytes")

    def test_many_take_as_many_queries_as_one(self, healthy, tmp_path):
        def queries():
            with CaptureQueriesContext(connection) as found:
                list(storages.examine())
            return len(found)

        one = queries()
        for name in ("b", "c"):
            (tmp_path / name).mkdir()
            get_engine().label_storage(StorageFactory(name=name, path=str(tmp_path / name)))

        assert queries() == one == 2


@pytest.mark.usefixtures("healthy")
class TestClients:
    def test_each_is_logged_in_to_only_on_request(self, ssh_server):
        ClientFactory(name="here", connection="local", account__username="ann")
        ClientFactory(name="web1", **over_ssh(ssh_server))
        gone = over_ssh(ssh_server) | {"ssh_port": free_port()}
        ClientFactory(name="web2", **gone, account__username="ann2")

        assert "client" not in doctor().out
        found = doctor("--clients").out.splitlines()[-3:]
        assert found[0] == "✓ client here of ann: It answers (this machine)."
        assert re.fullmatch(r"✓ client web1 of \w+: It answers \(over SSH\)\.", found[1])
        assert found[2].startswith("✗ client web2 of ann2: Client 'web2' cannot be reached at 127.")
        assert "pin_host_key" in found[2]

    def test_many_take_as_many_queries_as_one(self):
        for _ in range(3):
            ClientFactory(connection="local")

        with CaptureQueriesContext(connection) as found:
            assert len(list(clients.examine())) == Client.objects.count() == 3
        assert len(found) == 2  # with the count


class TestAlerts:
    @pytest.fixture
    def rule(self, healthy):
        return AlertRule.objects.get()

    def deliver(self, rule, number, **fields):
        body = {"type": "test"}
        AlertDelivery.objects.create(rule=rule, message_id=f"m{number}", body=body, **fields)

    def test_a_message_that_did_not_arrive_is_told(self, rule):
        self.deliver(rule, 1, status="sent", tries=1, sent=timezone.now())
        self.deliver(rule, 2, tries=1, attempts=[{"time": "", "outcome": "It answered 500."}])
        self.deliver(rule, 3)

        (line,) = failures()

        assert line.startswith(
            "alerts on call: The last message by mail did not arrive: It answered 500. See Alert"
        )

    def test_what_arrived_since_is_in_order(self, rule):
        self.deliver(rule, 1, status="given up", tries=9)
        self.deliver(rule, 2, status="sent", tries=1, sent=timezone.now())

        assert failures() == []
        assert "✓ alerts on call: The last message by mail arrived, 20" in doctor().out

    def test_that_nobody_is_told_is_said(self, rule):
        AlertRule.objects.update(enabled=False)

        ran = doctor()

        assert ran.error is None
        assert "– alerts: Nobody is told of problems: make an alert rule in the admin." in ran.out

    def test_many_take_as_many_queries_as_one(self, rule):
        for number in range(3):
            other = AlertRule.objects.create(name=f"rule {number}", target="ops@example.org")
            self.deliver(other, number, status="sent", tries=1, sent=timezone.now())

        with CaptureQueriesContext(connection) as found:
            assert len(list(alerts.examine())) == 4
        assert len(found) == 2


class TestMaintenance:
    @pytest.fixture
    def plan(self, healthy):
        return MaintenancePlan.objects.get()

    def run(self, plan, status, **fields):
        return plan.runs.create(status=status, ended=timezone.now(), **fields)

    def test_the_last_run_that_found_problems_is_told(self, plan):
        self.run(plan, "problems", message="Found 1 problem.", problems=["x.tar.zst: lost."])
        self.run(plan, "running")

        (line,) = failures()

        assert line.startswith("maintenance check of storage 'disk': The last run found problems, ")
        assert ": Found 1 problem. x.tar.zst: lost. See Maintenance plans in the admin" in line

    def test_one_that_succeeded_since_is_in_order(self, plan):
        self.run(plan, "failed", message="It failed.")
        self.run(plan, "completed")

        assert failures() == []
        assert "✓ maintenance check of storage 'disk': The last run succeeded, 20" in doctor().out

    def test_what_no_worker_has_begun_is_told(self, plan, healthy):
        waiting = MaintenancePlan.objects.create(task="check", storage=healthy)
        hours_ago = timezone.now() - dt.timedelta(hours=2)
        waiting.runs.create(created=hours_ago)
        MaintenancePlan.objects.filter(pk=plan.pk).update(
            scheduled=timezone.now() - dt.timedelta(days=3)
        )

        late, queued = failures()

        assert re.search(r"A run was due 20.+, and none has begun\. Start a worker", late)
        assert "A run waits since 20" in queued

    def test_pools_that_nothing_reads_or_prunes_are_named(self, plan, healthy):
        pools = [PoolFactory(name=name, storage=healthy) for name in "abcdefg"]
        for pool in pools:
            JobFactory(client=ClientFactory(pool=pool), pool=pool, status="completed")
        MaintenancePlan.objects.create(task="verify", pool=pools[0])
        MaintenancePlan.objects.create(task="verify", pool=pools[1], enabled=False)
        PoolFactory(name="empty", storage=healthy)

        ran = doctor()

        assert ran.error is None
        lines = [line for line in ran.out.splitlines() if line.startswith("– maintenance")]
        assert lines == [
            "– maintenance: No plan prunes 7 pools: 'a', 'b', 'c', 'd', 'e', 2 more.",
            "– maintenance: No plan verifies 6 pools: 'b', 'c', 'd', 'e', 'f', 1 more.",
        ]

    def test_many_take_as_many_queries_as_one(self, plan, healthy):
        for _ in range(3):
            self.run(MaintenancePlan.objects.create(task="check", storage=healthy), "completed")

        with CaptureQueriesContext(connection) as found:
            assert len(list(maintenance.examine())) == 4
        assert len(found) == 3


class TestMail:
    @pytest.fixture(autouse=True)
    def smtp(self, healthy, settings):
        settings.EMAIL_BACKEND = f"{EmailBackend.__module__}.EmailBackend"
        settings.EMAIL_HOST = "127.0.0.1"
        settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "ann", "never shown"

    def test_a_server_that_lets_us_in_is_in_order(self, settings):
        with mail_server(b"235 Welcome") as settings.EMAIL_PORT:
            out = doctor().out

        assert f"✓ mail: The mail server 127.0.0.1:{settings.EMAIL_PORT} accepts our" in out

    def test_a_server_that_does_not_is_told_without_the_password(self, settings):
        with mail_server(b"535 Wrong login") as settings.EMAIL_PORT:
            (line,) = failures()

        assert "cannot be used: Wrong login. Check that it runs" in line
        assert "never shown" not in line

    def test_no_server_is_told(self, settings):
        settings.EMAIL_PORT = free_port()

        (line,) = failures()

        assert "cannot be used: [Errno 111] Connection refused" in line


@pytest.mark.parametrize("url", ["postgres://ann:secret@127.0.0.1:9/backups", "sqlite:///{file}"])
def test_without_a_database_it_says_so_and_goes_on(tmp_path, url):
    (tmp_path / "broken").write_bytes(b"This is no database." * 100)
    variables = {
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(tmp_path),
        "ENV_FILE": os.devnull,
        "DATABASE_URL": url.format(file=tmp_path / "broken"),
    }

    done = subprocess.run(
        [sys.executable, "manage.py", "doctor"], env=variables, capture_output=True, text=True
    )

    lines = done.stdout.splitlines()
    assert re.match(r"✗ database: The database '.*' cannot be used: .+\. Check ", lines[1])
    assert "– storage: Not examined: the database cannot be read, see above." in lines
    assert lines[-2].startswith("✓ mail")
    assert (done.returncode, done.stderr) == (1, "CommandError: 1 thing is not in order.\n")
    assert "secret" not in done.stdout
