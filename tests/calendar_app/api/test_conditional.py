"""ETag and If-None-Match, and how long a response is kept."""

import datetime as dt

import pytest
from django.utils.http import http_date
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed

from calendar_app.api.views.events import EventViewSet
from calendar_app.models import Revision

from ..support.api_client import client_of, get
from ..support.factories import CategoryFactory, EventFactory, UserFactory

pytestmark = pytest.mark.django_db

NOON = dt.datetime(2027, 3, 1, 12, 0, 30, tzinfo=dt.UTC)
ALL = {"start_date": "1999-01-01", "end_date": "9999-12-31"}


@pytest.fixture(autouse=True)
def written_long_ago(time_machine):
    time_machine.move_to(NOON - dt.timedelta(days=9), tick=False)
    EventFactory(categories=[CategoryFactory()], start_date=dt.datetime(2027, 3, 1, 18))
    time_machine.move_to(NOON, tick=False)


def changes_within(seconds, time_machine, path="/events", params=None):
    """Say whether a response has another ETag after these seconds without a write."""
    before = get(path, params)["ETag"]
    time_machine.move_to(NOON + dt.timedelta(seconds=seconds), tick=False)
    return get(path, params, **{"If-None-Match": before}).status_code == 200


@pytest.mark.parametrize(
    ("params", "seconds", "changes"),
    [
        ({}, 11 * 3600, False),
        ({}, 13 * 3600, True),
        (ALL, 11 * 3600, False),
        ({"start_date": "now"}, 20, False),
        ({"start_date": "now"}, 40, True),
    ],
)
def test_a_list_changes_by_itself_when_its_dates_do(time_machine, params, seconds, changes):
    assert changes_within(seconds, time_machine, params=params) == changes


def test_venues_with_upcoming_events_may_change_every_minute(time_machine):
    assert changes_within(40, time_machine, "/venues", {"only_with_upcoming": "true"})


def test_a_response_that_is_known_is_confirmed_without_looking_at_records(
    django_assert_num_queries,
):
    etag = get("/events", ALL)["ETag"]

    with django_assert_num_queries(1) as done:
        answer = get("/events", ALL, **{"If-None-Match": f'"other", W/{etag}'})

    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", etag)
    assert answer["Cache-Control"] == "public, no-cache"
    assert Revision._meta.db_table in done.captured_queries[0]["sql"]


def test_a_response_that_is_too_large_to_be_kept_is_confirmed_too(monkeypatch):
    monkeypatch.setattr("calendar_app.api.caching.MAX_CACHED_BYTES", 0)
    etag = get("/events", {**ALL, "format": "ics"})["ETag"]

    answer = get("/events", {**ALL, "format": "ics"}, **{"If-None-Match": etag})

    assert answer.status_code == 304


@pytest.mark.parametrize(
    "change", [{"page": "1"}, {"_fields": "events"}, {"per_page": "3"}, {"format": "ics"}]
)
def test_an_etag_belongs_to_one_request(change):
    etag = get("/events", ALL)["ETag"]

    assert get("/events", ALL | change, **{"If-None-Match": etag}).status_code == 200


def test_a_header_that_is_no_list_of_etags_is_ignored():
    etag = get("/events", ALL)["ETag"]

    answer = get("/events", ALL, **{"If-None-Match": f"x{etag}"})

    assert (answer.status_code, answer.json()["total"]) == (200, 1)


def test_a_date_alone_confirms_no_request_that_would_fail():
    later = http_date(NOON.timestamp())

    answers = [
        get(path, params, **{"If-Modified-Since": later}).status_code
        for path, params in [("/events/99", {}), ("/events", {"page": "x"})]
    ]

    assert answers == [404, 400]


def test_a_setting_that_shows_in_responses_changes_their_etag(settings):
    before = get("/events", ALL)["ETag"]
    settings.CALENDAR_CURRENCY_SYMBOL = "€"

    assert get("/events", ALL, **{"If-None-Match": before}).status_code == 200


def test_an_account_with_other_rights_gets_what_it_may_see_now():
    user = UserFactory(role="Editor")
    EventFactory(status="draft")
    params = ALL | {"status": "draft,publish"}
    before = get("/events", params, client_of(user))

    user.groups.clear()
    now = client_of(type(user).objects.get(pk=user.pk))
    after = get("/events", params, now, **{"If-None-Match": before["ETag"]})

    assert (before.json()["total"], after.status_code) == (2, 400)


def test_the_total_follows_the_rights_of_an_account():
    user = UserFactory(role="Author")
    EventFactory(status="draft", author=user)
    before = get("/events", ALL, client_of(user)).json()

    user.groups.clear()
    after = get("/events", ALL, client_of(type(user).objects.get(pk=user.pk))).json()

    assert (before["total"], after["total"], len(after["events"])) == (2, 1, 1)


def test_what_is_kept_for_the_public_is_not_for_whom_a_project_knows_by_other_means(monkeypatch):
    editor = UserFactory(role="Editor")

    class ByToken(BaseAuthentication):
        def authenticate(self, request):
            token = request.headers.get("X-Token")
            if token == "wrong":
                raise AuthenticationFailed("The token is wrong.")
            return (editor, None) if token else None

    monkeypatch.setattr(EventViewSet, "authentication_classes", [ByToken])
    EventFactory(status="draft")

    answers = [get("/events", ALL, **headers) for headers in ({}, {"X-Token": "an editor's"}, {})]

    assert [answer.json()["total"] for answer in answers] == [1, 2, 1]
    assert answers[1]["Cache-Control"] == "private, no-cache"
    assert get("/events", ALL, **{"X-Token": "wrong"}).status_code in {401, 403}
