"""The admin's lists: what they hold, find and filter, and that they stay quick."""

import datetime as dt
import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from backup_app.accounts import api_keys
from backup_app.alerts import deliveries
from backup_app.models import (
    AlertDelivery,
    AlertRule,
    ApiKey,
    AuditEntry,
    Client,
    Fileset,
    Grant,
    Job,
    Mailbox,
    MaintenancePlan,
    Pool,
    Storage,
    Subuser,
    Zone,
)
from tests.support.admin_lists import list_url, require_constant_queries, shown, suggested

from ..support.factories import (
    AccountFactory,
    ClientFactory,
    FilesetFactory,
    JobFactory,
    PoolFactory,
    StorageFactory,
    SubuserFactory,
    ZoneFactory,
)

pytestmark = pytest.mark.django_db

NOON = dt.datetime(2027, 3, 1, 12, tzinfo=dt.UTC)


def make_good_job(**fields):
    times = {"started": timezone.now() - dt.timedelta(hours=1), "ended": timezone.now()}
    return JobFactory(**{"status": "completed", "stored_bytes": 2048, **times, **fields})


def make_subuser():
    client = ClientFactory()
    Grant.objects.create(subuser=SubuserFactory(account=client.account), client=client)


def make_audit_entry(**fields):
    known = {"login": "ann@example.org", "operation": "status", "outcome": "done"}
    return AuditEntry.objects.create(**{"account": AccountFactory(), **known, **fields})


def make_mailbox(name="ada@example.org", **fields):
    return Mailbox.objects.create(mailbox=name, job=make_good_job(), client=ClientFactory(**fields))


def make_plan():
    plan = MaintenancePlan.objects.create(task="prune", pool=PoolFactory())
    plan.runs.create(status="problems", ended=timezone.now(), problems=["Job 7 is gone."])


def make_alert_rule():
    return AlertRule.objects.create(name="ops", target="a@b.org", account=AccountFactory())


MAKERS = {
    AlertDelivery: lambda: deliveries.send_test(make_alert_rule()),
    AlertRule: make_alert_rule,
    ApiKey: lambda: api_keys.make(AccountFactory()),
    AuditEntry: make_audit_entry,
    Client: lambda: make_good_job(),
    Fileset: ClientFactory,
    Job: make_good_job,
    Mailbox: make_mailbox,
    MaintenancePlan: make_plan,
    Pool: make_good_job,
    Storage: make_good_job,
    Subuser: make_subuser,
    Zone: make_good_job,
}


ADDED = [AlertRule, ApiKey, Client, Fileset, Mailbox, MaintenancePlan, Pool, Storage, Subuser, Zone]


@pytest.mark.parametrize("model", MAKERS)
def test_a_list_takes_as_many_queries_for_three_as_for_one(client, staff, model):
    require_constant_queries(client, model, MAKERS[model], at_most=15)


@pytest.mark.parametrize("model", MAKERS)
def test_every_record_has_a_page(client, staff, model):
    MAKERS[model]()
    record = model.objects.first()
    address = reverse(f"admin:backup_app_{model._meta.model_name}_change", args=[record.pk])

    assert client.get(address).status_code == 200


@pytest.mark.parametrize("model", ADDED)
def test_one_of_each_can_be_added(client, staff, model):
    address = reverse(f"admin:backup_app_{model._meta.model_name}_add")

    assert client.get(address).status_code == 200


@pytest.mark.parametrize("name", ["folder", "entry", "download", "volume", "grant", "joblog"])
def test_the_catalog_is_no_list(client, staff, name):
    assert client.get(f"/admin/backup_app/{name}/").status_code == 404


@pytest.mark.parametrize("model", [Job, AuditEntry, AlertDelivery])
def test_what_the_service_writes_nobody_adds_changes_or_deletes(client, staff, model):
    MAKERS[model]()
    record = model.objects.first()
    name = model._meta.model_name

    assert client.get(reverse(f"admin:backup_app_{name}_add")).status_code == 403
    page = reverse(f"admin:backup_app_{name}_change", args=[record.pk])
    assert client.post(page, {}).status_code == 403
    assert (
        client.post(reverse(f"admin:backup_app_{name}_delete", args=[record.pk])).status_code == 403
    )


def test_clients_of_all_accounts_are_listed_with_the_age_of_their_last_good_backup(client, staff):
    job = make_good_job(
        ended=timezone.now() - dt.timedelta(hours=5), started=NOON - dt.timedelta(9999)
    )
    make_good_job(client=job.client, status="failed")
    never = ClientFactory(name="never")

    rows = client.get(list_url(Client)).context["cl"].result_list

    assert {row.name: row.last_backup for row in rows} == {
        job.client.name: job.ended,
        never.name: None,
    }


def test_deleted_clients_are_hidden_until_they_are_asked_for(client, staff):
    ClientFactory(name="kept")
    ClientFactory(name="gone", deleted=NOON)

    assert shown(client, Client) == ["kept"]
    assert shown(client, Client, state="deleted") == ["gone"]


def test_clients_are_filtered_by_whose_and_what_they_are(client, staff):
    ssh = ClientFactory(name="ssh", connection="ssh")
    local = ClientFactory(name="local")

    assert shown(client, Client, connection__exact="ssh") == ["ssh"]
    assert shown(client, Client, account__id__exact=local.account_id) == ["local"]
    assert shown(client, Client, zone__id__exact=ssh.zone_id) == ["ssh"]
    assert shown(client, Client, system__exact="windows") == []


def test_jobs_are_found_by_number_name_and_client(client, staff):
    mine = JobFactory(client=ClientFactory(name="db1"), name="nightly")
    JobFactory(client=ClientFactory(name="web"))

    for words in [str(mine.pk), "nightly", "db1"]:
        assert shown(client, Job, q=words) == [str(mine)]
    assert shown(client, Job, q="nothing") == []


def test_jobs_are_filtered(client, staff):
    done = make_good_job(level="Incremental")
    queued = JobFactory()

    assert shown(client, Job, status__exact="queued") == [str(queued)]
    assert shown(client, Job, level__exact="Incremental") == [str(done)]
    assert shown(client, Job, client__id__exact=done.client_id) == [str(done)]
    assert shown(client, Job, type__exact="verify") == []


@pytest.mark.parametrize("value", ["x", "9" * 30, "²"])
def test_an_invalid_client_is_ignored(client, staff, value):
    job = JobFactory()

    assert shown(client, Job, client__id__exact=value) == [str(job)]


def test_a_pool_and_its_storage_say_what_they_hold(client, staff):
    job = make_good_job(stored_bytes=3 * 1024 * 1024)
    make_good_job(client=job.client, stored_bytes=1024 * 1024)

    for model in (Pool, Storage):
        page = client.get(list_url(model)).content.decode()
        assert "4.2 MB" in page


def test_a_storage_says_what_is_free(client, staff, tmp_path):
    StorageFactory(path="/nonexistent")

    assert client.get(list_url(Storage)).status_code == 200


def test_suggestions_leave_out_deleted_clients(client, staff):
    ClientFactory(name="db1")
    ClientFactory(name="db2", deleted=NOON)

    assert suggested(client, Mailbox, "client", "db") == ["db1"]


def test_forms_offer_records_in_order(client, staff):
    for name in ("weekly", "daily", "monthly"):
        PoolFactory(name=name)
        StorageFactory(name=name)

    assert suggested(client, Client, "pool") == ["daily", "monthly", "weekly"]
    assert sorted(found := suggested(client, Pool, "storage")) == found


def test_staff_see_only_what_they_were_given(client):
    user = User.objects.create_user("staff@example.org", is_staff=True)
    client.force_login(user)

    assert client.get(list_url(Job)).status_code == 403


def test_pools_and_filesets_and_zones_are_listed(client, staff):
    PoolFactory(name="daily")
    FilesetFactory(name="etc", include=[{"path": f"/{n}"} for n in range(5)])
    shop = [{"kind": "mysql", "name": "shop"}]
    FilesetFactory(name="shop", include=[{"path": "/srv"}], databases=shop)
    ZoneFactory(name="north", title="The north")

    assert shown(client, Pool) == ["daily"]
    page = client.get(list_url(Fileset)).content.decode()
    assert "/0, /1, /2 and 2 more" in page
    assert "/srv, mysql shop" in page
    assert "The north" in shown(client, Zone)


def verification(backup, status="completed", days=3, **fields):
    ended = timezone.now() - dt.timedelta(days=days)
    known = {"client": backup.client, "parent": backup, "type": "verify", "level": None}
    times = {"started": ended - dt.timedelta(minutes=5), "ended": ended}
    return make_good_job(**known, **times, status=status, **fields)


def test_a_backup_tells_when_it_was_last_read_and_what_was_found(client, staff):
    backup = make_good_job()
    verification(backup, days=30)
    newest = verification(backup, "failed")
    verification(backup, "canceled", days=0)
    verification(backup, days=0, request={"sample": 5})
    verification(make_good_job(), days=0)

    cells = client.get(list_url(Job), {"id": backup.pk}).content.decode()

    assert re.findall(r"\w+, \d+\W\w+ ago", cells) == ["Failed, 3\xa0days ago"]
    assert reverse("admin:backup_app_job_change", args=[newest.pk]) in cells


def test_a_verification_shows_in_a_list_without_more_queries(client, staff):
    require_constant_queries(client, Job, lambda: verification(make_good_job()), at_most=15)


@pytest.mark.parametrize(
    ("model", "query"),
    [
        (AlertRule, {"secret__startswith": "whsec_a"}),
        (Subuser, {"password__gte": "pbkdf2"}),
        (ApiKey, {"digest": "0"}),
        (AlertRule, {"states__subject": "x"}),
        (MaintenancePlan, {"last_message__contains": "x"}),
        (AuditEntry, {"operation__regex": "(("}),
        (AuditEntry, {"operation__icontains": "\0"}),
        (Job, {"status__exact": "\0"}),
    ],
)
def test_the_address_of_a_list_guesses_no_secret_and_breaks_nothing(client, staff, model, query):
    assert client.get(list_url(model), query).status_code == 400


def test_an_impossibly_long_id_is_no_choice(client, staff):
    job = make_good_job()

    assert shown(client, Job, client__id__exact="9" * 5000) == [str(job)]
