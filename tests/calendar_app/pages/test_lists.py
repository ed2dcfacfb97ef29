"""Lists and months of events as pages."""

import datetime as dt
import re
from html import unescape
from pathlib import Path

import pytest

import calendar_app
from calendar_app.conf import DEFAULTS
from calendar_app.models import Event

from ..support.factories import (
    CategoryFactory,
    EventFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db

STATIC = Path(calendar_app.__file__).parent / "static/calendar_app"
NOON = dt.datetime(2027, 3, 10, 12, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def at_noon(time_machine):
    time_machine.move_to(NOON, tick=False)


def on(day, hour=18, **fields):
    """Make an event of March 2027."""
    start = dt.datetime(2027, 3, day, hour)
    return EventFactory(
        **{"start_date": start, "end_date": start + dt.timedelta(hours=1), **fields}
    )


def titles(client, path, **query):
    response = client.get(path, query)
    assert response.status_code == 200
    return [card.record.title for card in response.context["events"]]


def grid(client, path="/events/month/2027-03/", **query):
    """Return the titles on each day of a month that has events."""
    weeks = client.get(path, query).context["weeks"]
    days = [day for week in weeks for day in week if day and day.total]
    return {day.date.day: [event.title for event in day.events] for day in days}


def text(response):
    return unescape(response.content.decode())


class TestList:
    def test_it_has_what_has_not_ended_and_the_past_page_the_rest(self, client):
        on(11, title="Later")
        on(10, 11, title="Runs", end_date=dt.datetime(2027, 3, 10, 13))
        on(9, title="Over")
        on(8, title="Long over")

        assert titles(client, "/events/") == ["Runs", "Later"]
        assert titles(client, "/events/past/") == ["Over", "Long over"]

    def test_it_takes_the_filters_of_the_api(self, client):
        music = CategoryFactory(slug="music")
        on(11, title="Jazz", categories=[music])
        on(12, title="Chess")
        on(1, title="Opera", categories=[music])

        assert titles(client, "/events/", categories="music") == ["Jazz"]
        assert titles(client, "/events/", search="chess") == ["Chess"]
        assert titles(client, "/events/", starts_before="2027-03-05") == ["Opera"]

    def test_a_field_that_was_left_empty_is_no_filter(self, client):
        on(11, title="Jazz")

        assert titles(client, "/events/", search="", categories="") == ["Jazz"]

    def test_links_to_other_pages_and_calendars_keep_the_filters(self, client, settings):
        settings.CALENDAR_PER_PAGE = 1
        for day in (11, 12, 13):
            on(day, title=f"Jazz & Co {day}")

        html = text(client.get("/events/?search=Jazz+%26&page=2&utm_source=x"))

        assert 'rel="prev" href="?search=Jazz+%26"' in html
        assert 'rel="next" href="?search=Jazz+%26&page=3"' in html
        assert 'href="/events/month/?search=Jazz+%26"' in html
        feed = "testserver/calendar/events/v1/events?format=ics&search=Jazz+%26"
        assert f'href="webcal://{feed}"' in html
        assert f'href="http://{feed}" download' in html
        assert "utm_source" not in html

    def test_the_calendar_that_it_links_to_has_the_same_events(self, client):
        hall = VenueFactory(slug="hall")
        on(11, title="Jazz", venues=[hall])
        on(12, title="Chess")

        link = client.get("/venue/hall/").context["address"].calendar()
        feed = client.get(link.removeprefix("http://testserver")).content.decode()

        assert re.findall("SUMMARY:(.*)\r", feed) == ["Jazz"]

    @pytest.mark.parametrize("rows", [1, 3])
    def test_it_takes_as_many_queries_for_any_number_of_events(
        self, client, rows, django_assert_num_queries
    ):
        for day in range(rows):
            on(11 + day, venues=[VenueFactory()], categories=[CategoryFactory()])

        with django_assert_num_queries(11):
            client.get("/events/")


class TestVisibility:
    @pytest.fixture(autouse=True)
    def events(self):
        on(11, title="Open")
        on(11, title="Draft", status="draft")
        on(11, title="Trashed", status="trash")
        on(11, title="Hidden", hide_from_listings=True)
        on(11, title="Closed", password="open", description="Secret words", cost="77")

    @pytest.mark.parametrize("path", ["/events/", "/events/day/2027-03-11/"])
    def test_the_public_sees_what_the_api_lists(self, client, path):
        assert sorted(titles(client, path)) == ["Closed", "Open"]

    def test_so_it_does_in_a_month(self, client):
        assert sorted(grid(client)[11]) == ["Closed", "Open"]

    def test_what_a_password_protects_is_not_shown_or_searched(self, client):
        html = text(client.get("/events/"))

        assert "Protected by a password" in html
        assert "Secret" not in html
        assert "77" not in html
        assert titles(client, "/events/", search="Secret") == []
        assert grid(client, search="Secret") == {}

    def test_an_editor_sees_drafts_marked_as_such_which_no_cache_keeps(self, client):
        client.force_login(UserFactory(role="Editor"))

        response = client.get("/events/month/2027-03/")

        assert "(Draft)" in text(response)
        assert "no-store" in response["Cache-Control"]
        assert "Draft" not in text(type(client)().get("/events/month/2027-03/"))


class TestMonth:
    def test_an_event_is_on_each_of_its_days_by_its_own_clock(self, client):
        on(3, title="Talk", timezone="Pacific/Auckland")
        on(4, title="Fair", end_date=dt.datetime(2027, 3, 6, 10))
        on(5, 23, title="Night")  # ends at midnight
        on(28, title="Trip", end_date=dt.datetime(2027, 4, 2, 10))

        assert grid(client) == {
            3: ["Talk"],
            4: ["Fair"],
            5: ["Fair", "Night"],
            6: ["Fair"],
            28: ["Trip"],
            29: ["Trip"],
            30: ["Trip"],
            31: ["Trip"],
        }
        assert list(grid(client, "/events/month/2027-04/")) == [1, 2]

    def test_the_current_month_is_shown_unless_another_is_named(self, client):
        assert str(client.get("/events/month/").context["month"]) == "2027-03"
        assert str(client.get("/events/month/?month=2028-02").context["month"]) == "2028-02"

    def test_sticky_and_whole_days_come_first(self, client):
        on(3, 8, title="Early")
        on(3, 9, title="Day", all_day=True)
        on(3, 20, title="Sticky", sticky=True)

        assert grid(client)[3] == ["Sticky", "Day", "Early"]

    def test_a_full_day_says_how_many_more_there_are_and_links_to_them(self, client):
        for hour in range(8, 15):
            on(3, hour, title=f"At {hour}")
        on(2, title="Long", end_date=dt.datetime(2027, 3, 4, 10))

        shown = grid(client)[3]
        html = text(client.get("/events/month/2027-03/"))
        filtered = text(client.get("/events/month/2027-03/", {"search": "t"}))

        assert '<a href="/events/day/2027-03-03/">and 4 more<' in html
        assert '<a href="/events/day/2027-03-03/?search=t">and 3 more<' in filtered
        assert shown == ["Long", "At 8", "At 9", "At 10"]
        assert len(titles(client, "/events/day/2027-03-03/")) == 8

    def test_a_thousand_events_take_four_queries_and_less_than_50_kb(
        self, client, django_assert_num_queries
    ):
        example = on(1, title="An event with a title of the usual length")
        fields = {
            field.attname: getattr(example, field.attname)
            for field in Event._meta.concrete_fields
            if not field.primary_key
        }
        Event.objects.bulk_create(
            Event(**fields | {"slug": f"{example.slug}-{number}"} | moved(example, number % 31))
            for number in range(999)
        )

        with django_assert_num_queries(4):
            response = client.get("/events/month/2027-03/")

        days = [day for week in response.context["weeks"] for day in week if day]
        assert sum(day.total for day in days) == 1000
        files = [STATIC / "pages.css", STATIC / "icon.svg"]
        assert len(response.content) + sum(path.stat().st_size for path in files) < 50_000

    def test_its_first_and_last_ones_have_no_neighbours(self, client):
        first, last = (client.get(f"/events/month/{month}/") for month in ("0001-01", "9999-12"))

        assert (first.context["previous"], str(first.context["next"])) == (None, "0001-02")
        assert (str(last.context["previous"]), last.context["next"]) == ("9999-11", None)

    @pytest.mark.parametrize("year", [1, 9999])
    def test_events_at_the_ends_of_time_are_shown(self, client, year):
        month, day = (1, 1) if year == 1 else (12, 31)
        EventFactory(title="Edge", start_date=dt.datetime(year, month, day, 10))

        assert grid(client, f"/events/month/{year:04}-{month:02}/") == {day: ["Edge"]}
        assert titles(client, f"/events/day/{year:04}-{month:02}-{day:02}/") == ["Edge"]


def moved(event, days):
    names = ("start_date", "end_date", "start_utc", "end_utc")
    return {name: getattr(event, name) + dt.timedelta(days=days) for name in names}


class TestRefusals:
    @pytest.mark.parametrize(
        ("query", "sentence"),
        [
            ("venue=x", "venue accepts venue IDs, not 'x'."),
            ("categories=nothing", "categories refers to the category 'nothing', which does not"),
            ("starts_after=never", "starts_after cannot be read: 'never' is not a date"),
            ("page=0", "page must be a whole number of 1 or more, not '0'."),
            ("search=%00", "The parameter search contains a NUL character."),
            ("status=draft", "You may not list records with the status 'draft'"),
            ("geoloc_lat=91&geoloc_lng=1", "geoloc_lat must be a number from -90 to 90"),
            ("include=<script>", "include accepts event IDs, not '<script>'."),
        ],
    )
    @pytest.mark.parametrize("path", ["/events/", "/events/past/", "/events/month/2027-03/"])
    def test_junk_in_a_filter_is_400_with_a_sentence(self, client, path, query, sentence):
        response = client.get(f"{path}?{query}")

        if "starts_after" in query and path != "/events/":
            assert response.status_code == 200  # these pages have dates of their own
            return
        assert response.status_code == 400
        assert sentence in text(response)
        assert "<script>" not in response.content.decode().replace("<script src=", "")

    @pytest.mark.parametrize("page", ["2", "99999999999999999999", "1" * 4000])
    def test_a_page_past_the_last_one_is_404(self, client, page):
        response = client.get("/events/", {"page": page})

        assert response.status_code == 404
        assert "is past the last page, 1." in text(response)

    @pytest.mark.parametrize(
        "path",
        [
            "month/2027-13",
            "month/0000-01",
            "day/2027-02-30",
            "day/today",
            "day/2027-W01-1",
            "day/0000-00-00",
        ],
    )
    def test_a_date_that_does_not_exist_is_404(self, client, path):
        response = client.get(f"/events/{path}/")

        assert response.status_code == 404
        assert "There is no" in text(response)

    def test_a_month_in_another_form_is_400(self, client):
        response = client.get("/events/month/?month=March")

        assert response.status_code == 400
        assert "month must be a month such as 2027-03, not 'March'." in text(response)

    @pytest.mark.parametrize(
        "path",
        ["//evil.example/events", "/events/%2F%2Fevil.example", "/events/?next=//evil.example"],
    )
    def test_nothing_leads_to_another_site(self, client, path):
        response = client.get(path)

        assert "evil.example" not in response.get("Location", "").split("/")[2:3]
        assert 'href="//evil' not in response.content.decode()

    def test_a_title_is_text_in_every_list(self, client):
        on(11, title="</script><script>alert(1)</script>", description="<img src=x onerror=y()>")

        for path in ["/events/", "/events/month/2027-03/", "/events/day/2027-03-11/"]:
            html = client.get(path, {"search": "script"}).content.decode()
            assert "<script>" not in html
            assert "onerror" not in html


class TestKeeping:
    @pytest.mark.parametrize("path", ["/events/", "/events/month/", "/event/fair/"])
    def test_a_page_is_kept_until_the_next_write(self, client, path, django_assert_num_queries):
        on(11, title="Fair")
        first = client.get(path)

        with django_assert_num_queries(1):
            again = client.get(path)
        with django_assert_num_queries(1):
            known = client.get(path, headers={"If-None-Match": first["ETag"]})
        on(12, title="Another")
        later = client.get(path, headers={"If-None-Match": first["ETag"]})

        assert again.content == first.content
        assert (known.status_code, known.content) == (304, b"")
        policies = {each["Content-Security-Policy"] for each in (first, again, known, later)}
        script = "; script-src 'self'" if path == "/event/fair/" else ""
        assert policies == {DEFAULTS["CONTENT_SECURITY_POLICY"] + script}
        assert later.status_code == 200
        assert first["Cache-Control"] == "public, no-cache"

    def test_an_event_leaves_the_list_when_it_ends(self, client, time_machine):
        on(10, 11, title="Runs", end_date=dt.datetime(2027, 3, 10, 12, 30))
        before = titles(client, "/events/")
        time_machine.move_to(NOON + dt.timedelta(minutes=31), tick=False)

        assert (before, titles(client, "/events/")) == (["Runs"], [])

    def test_another_template_is_shown_at_once(self, client, settings, tmp_path):
        client.get("/events/")
        folder = tmp_path / "calendar_app"
        folder.mkdir()
        (folder / "list.html").write_text("Ours")
        settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]

        assert client.get("/events/").content == b"Ours"

    def test_a_form_for_one_visitor_is_kept_for_no_other(self, client, settings, tmp_path):
        folder = tmp_path / "calendar_app"
        folder.mkdir()
        (folder / "list.html").write_text("{% csrf_token %}")
        settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]

        assert "no-store" in client.get("/events/")["Cache-Control"]
        assert client.get("/events/").content != client.get("/events/").content


def test_a_page_leads_to_all_others(client):
    event = on(11, venues=[VenueFactory(slug="hall")])

    for path in ["/events/", "/events/month/", "/events/past/", "/venue/hall/", "/event/x/"]:
        html = client.get(path.replace("x", event.slug)).content.decode()
        for link in ["/events/", "/events/month/", "/events/past/"]:
            assert f'href="{link}' in html
