"""Every page of the admin, walked over: what it answers to whom."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.test import Client as Browser
from django.urls import reverse

from backup_app.admin.shared.base import BackupAdmin
from backup_app.models import Client, Job

from ..support.factories import (
    ClientFactory,
    FilesetFactory,
    JobFactory,
    PoolFactory,
    SubuserFactory,
)
from ..support.world import kept

pytestmark = [pytest.mark.django_db, pytest.mark.attack]
FACTORIES = [ClientFactory, FilesetFactory, JobFactory, PoolFactory, SubuserFactory]
FORMS = {"add", "change", "delete", "history"}


def pages(record):
    """Return the addresses of all pages of a record, by name."""
    model_admin = admin.site._registry[type(record)]
    prefix = f"backup_app_{record._meta.model_name}_"
    found = {}
    for pattern in model_admin.get_urls():
        if "object_id" in str(pattern.pattern) and pattern.name:
            name = pattern.name.removeprefix(prefix)
            found[name] = reverse(f"admin:{pattern.name}", args=[record.pk])
    return found


def member(role, **fields):
    user = User.objects.create_user(f"{role}@example.org", is_staff=True, **fields)
    user.groups.set(Group.objects.filter(name__icontains=role))
    assert role == "nobody" or user.has_perm("backup_app.view_job")
    return user


def browser(user, **options):
    found = Browser(raise_request_exception=False, **options)
    if user:
        found.force_login(user)
    return found


@pytest.mark.parametrize("factory", FACTORIES)
def test_records_of_another_account_are_not_there(factory):
    record = factory()
    operator = browser(member("operators"))
    before = kept()

    answers = {
        (name, method): operator.generic(method, place).status_code
        for name, place in pages(record).items()
        for method in ("GET", "HEAD", "POST")
    }

    # Django leads from forms of what is not there to the start page.
    assert {k: v for k, v in answers.items() if v not in {302, 403, 404, 405}} == {}
    assert {k: v for k, v in answers.items() if v == 302 and k[0] not in FORMS} == {}
    assert kept() == before


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize("role", ["auditors", "nobody", "visitor"])
def test_who_may_not_change_changes_nothing(factory, role):
    user = member(role) if role != "visitor" else None
    owner = "client__account" if factory is JobFactory else "account"
    record = factory(**{owner: user} if user else {})
    looker = browser(user)
    before = kept()

    answers = {name: looker.post(place).status_code for name, place in pages(record).items()}

    allowed = {302, 403, 405} if role == "visitor" else {403, 405, 404, 200, 302}
    assert {name: v for name, v in answers.items() if v not in allowed} == {}
    if role == "nobody":
        assert set(answers.values()) <= {403, 404, 405}, answers
    assert kept() == before


@pytest.mark.parametrize("factory", FACTORIES)
def test_no_page_changes_anything_without_a_post_and_a_token(factory, staff):
    record = factory()
    checked = browser(staff, enforce_csrf_checks=True)
    before = kept()

    posts = {name: checked.post(place).status_code for name, place in pages(record).items()}
    reads = {
        (name, method): checked.generic(method, place).status_code
        for name, place in pages(record).items()
        for method in ("GET", "HEAD")
    }

    assert set(posts.values()) == {403}, posts
    assert max(reads.values()) < 500, reads
    assert kept() == before


def test_new_pages_are_walked_over():
    assert {"back_up_now", "differences", "delete"} <= set(pages(ClientFactory()))
    assert {"plan", "selected", "download", "log_lines"} <= set(pages(JobFactory()))
    assert all(isinstance(admin.site._registry[each], BackupAdmin) for each in (Client, Job))
