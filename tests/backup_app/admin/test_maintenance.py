"""Maintenance plans in the admin: made, run, and seen only by whom they concern."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.urls import reverse

from backup_app.models import MaintenancePlan, MaintenanceRun
from tests.support.admin_lists import list_url, shown

from ..support.admin_pages import act, add, done, errors, said
from ..support.factories import PoolFactory, StorageFactory

pytestmark = pytest.mark.django_db


def form(**fields):
    known = {"task": "prune", "enabled": "on", "schedule": "30  5 * * *", "days": 30, "files": 20}
    inline = {"runs-TOTAL_FORMS": 0, "runs-INITIAL_FORMS": 0}
    return {**known, **inline, **fields}


class TestPlans:
    @pytest.fixture(autouse=True)
    def superuser(self, staff):
        return staff

    def test_one_of_a_pool_is_made_and_run(self, client):
        pool = PoolFactory(name="daily")
        done(add(client, MaintenancePlan, form(pool=pool.pk)))

        plan = MaintenancePlan.objects.get()
        assert (plan.pool, plan.schedule) == (pool, "30 5 * * *")
        assert said(client, act(client, "run_now", plan))[-1] == "Started: 1 maintenance plan."
        [sentence] = said(client, act(client, "run_now", plan))
        assert sentence == "The prune of pool 'daily' is queued or running already."
        assert MaintenanceRun.objects.get().requested_by == "staff@example.org"

    def test_the_pages_show_how_it_went(self, client):
        plan = MaintenancePlan.objects.create(task="prune", pool=PoolFactory())
        plan.runs.create(status="problems", message="Removed 3 jobs.", problems=["<b>Job 7"])

        assert "Removed 3 jobs." in client.get(list_url(MaintenancePlan)).content.decode()
        place = reverse("admin:backup_app_maintenanceplan_change", args=[plan.pk])
        page = client.get(place).content.decode()
        assert "Removed 3 jobs." in page
        assert "&lt;b&gt;Job 7" in page

    @pytest.mark.parametrize(
        ("sent", "field", "sentence"),
        [
            ({}, "pool", "Choose the pool that this is about."),
            ({"task": "check"}, "storage", "Choose the storage that this is about."),
            ({"schedule": "5 5"}, "schedule", "'5 5' is not a schedule: it needs 5 fields"),
            ({"days": 0}, "days", "greater than or equal to 1"),
            ({"task": "burn"}, "task", "burn is not one of the available choices"),
            ({"pool": 99}, "pool", "not one of the available choices"),
        ],
    )
    def test_what_cannot_be_done_is_refused(self, client, sent, field, sentence):
        assert sentence in " ".join(errors(add(client, MaintenancePlan, form(**sent)))[field])

    def test_a_pool_has_no_storage_and_a_storage_no_pool(self, client):
        both = {"pool": PoolFactory().pk, "storage": StorageFactory().pk}

        assert list(errors(add(client, MaintenancePlan, form(**both)))) == ["storage"]
        sent = form(task="check", **both)
        assert list(errors(add(client, MaintenancePlan, sent))) == ["pool"]


@pytest.mark.attack
class TestStaffOfAnAccount:
    @pytest.fixture
    def ann(self, client):
        user = User.objects.create_user("ann@example.org", is_staff=True)
        ours = Permission.objects.filter(content_type__app_label="backup_app")
        user.user_permissions.set(ours.exclude(codename="all_accounts"))
        client.force_login(user)
        return user

    def test_they_see_and_run_their_own_plans_only(self, client, ann):
        mine, other = PoolFactory(account=ann), PoolFactory()
        plans = [
            MaintenancePlan.objects.create(task="prune", pool=mine),
            MaintenancePlan.objects.create(task="prune", pool=other),
            MaintenancePlan.objects.create(task="check", storage=mine.storage),
        ]

        assert shown(client, MaintenancePlan) == [str(plans[0])]
        for plan in plans:
            act(client, "run_now", plan)
        assert MaintenanceRun.objects.get().plan == plans[0]

    def test_they_make_plans_for_their_own_pools_only(self, client, ann):
        pool = PoolFactory()

        assert "pool" in errors(add(client, MaintenancePlan, form(pool=pool.pk)))
        sent = form(task="check", storage=pool.storage_id)
        assert errors(add(client, MaintenancePlan, sent))["task"] == [
            "Only staff who see all accounts may check storages."
        ]


def test_operators_run_plans_and_auditors_only_see_their_runs(client):
    pool = PoolFactory()
    plan = MaintenancePlan.objects.create(task="prune", pool=pool)
    plan.runs.create(status="completed", message="Removed 3 jobs.")
    place = reverse("admin:backup_app_maintenanceplan_change", args=[plan.pk])
    pool.account.is_staff = True
    pool.account.save()
    client.force_login(pool.account)
    for role, started in (("auditors", 1), ("operators", 2)):
        pool.account.groups.set(Group.objects.filter(name=f"Backup {role}"))

        assert "Removed 3 jobs." in client.get(place).content.decode()
        act(client, "run_now", plan)
        assert plan.runs.count() == started
