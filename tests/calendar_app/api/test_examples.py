"""The examples in the API's description are what it answers on the demo calendar."""

import datetime as dt
from pathlib import Path

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

import calendar_app
from calendar_app.demo import posters
from calendar_app.demo.seeding import DemoCalendar
from calendar_app.lib import decoding
from calendar_app.models import IdempotencyKey
from calendar_app.services import images
from tests.recording import Recorder, count_ids_from_one

from ..support.api_client import P, client_of
from ..support.described import whole
from ..support.factories import UserFactory

FILE = Path(calendar_app.__file__).parent / "api/examples.json"
NOW = dt.datetime(2027, 3, 1, 9, tzinfo=dt.UTC)
# What is created, and what is then changed of it.
BODIES = {
    "events": (
        {
            "title": "Night of jazz",
            "description": "<p>Three bands in one evening.</p>",
            "timezone": "Europe/Paris",
            "start_date": "2027-03-05 20:00",
            "end_date": "2027-03-05 23:30",
            "cost": "12 – 18",
            "categories": ["Music"],
            "tags": ["jazz"],
            "venue": {"venue": "Old Mill", "city": "Lyon", "country": "France"},
            "organizer": {"organizer": "Jazz Club"},
        },
        {"start_date": "2027-03-05 20:30", "featured": True},
    ),
    "venues": (
        {
            "venue": "Town Hall",
            "address": "1 Market Square",
            "city": "Leeds",
            "country": "United Kingdom",
            "zip": "LS1 1AA",
            "website": "https://townhall.example.org/",
            "geo_lat": 53.7997,
            "geo_lng": -1.5492,
        },
        {"phone": "+44 113 496 0000"},
    ),
    "organizers": (
        {"organizer": "Friends of the Library", "email": "friends@example.org"},
        {"website": "https://friends.example.org/"},
    ),
    "categories": (
        {"name": "Workshops", "description": "Learn by doing."},
        {"description": "Learn by doing, in small groups."},
    ),
    "tags": ({"name": "wheelchair access"}, {"slug": "wheelchair-accessible"}),
}


@pytest.fixture
def recorder(db, media, settings, monkeypatch):
    monkeypatch.setattr(images.secrets, "token_hex", lambda size: "5f3c0e9a1b7d2468")
    monkeypatch.setattr(decoding, "WAIT_SECONDS", 0)
    settings.CALENDAR_BASE_URL = "https://calendar.example.org"
    return Recorder(whole())


def test_the_examples_are_what_is_answered_on_the_demo(recorder):
    count_ids_from_one("calendar_app_", "auth_user")
    with time_machine.travel(NOW, tick=False):
        editor = client_of(role="Editor")
        DemoCalendar(NOW.date(), author=editor.handler._force_user).create()
        ask_about_itself(recorder)
        for collection, (new, change) in BODIES.items():
            ask_about(recorder, editor, collection, new, change)
        ask_about_images(recorder, editor)
        ask_about_many(recorder, editor)
        be_refused(recorder, editor)

    recorder.require_same(FILE)


def ask_about_itself(recorder):
    shown = f"namespace,routes.{P}/doc,_links"
    recorder.ask(client_of(), "namespace", query={"_fields": shown})
    recorder.ask(client_of(), "documentation", query={"_fields": "openapi,info"})


def ask_about(recorder, editor, collection, new, change):
    recorder.ask(client_of(), f"{collection}_list", query={"per_page": 1})
    pk = recorder.ask(editor, f"{collection}_create", status=201, body=new)["id"]
    recorder.ask(editor, f"{collection}_retrieve", id=pk)
    recorder.ask(editor, f"{collection}_partial_update", id=pk, body=change)
    recorder.ask(editor, f"{collection}_destroy", id=pk)


def ask_about_images(recorder, editor):
    picture = SimpleUploadedFile("foyer.jpg", posters.draw("stage"), "image/jpeg")
    body = {"file": picture, "title": "The foyer"}
    pk = recorder.ask(editor, "images_create", status=201, body=body, form="multipart")["id"]
    recorder.ask(editor, "images_retrieve", id=pk)


def ask_about_many(recorder, editor):
    days = ("2027-03-10", "2027-03-17", "2027-02-30")
    events = [
        {
            "title": "Chess club",
            "start_date": f"{day} 18:00",
            "end_date": f"{day} 20:00",
            "venue": {"venue": "Town Hall"},
        }
        for day in days
    ]
    del events[-1]["venue"]  # PostgreSQL would give its ID to nobody else
    recorder.ask(editor, "events_bulk", body={"events": events})


def be_refused(recorder, editor):
    public, reader = client_of(), client_of(UserFactory())
    new, _ = BODIES["events"]
    recorder.ask(public, "events_list", status=400, query={"start_date": "soon"})
    recorder.ask(public, "events_create", status=401, body=new)
    recorder.ask(reader, "events_create", status=403, body=new)
    recorder.ask(public, "events_retrieve", status=404, id=999)
    trashed = recorder.examples["events_destroy"]["200"]["id"]
    recorder.ask(public, "events_retrieve", status=410, id=trashed)
    be_refused_a_key(recorder, editor)
    recorder.ask(editor, "tags_create", status=413, body={"name": "x" * 2_500_000})
    recorder.ask(editor, "images_create", status=415, body={})
    recorder.ask(guesser(), "events_list", status=429)
    with decoding.read_lock:
        body = {"file": SimpleUploadedFile("foyer.jpg", b"x", "image/jpeg")}
        recorder.ask(editor, "images_create", status=503, body=body, form="multipart")


def be_refused_a_key(recorder, editor):
    headers = {"Idempotency-Key": "8e03978e-40d5-43e8-bc93-6894a57f9324"}
    body, other = {"name": "open air"}, {"name": "indoors"}
    editor.post(f"{P}/tags", body, headers=headers)
    recorder.ask(editor, "tags_create", status=422, body=other, headers=headers)
    IdempotencyKey.objects.update(status=None)
    recorder.ask(editor, "tags_create", status=409, body=body, headers=headers)


def guesser():
    """Return a client whose password was wrong as often as it may be."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION="Basic c2FtOmd1ZXNz")
    while client.get(f"{P}/events").status_code != 429:
        pass
    return client
