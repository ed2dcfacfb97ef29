"""Nothing can be used without a login but what is meant for everybody."""

import json
import os
import re
import subprocess
import sys

import pytest
from django.contrib.admindocs.views import simplify_regex
from django.contrib.auth.models import User
from django.test import Client
from django.urls import get_resolver
from django.urls.resolvers import URLResolver

from tests.prerequisites import only_on
from tests.support.migrated import copy_migrated

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
REFUSED = {401, 403, 405}
# What everybody may read, or is told that it is not there. Nothing else may be added in passing.
PUBLIC = {
    "/",
    "/healthz",
    "/readyz",
    "/favicon.ico",
    "/media/1",
    "/docs/",
    "/redoc/",
    "/redoc/bundles/redoc.standalone.js",
    "/schema/",
    "/admin/login/",
    "/api/",
    "/calendar/",
    *(f"/events/{place}" for place in ("", "day/1/", "month/", "month/1/", "past/")),
    "/sitemap.xml",
    "/sitemap-1-1.xml",
    *(f"/{kind}/1/" for kind in ("event", "venue", "organizer", "category", "tag")),
}
CALENDAR = "/calendar/events/v1"

pytestmark = pytest.mark.django_db


def addresses(resolver, before=""):
    """Return an example of the address of each route."""
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern, route)
        else:
            route = simplify_regex(route.replace("^(?:calendar|api)(?:/|$)", "calendar/"))
            yield re.sub(r"<[^>]*>", "1", route.replace("<app_label>", "auth"))


ADDRESSES = sorted(set(addresses(get_resolver())))


@pytest.fixture
def visitor():
    return Client(raise_request_exception=False)


def is_refused(response):
    to_login = response.status_code == 302 and "/admin/login/" in response["Location"]
    return to_login or response.status_code in REFUSED


def test_all_routes_are_walked_through():
    assert len(ADDRESSES) > 150
    assert {*PUBLIC, CALENDAR, "/admin/auth/user/1/change/", "/api/savepool"} <= set(ADDRESSES)


@pytest.mark.parametrize("method", METHODS)
def test_a_visitor_is_refused_everywhere_else(visitor, method):
    closed = [each for each in ADDRESSES if each not in PUBLIC]
    if method in {"GET", "HEAD"}:
        closed = [each for each in closed if not each.startswith(CALENDAR)]

    answers = {each: visitor.generic(method, each) for each in closed}

    assert {each: answer for each, answer in answers.items() if not is_refused(answer)} == {}


@pytest.mark.parametrize("address", sorted({*PUBLIC, CALENDAR, f"{CALENDAR}/events"}))
def test_a_visitor_reads_what_is_public(visitor, address):
    assert not is_refused(visitor.get(address))


@pytest.mark.parametrize("method", METHODS[2:])
def test_a_visitor_changes_nothing_that_is_public(visitor, method):
    answers = {each: visitor.generic(method, each).status_code for each in PUBLIC}

    answers.pop("/admin/login/")
    assert set(answers.values()) <= {*REFUSED, 404}, answers


def test_somebody_without_rights_is_refused_in_the_admin(client):
    client.force_login(User.objects.create_user("visitor"))

    answers = {each: client.get(each) for each in ADDRESSES if each.startswith("/admin/")}
    own = {"/admin/login/", "/admin/logout/"}

    assert {
        each for each, answer in answers.items() if not is_refused(answer) and each not in own
    } == set()


@only_on("sqlite")  # the database has no say in it
@pytest.mark.parametrize("permission", ["AllowAny", "IsAdminUser"])
def test_the_apps_hold_whatever_the_defaults_of_another_project(permission, tmp_path):
    database = str(copy_migrated(tmp_path))
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "tests.config.support.other_project", permission, database],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": ""},
        check=True,
        capture_output=True,
        text=True,
    )

    answers = json.loads(done.stdout)
    assert len(answers) == 11
    for called, status in answers.items():
        expected = {200} if called.startswith("GET /calendar") else {401, 403, 404}
        assert status in expected, called
