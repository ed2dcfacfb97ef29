"""A project without the public pages."""

import types

import pytest
from django.core.management import call_command
from django.urls import include, path

from ..support.api_client import get
from ..support.factories import EventFactory, VenueFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def without_pages(settings):
    routes = types.ModuleType("routes")
    routes.urlpatterns = [path("calendar/events/v1", include("calendar_app.urls"))]
    settings.ROOT_URLCONF = routes


def test_the_url_of_a_record_is_its_rest_url():
    event = EventFactory(venues=[VenueFactory()])

    answer = get(f"/events/{event.pk}").json()

    assert answer["url"] == answer["rest_url"]
    assert answer["venue"]["url"].endswith(f"/calendar/events/v1/venues/{answer['venue']['id']}")
    assert get("/events", {"format": "ics"}).status_code == 200


def test_the_project_lacks_nothing():
    call_command("check")
