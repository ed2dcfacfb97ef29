import base64
import datetime as dt
import json
import random
import socket
import time
from contextlib import ExitStack, contextmanager
from functools import reduce
from io import StringIO
from operator import getitem
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_tasks_db.models import DBTaskResult

from calendar_app.importing import remote_calendar
from calendar_app.importing.rest import MAX_LEVELS, ServiceImport
from calendar_app.models import Category, Event, Image, Organizer, Tag, Venue
from calendar_app.services import posts
from tests.attacks import rounds

from ..support.api_client import P, client_of
from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
    make_image,
)
from ..support.pictures import photo
from ..support.web_servers import serving
from ..support.writing import create_event

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("editor")]

COPIED = (
    "title", "description", "excerpt", "slug", "status", "all_day", "start_date", "end_date",
    "utc_start_date", "timezone", "cost", "featured", "sticky", "ticketed", "custom_fields",
    "date_utc",
)  # fmt: skip


@pytest.fixture(autouse=True)
def small_pages(monkeypatch):
    monkeypatch.setattr(remote_calendar, "PER_PAGE", 2)
    monkeypatch.setattr(remote_calendar, "PAUSE_SECONDS", 0)


class Recording:
    """What our own API answers to an import, for a web server to give again.

    ``faults`` are (collection, page) -> functions of the request's handler that answer instead,
    one after the other.
    """

    def __init__(self, site):
        self.site, self.pages, self.faults, self.requests = site, {}, {}, []
        self.url = site.url(P)
        self.host = urlsplit(self.url).netloc

    def record(self, client=None, **params):
        client = client or client_of()
        params = {"start_date": "1970-01-01", "end_date": "9999-12-31", "per_page": 2, **params}
        for collection in ("events", "categories"):
            self.pages = {key: page for key, page in self.pages.items() if key[0] != collection}
            number, more = 0, True
            while more:
                number += 1
                found = client.get(
                    f"{P}/{collection}",
                    {**params, "page": number, "hide_empty": 0},
                    headers={"host": self.host},
                ).json()
                self.pages[collection, number] = found
                more = "next_rest_url" in found
            self.site.pages[f"{P}/{collection}"] = lambda handler, of=collection: self._answer(
                handler, of
            )

    def offer(self, number, **fields):
        """Answer with new events; our own calendar is empty again."""
        make_events(number, **fields)
        self.record()
        forget()

    def parts(self, parent, *children):
        """Let the events children be all that is listed as parts of the event parent."""
        records = [{"id": child.pk} for child in children]
        self.pages["events", 1, str(parent.pk)] = {"events": records, "total_pages": 1}

    @property
    def asked(self):
        """What the last request for events has asked for."""
        return [query for collection, query in self.requests if collection == "events"][-1]

    def _answer(self, handler, collection):
        query = parse_qs(urlsplit(handler.path).query)
        key = collection, int(query["page"][0])
        self.requests.append((collection, {name: value[0] for name, value in query.items()}))
        if self.faults.get(key):
            return self.faults[key].pop(0)(handler)
        if "post_parent" in query:
            page = self.pages.get((*key, query["post_parent"][0]), {"events": []})
        else:
            page = self.pages.get(key)
        return answer(handler, 200 if page else 404, page or {"message": "No such page."})


def answer(handler, status, body, **headers):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in {"Content-Length": len(content), **headers}.items():
        handler.send_header(name.replace("_", "-"), str(value))
    handler.end_headers()
    handler.wfile.write(content)


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def at(value, path):
    """Return what stands at a path of keys and places."""
    return reduce(getitem, path, value)


def changed(value, path, new):
    """Return a copy of value with new at a path."""
    copy = json.loads(json.dumps(value))
    at(copy, path[:-1])[path[-1]] = new
    return copy


def breaking_off(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"events": [')


def busy(handler):
    answer(handler, 429, {"message": "Later."}, Retry_After=0)


def failing(handler):
    answer(handler, 500, b"oops")


@contextmanager
def silent_port():
    """Yield a port of this machine at which nobody answers, not even with a refusal."""
    with ExitStack() as sockets:
        server = sockets.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(5):  # more than wait to be accepted
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        yield server.getsockname()[1]


@pytest.fixture
def source(site, settings):
    settings.ALLOWED_HOSTS = ["*"]
    return Recording(site)


def forget():
    """Empty the calendar, as if it were that of another site."""
    for model in (Event, Venue, Organizer, Category, Tag):
        model.objects.all().delete()


def run(source, **options):
    out, err = StringIO(), StringIO()
    options = {"user": "editor@example.org", **options}
    call_command("import_events", source.url, stdout=out, stderr=err, **options)
    return out.getvalue().strip(), err.getvalue().strip()


def failure(source, **options):
    """Return the sentence with which the command fails, and what it tells before."""
    err = StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("import_events", source.url, stderr=err, user="editor@example.org", **options)
    return str(caught.value), err.getvalue()


def make_events(number, **fields):
    start = dt.datetime(2027, 3, 1, 10)
    return [
        EventFactory(title=f"Event {n}", start_date=start + dt.timedelta(days=n), **fields)
        for n in range(number)
    ]


def work():
    """Do what waits for the background worker."""
    for result in DBTaskResult.objects.all():
        result.task.call(*result.args_kwargs["args"])


def titles():
    return list(Event.objects.values_list("title", flat=True))


class TestImport:
    def test_copies_all_pages(self, source):
        source.offer(5)

        output, problems = run(source)

        assert (output, problems) == ("Imported 5 events (5 new).", "")
        assert titles() == [f"Event {n}" for n in range(5)]

    def test_asks_for_all_times_and_what_is_published(self, source):
        source.record()

        run(source)

        assert source.asked == {
            "start_date": "1970-01-01",
            "end_date": "9999-12-31",
            "status": "publish",
            "page": "1",
            "per_page": "2",
        }

    def test_gives_the_same_answers_as_the_source(self, source, editor):
        music = CategoryFactory(name="Music", description="<p>Loud</p>")
        EventFactory(
            title="Rock & Roll <3",
            description="<p>Come &amp; see</p>",
            excerpt="See",
            start_date=dt.datetime(2027, 7, 1, 20),
            timezone="America/New_York",
            cost="$10 – $25",
            featured=True,
            ticketed=True,
            custom_fields={"stage": "B"},
            website="https://rock.example.org/",
            categories=[CategoryFactory(name="Jazz", parent=music)],
            tags=[TagFactory(name="late"), TagFactory(name="2027")],
            venues=[VenueFactory(name="Hall", city="Bristol", geo_lat=51.5, geo_lng=-2.5)],
            organizers=[OrganizerFactory(name="Ann", email="a@example.org"), OrganizerFactory()],
        )
        source.record()
        before = source.pages["events", 1]["events"][0]
        forget()

        assert run(source)[1] == ""

        after = client_of().get(f"{P}/events", {"start_date": "2027-01-01"}).json()["events"][0]
        assert {name: after[name] for name in COPIED} == {name: before[name] for name in COPIED}
        assert after["website"] == "https://rock.example.org/"
        assert after["author"] == str(editor.pk)
        assert after["global_id_lineage"][:-1] == [before["global_id"]]
        for name in ("city", "geo_lat", "geo_lng", "venue"):
            assert after["venue"][name] == before["venue"][name]
        assert [one["organizer"] for one in after["organizer"]] == [
            one["organizer"] for one in before["organizer"]
        ]
        assert [tag["name"] for tag in after["tags"]] == ["2027", "late"]
        jazz = Category.objects.get(name="Jazz")
        assert (jazz.parent.name, jazz.parent.description) == ("Music", "<p>Loud</p>")

    @pytest.mark.parametrize("hour", [0, 1])
    def test_keeps_the_instant_of_a_time_that_clocks_show_twice(self, hour, source):
        instant = f"2027-10-31 {hour:02}:30:00"
        zone = {"timezone": "Europe/Paris", "end_date": "2027-10-31 04:00"}
        create_event(start_date=f"{instant}Z", **zone)
        source.record()
        forget()

        run(source)

        (event,) = client_of().get(f"{P}/events", {"start_date": "2027-01-01"}).json()["events"]
        assert (event["start_date"], event["utc_start_date"]) == ("2027-10-31 02:30:00", instant)

    def test_stores_what_events_share_once(self, source):
        shared = {
            "venues": [VenueFactory(name="Hall")],
            "organizers": [OrganizerFactory(name="Ann")],
            "categories": [CategoryFactory(name="Music")],
            "tags": [TagFactory(name="late")],
        }
        source.offer(3, **shared)

        output, problems = run(source)

        assert problems == ""
        assert output == (
            "Imported 1 venue (1 new), 1 organizer (1 new), 3 events (3 new), "
            "1 category (1 new) and 1 tag (1 new)."
        )

    def test_keeps_a_record_of_ours_that_has_the_same_name(self, source):
        source.offer(1, venues=[VenueFactory(name="Hall", city="There", phone="1")])
        ours = VenueFactory(name="HALL", city="Here")

        run(source)

        assert Event.objects.get().venues.get() == ours
        ours.refresh_from_db()
        assert (ours.city, ours.phone, ours.source_id) == ("Here", "1", None)

    def test_takes_images_from_the_private_host_that_was_named(
        self, source, site, media, django_capture_on_commit_callbacks
    ):
        make_events(2, image=make_image())
        source.record()
        (url,) = {record["image"]["url"] for record in source.pages["events", 1]["events"]}
        site.page(urlsplit(url).path, photo())
        forget()
        Image.objects.all().delete()

        with django_capture_on_commit_callbacks(execute=True):
            _, problems = run(source)
        work()

        assert problems == ""
        assert [event.image.source_url for event in Event.objects.all()] == [url, url]

    @pytest.mark.parametrize(
        "place", ["http://127.0.0.1:{other}/a.png", "http://[::1]:{own}/a.png"]
    )
    def test_never_asks_another_private_address_for_an_image(self, place, source, site):
        make_events(2)
        source.record()
        for record in source.pages["events", 1]["events"]:
            record["image"] = {"url": place.format(own=site.port, other=site.port + 1)}
        forget()

        _, problems = run(source)

        assert problems.count("its image was skipped.") == 1
        assert "leads to an address that is not public" in problems
        assert [event.image_url for event in Event.objects.all()] == ["", ""]

    def test_does_not_follow_an_image_to_another_private_address(
        self, source, site, media, django_capture_on_commit_callbacks
    ):
        make_events(1)
        source.record()
        source.pages["events", 1]["events"][0]["image"] = site.url("/a.png")
        with serving() as other:
            other.page("/a.png", photo())
            site.redirect("/a.png", other.url("/a.png"))
            forget()

            with django_capture_on_commit_callbacks(execute=True):
                run(source)
            work()

            assert other.seen == []
        assert Event.objects.get().image is None

    def test_trusts_no_private_address_of_a_host_that_was_public_when_it_was_named(
        self, source, published_site, monkeypatch, media, django_capture_on_commit_callbacks
    ):
        make_events(1)
        source.record()
        source.pages["events", 1]["events"][0]["image"] = published_site.url("/a.png")
        forget()
        with django_capture_on_commit_callbacks(execute=True):
            run(source)
        monkeypatch.undo()
        published_site.seen.clear()

        work()

        assert published_site.seen == []

    def test_schedules_the_download_of_a_public_image(self, source, names):
        names.add("pictures.example.org", "93.184.215.14")
        make_events(1)
        source.record()
        record = source.pages["events", 1]["events"][0]
        record["image"] = {"url": "https://pictures.example.org/a.jpg", "id": 99}
        forget()

        run(source)

        assert Event.objects.get().image_url == "https://pictures.example.org/a.jpg"

    def test_reads_texts_that_are_html_where_the_namespace_writes_them_so(self, source, site):
        make_events(1)
        source.record()
        source.pages["events", 1]["events"][0]["title"] = "Rock &#038; Roll &amp;amp;"
        forget()
        for collection in ("events", "categories"):
            site.pages[f"/tribe/events/v1/{collection}"] = site.pages[f"{P}/{collection}"]
        source.url = site.url("/tribe/events/v1/")

        run(source)

        assert titles() == ["Rock & Roll &amp;"]

    def test_keeps_every_amount_of_a_cost(self, source):
        EventFactory(cost="Free – 20$ – 30$")
        source.record()
        forget()

        run(source)

        assert Event.objects.get().cost == "Free – 20$ – 30$"

    def test_reads_texts_as_they_are_from_this_namespace(self, source):
        EventFactory(title="Say &eacute;")
        source.record()
        forget()

        run(source)

        assert titles() == ["Say &eacute;"]

    def test_follows_who_is_part_of_what_when_asked_to(self, source):
        first, second, third = make_events(3)
        source.record()
        source.parts(first, second, third)
        forget()

        run(source, series=True)

        parent = Event.objects.get(title="Event 0")
        assert [event.title for event in parent.children.all()] == ["Event 1", "Event 2"]
        output, _ = run(source, series=True)
        assert output == "Imported 3 events (3 unchanged)."

    def test_names_an_event_that_is_part_of_its_own_part(self, source):
        first, second = make_events(2)
        source.record()
        source.parts(first, second)
        source.parts(second, first)
        forget()

        _, problem = run(source, series=True)

        assert problem.startswith("Event 'Event 0' was not attached to its parent: ")


class TestSecondImport:
    def test_of_the_same_changes_nothing(self, source):
        source.offer(3, venues=[VenueFactory(name="Hall")])
        run(source)
        before = list(Event.objects.values()), list(Venue.objects.values())

        output, _ = run(source)

        assert output == "Imported 3 events (3 unchanged)."
        assert (list(Event.objects.values()), list(Venue.objects.values())) == before

    def test_updates_what_has_changed_there(self, source):
        source.offer(2, categories=[CategoryFactory(name="Old")])
        run(source)
        record = source.pages["events", 1]["events"][1]
        record |= {"title": "New", "categories": [], "modified_utc": "2099-01-01 00:00:00"}

        output, _ = run(source)

        assert output == "Imported 2 events (1 updated, 1 unchanged)."
        assert titles() == ["Event 0", "New"]
        assert not Event.objects.get(title="New").categories.exists()

    def test_moves_to_the_trash_what_is_in_the_trash_there(self, source):
        source.offer(2)
        run(source)
        record = source.pages["events", 1]["events"][0]
        source.pages["events", 1]["events"][0] = {
            "id": record["id"],
            "global_id": record["global_id"],
            "status": "trash",
            "modified_utc": "2099-01-01 00:00:00",
        }

        output, _ = run(source, modified_after="2027-01-01")

        assert output == "Imported 2 events (1 unchanged, 1 moved to the trash)."
        assert Event.objects.get(title="Event 0").status == "trash"
        assert source.asked["modified_after"] == "2027-01-01"

    def test_leaves_in_the_trash_what_was_put_there_here(self, source):
        source.offer(1)
        run(source)
        posts.trash(Event.objects.get())
        source.pages["events", 1]["events"][0]["modified_utc"] = "2099-01-01 00:00:00"

        run(source)

        assert Event.objects.get().status == "trash"


class TestCost:
    @pytest.fixture
    def source(self, source):
        """A source of four events that share all that they are linked to."""
        source.offer(
            4,
            venues=[VenueFactory(name="Hall")],
            organizers=[OrganizerFactory(name="Ann")],
            categories=[CategoryFactory(name="Music")],
            tags=[TagFactory(name="late")],
        )
        return source

    def queries(self, source):
        """Return how many queries a run needs for each event of the second page."""
        second, numbers = source.pages["events", 2], []
        for page in ({"events": []}, second):
            source.pages["events", 2] = page
            with CaptureQueriesContext(connection) as queries:
                run(source)
            numbers.append(len(queries))
        return (numbers[1] - numbers[0]) / len(second["events"])

    def test_of_a_new_event_is_bounded(self, source):
        run(source)
        Event.objects.filter(title__in=["Event 2", "Event 3"]).delete()

        assert self.queries(source) <= 30

    def test_of_the_two_unchanged_events_of_a_page_is_a_query(self, source):
        run(source)

        assert self.queries(source) == 1 / 2


class TestInterruption:
    def test_is_named_and_what_is_missing_comes_with_the_next_run(self, source):
        source.offer(6)
        source.faults["events", 2] = [breaking_off] * remote_calendar.TRIES

        with pytest.raises(
            CommandError, match=r"^Stopped at page 2: .* --from-page 2 to continue\.$"
        ):
            run(source)
        assert titles() == ["Event 0", "Event 1"]
        output, _ = run(source, from_page=2)

        assert output == "Imported 4 events (4 new)."
        assert titles() == [f"Event {n}" for n in range(6)]

    def test_by_hand_is_named_too(self, source, monkeypatch):
        source.offer(3)
        real = remote_calendar.Service.pages

        def interrupted(*args):
            yield next(real(*args))
            if "events" in args:
                raise KeyboardInterrupt

        monkeypatch.setattr(remote_calendar.Service, "pages", interrupted)

        with pytest.raises(CommandError, match=r"^Stopped at page 2: Interrupted\. Run"):
            run(source)

    def test_needs_no_page_to_go_on(self, source):
        source.offer(3)
        source.faults["events", 2] = [breaking_off] * remote_calendar.TRIES
        with pytest.raises(CommandError):
            run(source)

        output, _ = run(source)

        assert output == "Imported 3 events (1 new, 2 unchanged)."

    @pytest.mark.parametrize("fault", [busy, failing, breaking_off])
    def test_a_temporary_failure_is_retried(self, source, fault):
        source.offer(3)
        source.faults["events", 2] = [fault, fault]

        output, problems = run(source)

        assert (output, problems) == ("Imported 3 events (3 new).", "")

    def test_an_unreadable_time_to_retry_is_ignored(self, source):
        source.offer(1)
        source.faults["events", 1] = [lambda handler: answer(handler, 503, {}, Retry_After="soon")]

        assert run(source) == ("Imported 1 event (1 new).", "")

    def test_a_list_that_became_shorter_ends(self, source):
        source.offer(3)
        del source.pages["events", 2]

        assert run(source) == ("Imported 2 events (2 new).", "")

    def test_categories_that_cannot_be_read_are_named(self, source):
        source.offer(1)
        source.faults["categories", 1] = [lambda handler: answer(handler, 403, {})]

        output, problem = run(source)

        assert output == "Imported 1 event (1 new). 1 problem, shown above."
        assert problem.startswith("The category tree could not be read: ")

    def test_an_event_without_a_cost_is_imported(self, source):
        source.offer(1)
        del source.pages["events", 1]["events"][0]["cost"]

        assert run(source) == ("Imported 1 event (1 new).", "")


class TestEndlessService:
    def test_that_always_has_another_page_is_given_up(self, source, monkeypatch):
        monkeypatch.setattr(remote_calendar, "MAX_PAGES", 2)
        source.offer(3)

        assert run(source) == ("Imported 2 events (2 new).", "")

    def test_that_repeats_a_page_is_given_up(self, source):
        source.offer(3)
        source.pages["events", 2] = source.pages["events", 1] | {"next_rest_url": "more"}

        problem, _ = failure(source)

        assert problem.startswith(
            f"Stopped at page 2: {source.url}/events returned the same records for page 2 as "
            "for an earlier page."
        )
        assert titles() == ["Event 0", "Event 1"]

    def test_that_sends_too_slowly_is_given_up(self, source, monkeypatch):
        def dribble(handler):
            handler.send_response(200)
            handler.end_headers()
            while True:
                handler.wfile.write(b" ")
                time.sleep(0.05)

        monkeypatch.setattr(remote_calendar, "TRY_SECONDS", 0.5)
        source.offer(3)
        source.faults["events", 2] = [dribble] * remote_calendar.TRIES

        problem, _ = failure(source)

        assert problem.startswith(f"Stopped at page 2: {source.url}/events took too long to ans")

    def test_that_asks_to_retry_too_late_is_given_up(self, source):
        def busy(handler):
            answer(handler, 503, {}, Retry_After=3600)

        source.record()
        source.faults["events", 1] = [busy]

        problem, _ = failure(source)

        assert problem == f"{source.url}/events did not return a page in time."
        assert len(source.requests) == 1


# What may stand where something else is expected.
HOSTILE = [
    None, True, 0, -1, 7, 2**70, 1.5, 1e300, "", " ", "\0", "7", "x" * 2000, [], [[]], [None], {},
    {"id": []}, {"id": {}}, [{"id": [1]}], [{"id": 1}], [{"id": 5, "name": None}],
    [{"id": 6, "name": ["x"]}], {"venue": 5, "id": 1}, nested(100), nested(500),
]  # fmt: skip


@pytest.mark.attack
def test_whatever_stands_in_a_record_the_others_are_imported(source):
    source.offer(
        1,
        venues=[VenueFactory(name="Hall")],
        organizers=[OrganizerFactory(name="Ann")],
        categories=[CategoryFactory(name="Folk", parent=CategoryFactory(name="Music"))],
        tags=[TagFactory(name="late")],
    )
    (sound,) = source.pages["events", 1]["events"]
    terms = source.pages["categories", 1]["categories"]
    cases = [
        (path, value)
        for place in ((), ("venue",), ("organizer", 0), ("categories", 0), ("tags", 0))
        for path in [(*place, key) for key in ("global_id", *at(sound, place))]
        for value in HOSTILE
    ]
    chance = random.Random(8)  # noqa: S311 the same cases in each run
    some = chance.sample(cases, rounds(60, len(cases)))
    broken = [
        changed(sound | {"id": n, "global_id": f"a?id={n}"}, path, value)
        for n, (path, value) in enumerate(some, 1000)
    ]
    term_values = chance.sample(HOSTILE, rounds(10, len(HOSTILE)))
    terms += [changed(terms[0], (key,), value) for key in terms[0] for value in term_values]
    sound |= {"title": "Sound", "global_id": "b"}
    source.pages["events", 1] = {"events": [*broken, sound], "total_pages": 1}

    run(source)

    assert "Sound" in titles()


class TestBrokenRecord:
    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"start_date": "2027-02-30 00:00:00"}, "start_date cannot be read"),
            ({"end_date": "1999-01-01 00:00:00"}, "is before start_date"),
            ({"title": ""}, "title cannot be empty."),
            ({"timezone": "Mars/Base"}, "'Mars/Base' is not a time zone"),
            ({"id": "seven"}, "It is not an object with an ID."),
            ({"id": [7]}, "It is not an object with an ID."),
            ({"id": True}, "It is not an object with an ID."),
            ({"unknown": nested(500)}, "It is nested too deeply."),
            ({"title": nested(200)}, "title must be text"),
        ],
    )
    def test_is_skipped_with_a_message(self, source, change, reason):
        source.offer(3)
        source.pages["events", 1]["events"][0] |= change

        output, problem = run(source)

        assert output == "Imported 2 events (2 new). 1 problem, shown above."
        assert problem.startswith("Event ")
        assert "was skipped: " in problem
        assert reason in problem
        assert titles() == ["Event 1", "Event 2"]

    def test_may_contain_text_that_no_database_stores(self, source):
        source.offer(1)
        source.pages["events", 1]["events"][0] |= {
            "global_id": "a\0b" * 200,
            "global_id_lineage": ["\0"],
            "modified_utc": "\0" * 200,
        }

        run(source)

        assert Event.objects.get().source_id == ("ab" * 200)[:255]

    @pytest.mark.parametrize("record", [None, 7, "text", [], {}])
    def test_that_is_not_an_object_is_skipped(self, source, record):
        source.offer(2)
        source.pages["events", 1]["events"][0] = record

        _, problem = run(source)

        assert problem == ("Event without an ID '' was skipped: It is not an object with an ID.")
        assert titles() == ["Event 1"]

    @pytest.mark.parametrize(
        "change",
        [
            {"venue": {"id": 5}},
            {"venue": {"id": {}, "venue": "Hall"}},
            {"venue": 7},
            {"tags": [{"id": 5}]},
            {"tags": [None]},
            {"categories": [{"id": [5], "name": "Folk"}]},
            {"categories": [{"id": 5}]},
            {"organizer": [{"id": 5, "organizer": "Ann", "email": "none"}]},
            {"website": "javascript:alert(1)"},
        ],
    )
    def test_beside_an_event_does_not_keep_the_event_out(self, source, change):
        source.offer(1)
        source.pages["events", 1]["events"][0] |= change

        _, problem = run(source)

        assert "skipped" in problem
        assert titles() == ["Event 0"]

    def test_among_the_categories_is_skipped(self, source):
        source.offer(1, categories=[CategoryFactory(name="Music")])
        source.pages["categories", 1]["categories"] += [None, {"id": "x"}, {"id": [], "name": "y"}]

        assert run(source)[1] == ""

        assert titles() == ["Event 0"]

    @pytest.mark.parametrize("length", [1, 2, 60])
    def test_of_a_circle_of_categories_is_taken_to_the_top(self, source, length):
        source.offer(1, categories=[CategoryFactory(name="Music")])
        (term,) = source.pages["categories", 1]["categories"]
        ids = [term["id"], *range(10_000, 10_000 + length - 1)]
        source.pages["categories", 1]["categories"] = [
            term | {"id": pk, "name": f"Category {pk}", "parent": above}
            for pk, above in zip(ids, [*ids[1:], ids[0]], strict=True)
        ]

        _, problems = run(source)

        assert len(problems.splitlines()) == length
        assert problems.startswith(f"Category {ids[0]} 'Category {ids[0]}' was moved to the top")
        assert list(Category.objects.values_list("name", "parent")) == [
            (f"Category {ids[0]}", None)
        ]

    def test_of_a_level_far_below_the_top_is_taken_there(self, source):
        source.offer(1, categories=[CategoryFactory(name="Music")])
        (term,) = source.pages["categories", 1]["categories"]
        terms = [term | {"id": 10_000, "name": "Top"}]
        for level in range(1, MAX_LEVELS):
            terms.append(term | {"id": 10_000 + level, "name": f"L{level}", "parent": 9999 + level})
        terms.append(term | {"parent": terms[-1]["id"]})
        source.pages["categories", 1]["categories"] = terms

        _, problems = run(source)

        assert problems.startswith(f"Category {term['id']} 'Music' was moved to the top level: ")
        assert Category.objects.get(name="Music").parent is None

    def test_leaves_nothing_imported_when_there_is_no_other(self, source):
        source.offer(1)
        source.pages["events", 1]["events"] = [7]

        with pytest.raises(
            CommandError, match=r"^Nothing was imported\. 1 problem, shown above\.$"
        ):
            run(source)


class TestCommand:
    def test_does_nothing_in_a_dry_run_but_says_what_it_would_do(self, source):
        source.offer(3, venues=[VenueFactory(name="Hall")], tags=[TagFactory(name="late")])

        output, _ = run(source, dry_run=True)

        assert output == "Would import 1 venue (1 new), 3 events (3 new) and 1 tag (1 new)."
        for model in (Event, Venue, Tag):
            assert not model.objects.exists()

    @pytest.mark.parametrize("dry_run", [True, False])
    def test_counts_only_its_own(self, dry_run, source, monkeypatch):
        source.offer(1, tags=[TagFactory(name="late")])
        real = ServiceImport._event

        def meanwhile(self, record, label):
            # As another process does: without a signal in this one.
            Tag.objects.bulk_create([Tag(name="theirs", slug="theirs")])
            return real(self, record, label)

        monkeypatch.setattr(ServiceImport, "_event", meanwhile)

        output, _ = run(source, dry_run=dry_run)

        assert output.endswith(
            "import 1 event (1 new) and 1 tag (1 new)."
            if dry_run
            else "Imported 1 event (1 new) and 1 tag (1 new)."
        )

    def test_logs_in_with_the_password_of_the_environment(self, source, site, monkeypatch):
        monkeypatch.setenv("IMPORT_PASSWORD", "sésame")
        EventFactory(title="Draft", status="draft")
        source.record(client_of(role="Editor"), status="draft")
        forget()

        run(source, status="draft", username="ann")

        (header,) = {headers["Authorization"] for _, headers in site.seen}
        assert base64.b64decode(header.removeprefix("Basic ")).decode() == "ann:sésame"
        assert Event.objects.get().status == "draft"

    @pytest.mark.parametrize(
        ("status", "body", "sentence"),
        [
            (200, b"<html>", "answered with a web page instead of a JSON object with a list of ev"),
            (200, b"[]", "answered with something else instead of a JSON object with a list of ev"),
            (200, b"{}", "answered with something else instead of a JSON object with a list of ev"),
            (200, b"\xff\0", "answered with something else instead of a JSON object with a list"),
            (401, b'{"message": "Log in first."}', "answered with status 401. Log in first."),
            (404, b"", "answered with status 404: is it the URL of a calendar's API, such as "),
            (302, b"", "answered with status 302, a redirect to 'http://169.254.169.254/': give "),
            (302, b'{"events": []}', "answered with status 302, a redirect to 'http://169.254.169"),
        ],
    )
    def test_an_invalid_answer_is_reported(self, status, body, sentence, source, site):
        site.page(f"{P}/events", body, status=status, location="http://169.254.169.254/")

        problem, told = failure(source)

        assert problem.startswith(f"{source.url}/events {sentence}")
        assert told == ""
        assert len(site.seen) == 1

    @pytest.mark.parametrize("url", ["ftp://example.org", "nonsense", "http://ann:pw@example.org"])
    def test_refuses_an_invalid_service_url(self, url, source):
        source.url = url

        with pytest.raises(CommandError, match="is not the URL of a service"):
            run(source)

    @pytest.mark.parametrize(
        ("url", "sentence"),
        [
            ("http://127.0.0.1:1", "http://127.0.0.1:1/events cannot be fetched: Connection refu"),
            ("http://calendar.invalid", "The host 'calendar.invalid' cannot be found."),
        ],
    )
    def test_an_unreachable_service_is_reported_at_once(self, url, sentence, source, names):
        names.add("calendar.invalid", "")
        source.url = url

        problem, told = failure(source)

        assert problem.startswith(sentence)
        assert told == ""
        # For the name and for the connection: there was no second try.
        assert names.asked.count(urlsplit(url).hostname) <= 2

    def test_a_host_that_does_not_answer_times_out_after_two_seconds(self, source, monkeypatch):
        assert remote_calendar.FIRST_CONNECT_SECONDS == 2
        monkeypatch.setattr(remote_calendar, "FIRST_CONNECT_SECONDS", 0.2)
        with silent_port() as port:
            source.url = f"http://127.0.0.1:{port}"

            problem, told = failure(source)

        assert problem == f"{source.url}/events cannot be fetched: the connection timed out."
        assert told == ""

    def test_another_protocol_is_reported_at_once(self, source, site):
        site.pages[f"{P}/events"] = lambda handler: handler.wfile.write(b"SSH-2.0-OpenSSH\r\n")

        problem, _ = failure(source)

        assert problem.startswith(f"{source.url}/events cannot be fetched: ")
        assert len(site.seen) == 1

    def test_refuses_an_invalid_page(self, source):
        with pytest.raises(CommandError, match="--from-page must be 1 or more, not 0"):
            run(source, from_page=0)

    def test_says_when_there_is_nothing(self, source):
        source.record()

        assert run(source)[0] == "Nothing to import."


def test_a_record_that_another_import_stores_meanwhile_is_left_to_it(source, monkeypatch):
    source.offer(1)
    real = ServiceImport._event

    def overtaken(self, record, label):
        EventFactory(title="Theirs", source_id=record["global_id"])
        return real(self, record, label)

    monkeypatch.setattr(ServiceImport, "_event", overtaken)

    with pytest.raises(CommandError, match=r"^Nothing was imported"):
        run(source)

    assert titles() == ["Theirs"]
