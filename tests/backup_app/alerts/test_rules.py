"""What is told to whom, and when a rule is quiet."""

import datetime as dt

import pytest
from django.utils import timezone

from backup_app.alerts import conditions, jobs
from backup_app.jobs import periodic
from backup_app.models import AlertDelivery, AlertRule, AlertState, Client, Job, JobLog, Worker
from tests.support.concurrency import call_together

from ..support.answering_engine import answering_engine
from ..support.factories import ClientFactory, JobFactory, StorageFactory

pytestmark = pytest.mark.django_db


def end(status, client, **fields):
    now = timezone.now()
    times = {"started": now - dt.timedelta(minutes=5), "ended": now}
    return JobFactory(client=client, status=status, **{**times, **fields})


def told(rule=None):
    """Look at the jobs; return (event, title) of each message that is new."""
    jobs.look()
    new = AlertDelivery.objects.filter(**({"rule": rule} if rule else {})).order_by("pk")
    found = [(each.event, each.title) for each in new]
    AlertDelivery.objects.all().delete()
    return found


@pytest.fixture
def web(db):
    return ClientFactory(name="web1")


class TestJobs:
    def test_a_failure_is_told_once_and_its_end(self, mail_rule, web):
        end("failed", web)
        assert told() == [("job.failed", "The backup of client 'web1' failed.")]
        assert told() == []
        end("failed", web)
        assert told() == []
        end("warnings", web, errors=3)
        assert told() == [("job.warnings", "The backup of client 'web1' ended with 3 warnings.")]
        end("completed", web)
        assert told() == [("recovered", "Recovered: The backup of client 'web1' succeeded.")]
        end("completed", web)
        end("canceled", web)
        assert told() == []

    def test_a_failure_that_was_followed_by_a_success_before_anyone_looked(self, mail_rule, web):
        end("failed", web)
        end("completed", web)

        assert [event for event, _ in told()] == ["job.failed", "recovered"]

    def test_the_message_has_the_first_errors(self, mail_rule, web, settings):
        settings.BACKUP_SITE_URL = "https://backup.example.org/"
        job = end("failed", web, message="The disk is full.", errors=2)
        JobLog.objects.create(job=job, message="It begins.")
        JobLog.objects.create(job=job, message="'/etc/x' is gone.", level="warning")
        JobLog.objects.create(job=job, message="The disk is full.", level="error")

        jobs.look()

        body = AlertDelivery.objects.get().body
        assert body["type"] == "job.failed"
        assert body["data"]["text"] == "The disk is full.\nwarning: '/etc/x' is gone."
        assert body["data"]["client"] == {"id": web.pk, "name": "web1", "ip": web.ip}
        assert body["data"]["account"] == web.account.username
        assert body["data"]["job"]["id"] == job.pk
        place = f"https://backup.example.org/admin/backup_app/job/{job.pk}/change/"
        assert body["data"]["url"] == place

    def test_backups_restores_and_verifications_are_told_apart(self, mail_rule, web):
        backup = end("completed", web)
        end("failed", web, type="restore", parent=backup)
        end("failed", web, type="verify", parent=backup)
        end("completed", web)

        assert told() == [
            ("job.failed", "A restore to client 'web1' failed."),
            (
                "verification.failed",
                f"The verification of backup {backup.pk} of client 'web1' failed.",
            ),
        ]

    def test_another_backup_that_is_intact_does_not_make_a_damaged_one_good(self, mail_rule, web):
        damaged, intact = end("completed", web), end("completed", web)
        end("failed", web, type="verify", parent=damaged)
        end("completed", web, type="verify", parent=intact)
        assert [event for event, _ in told()] == ["verification.failed"]

        end("completed", web, type="verify", parent=damaged)
        assert [event for event, _ in told()] == ["recovered"]

    def test_what_a_rule_does_not_ask_for_is_good_to_it(self, mail_rule, web):
        AlertRule.objects.update(events=["job.failed", "recovered"])
        end("warnings", web)
        assert told() == []
        end("failed", web)
        end("warnings", web)
        assert [event for event, _ in told()] == ["job.failed", "recovered"]

    def test_a_rule_that_is_off_is_told_nothing(self, mail_rule, web):
        AlertRule.objects.update(enabled=False)
        end("failed", web)

        assert told() == []

    def test_old_jobs_that_were_adopted_are_no_news(self, mail_rule, web):
        end("failed", web, ended=timezone.now() - dt.timedelta(days=4), started=None)
        end("failed", web, ended=None, started=None)

        assert told() == []
        assert not Job.objects.filter(noticed=False).exists()

    def test_looking_again_takes_one_query_for_many_jobs(
        self, mail_rule, web, django_assert_num_queries
    ):
        for _ in range(3):
            end("completed", web)
        told()

        with django_assert_num_queries(2):
            jobs.look()


class TestWhom:
    @pytest.fixture
    def rules(self, web):
        """A rule of the operator's, of the account's, of one of its clients, of another one's."""
        other = ClientFactory(name="other")
        one = ClientFactory(name="db1", account=web.account, pool=web.pool)
        new = AlertRule.objects.create
        rules = {
            "all": new(name="all", target="a@b.org"),
            "mine": new(name="mine", target="a@b.org", account=web.account),
            "one": new(name="one", target="a@b.org", account=web.account),
            "other": new(name="other", target="a@b.org", account=other.account),
        }
        rules["one"].clients.add(one)
        return rules

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("web1", ["all", "mine"]),
            ("db1", ["all", "mine", "one"]),
            ("other", ["all", "other"]),
        ],
    )
    @pytest.mark.attack
    def test_jobs_are_told_to_the_rules_of_their_account(self, rules, name, expected):
        end("failed", Client.objects.get(name=name))
        jobs.look()

        assert sorted(AlertDelivery.objects.values_list("rule__name", flat=True)) == expected

    @pytest.mark.attack
    def test_storages_are_told_to_those_who_keep_backups_there(self, rules, web):
        StorageFactory()  # of nobody
        with answering_engine(disk=(100, 5)):
            conditions.look()

        found = AlertDelivery.objects.filter(title__contains=f"'{web.pool.storage}'")
        assert sorted(found.values_list("rule__name", flat=True)) == ["all", "mine", "one"]


class TestConditions:
    def events(self):
        conditions.look()
        found = list(AlertDelivery.objects.order_by("pk").values_list("event", "title"))
        AlertDelivery.objects.all().delete()
        return found

    def test_an_overdue_client_is_told_until_it_is_backed_up(self, mail_rule, time_machine):
        time_machine.move_to(dt.datetime(2027, 3, 1, 12, tzinfo=dt.UTC), tick=False)
        client = ClientFactory(name="web1")
        end("completed", client)
        AlertRule.objects.update(events=["client.overdue", "recovered"])
        assert self.events() == []
        time_machine.move_to(dt.datetime(2027, 3, 3, 12, tzinfo=dt.UTC), tick=False)
        sentence = "Client 'web1' is overdue: it has had no good backup since 2027-03-01 12:00 UTC."
        assert self.events() == [("client.overdue", sentence)]
        assert self.events() == []

        end("completed", client)

        assert self.events() == [("recovered", "Recovered: Client 'web1' is not overdue any more.")]

    def test_a_deleted_client_is_forgotten(self, mail_rule, time_machine):
        client = ClientFactory()
        AlertRule.objects.update(events=["client.overdue"])
        time_machine.move_to(timezone.now() + dt.timedelta(days=2))
        assert len(self.events()) == 1

        Client.objects.update(deleted=timezone.now())

        assert self.events() == []
        assert not AlertState.objects.filter(client=client).exists()

    @pytest.mark.parametrize(
        ("free", "expected"),
        [
            ([500, 90, 80, 110, 130], ["", "storage.low", "", "", "recovered"]),
            ([110, 99, 101], ["", "storage.low", ""]),
        ],
        ids=["goes down and up", "about the limit"],
    )
    def test_a_storage_that_is_low_is_told(self, mail_rule, storage, free, expected):
        found = []
        for number in free:
            with answering_engine(disk=(1000, number)):
                found.append("".join(event for event, _ in self.events()))

        assert found == expected

    def test_the_sentence_says_how_much_is_left(self, mail_rule, storage):
        with answering_engine(disk=(2_000_000, 90_000)):
            [(_, title)] = self.events()

        assert title == "Storage 'disk' has 4 % of its space left: 90.0 kB of 2.0 MB."

    def test_no_rule_asks_no_storage(self, mail_rule, storage):
        AlertRule.objects.update(events=["job.failed"])
        with answering_engine(unreachable=True, disk=(100, 1)):
            assert self.events() == []


@pytest.mark.django_db(transaction=True)
def test_a_storage_whose_disk_is_not_mounted_is_missing(tmp_path):
    AlertRule.objects.create(name="on call", target="ops@example.org")
    (tmp_path / "disk").mkdir()
    StorageFactory(name="disk", path=str(tmp_path / "disk"))
    conditions.look()
    (tmp_path / "disk").rename(tmp_path / "away")

    conditions.look()
    (tmp_path / "away").rename(tmp_path / "disk")
    conditions.look()

    missing, back = AlertDelivery.objects.order_by("pk")
    assert (missing.event, missing.title) == ("storage.missing", "Storage 'disk' cannot be used.")
    assert "disk" in missing.body["data"]["text"]
    assert (back.event, back.body["data"]["was"]) == ("recovered", "storage.missing")


@pytest.mark.django_db(transaction=True)
def test_of_several_workers_one_tells():
    AlertRule.objects.create(name="on call", target="ops@example.org")
    end("failed", ClientFactory())

    call_together(lambda number: jobs.look(), 3)

    assert AlertDelivery.objects.count() == 1


def test_a_round_tells_and_sends(mail_rule, mailbox, web):
    AlertRule.objects.update(events=["job.failed"])
    end("failed", web)

    periodic.alert()

    [(_, mail)] = mailbox.mails
    assert mail["Subject"] == "The backup of client 'web1' failed."


def test_only_the_first_worker_looks_at_storages(mail_rule, web, time_machine):
    time_machine.move_to(timezone.now() + dt.timedelta(days=2))
    Worker.objects.create(name="first", process="elsewhere:1:1")

    periodic.alert()

    assert not AlertDelivery.objects.exists()
