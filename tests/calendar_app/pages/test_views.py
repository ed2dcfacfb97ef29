"""The public pages that the ``url`` of a record leads to."""

import datetime as dt
import json
import re

import pytest
from django.test import Client
from django.utils import timezone

from calendar_app.api.representations import Urls
from calendar_app.models import Event, Image
from calendar_app.pages import views
from calendar_app.services import posts

from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db

JSON_LD = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.S)
ATTACK = "</script><script>alert(1)</script>"
# The revision, the venue, its ID as a filter, the longest and the next event, the total, the page,
# the events, and what four kinds of records are linked to them.
QUERIES_OF_A_LIST = 12
SOON = timezone.now().replace(microsecond=0, tzinfo=None) + dt.timedelta(days=1)


def page(client, kind, slug):
    return client.get(f"/{kind}/{slug}/")


def log_in(client, role):
    user = UserFactory(role=role)
    client.force_login(user)
    return user


def test_the_url_of_an_event_leads_to_its_page(client):
    event = EventFactory(slug="日本-fair")

    response = client.get(Urls("http://testserver").page(event))

    assert response.status_code == 200
    assert response.context["record"] == event


def test_an_event_page_shows_what_the_event_has(client):
    EventFactory(
        title="Fair & Fête",
        description="<p>All <b>day</b>.</p>",
        cost="12",
        website="https://fair.example/",
        image=Image.objects.create(file="calendar/fair.png", width=4, height=3),
        start_date=dt.datetime(2027, 7, 4, 9),
        end_date=dt.datetime(2027, 7, 5, 18, 30),
        timezone="Europe/Paris",
        venues=[VenueFactory(name="Town Hall", city="Bern", state="Bern", zip="3000")],
        organizers=[OrganizerFactory(name="Friends")],
        categories=[CategoryFactory(name="Music")],
        tags=[TagFactory(name="Open air")],
    )

    html = page(client, "event", "fair-fete").content.decode()

    for piece in [
        "<h1>Fair &amp; Fête</h1>",
        "<p>All <b>day</b>.</p>",
        "Sunday 4 July 2027, 09:00",
        "Monday 5 July 2027, 18:30",
        "CEST",
        "<dd>$12</dd>",
        '<a href="https://fair.example/" rel="noopener nofollow">',
        '<img src="http://testserver/media/calendar/fair.png" width="4" height="3" alt="">',
        '<a href="/venue/town-hall/">Town Hall</a>, 3000, Bern\n',
        '<a href="/organizer/friends/">Friends</a>',
        '<a href="/category/music/">Music</a>',
        '<a href="/tag/open-air/">Open air</a>',
        '<link rel="canonical" href="http://testserver/event/fair-fete/">',
    ]:
        assert piece in html


def test_an_all_day_event_shows_no_time_of_day(client):
    EventFactory(title="Holiday", all_day=True, start_date=dt.datetime(2027, 7, 4, 9))

    html = page(client, "event", "holiday").content.decode()

    assert "Sunday 4 July 2027</time>" in html
    assert "23:59" not in html.split("</head>")[1]


@pytest.mark.parametrize("kind", ["event", "venue", "organizer"])
def test_markup_in_a_text_is_escaped(client, kind):
    factory = {"event": EventFactory, "venue": VenueFactory, "organizer": OrganizerFactory}[kind]
    name = {"title" if kind == "event" else "name": ATTACK}
    factory(slug="attack", description=f"<p onclick='x()'>Hi</p>{ATTACK}", **name)

    html = page(client, kind, "attack").content.decode()

    assert "<script>alert" not in html
    assert "onclick" not in html
    assert json.loads(JSON_LD.search(html)[1])["name"] == ATTACK
    assert len(re.findall("<script(?! src=)", html)) == 1


def test_a_website_that_is_no_web_address_is_no_link(client):
    EventFactory(slug="attack", website="javascript:alert(1)")

    html = page(client, "event", "attack").content.decode()

    assert "javascript:" not in html.split("</head>")[1]


def test_json_in_a_script_is_the_same_data():
    data = {"name": f"{ATTACK}<!-- & \u2028é"}

    text = views.script_json(data)

    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == data


def test_a_page_describes_its_record_to_search_engines(client):
    VenueFactory(name="Town Hall")

    html = page(client, "venue", "town-hall").content.decode()

    assert json.loads(JSON_LD.search(html)[1]) == {
        "@context": "https://schema.org",
        "@type": "Place",
        "name": "Town Hall",
        "url": "http://testserver/venue/town-hall/",
    }


@pytest.mark.parametrize("slug", ["nothing", "a%00b", "%F0", "-"])
@pytest.mark.parametrize("kind", ["event", "venue", "organizer", "category", "tag"])
def test_an_unknown_slug_is_not_found(client, kind, slug):
    assert page(client, kind, slug).status_code == 404


@pytest.mark.parametrize("kind", ["event", "venue", "organizer", "category", "tag"])
def test_a_page_is_read_only(client, kind):
    assert client.delete(f"/{kind}/anything/").status_code == 405


@pytest.mark.parametrize(
    ("kind", "factory"),
    [("event", EventFactory), ("venue", VenueFactory), ("organizer", OrganizerFactory)],
)
def test_a_draft_is_for_its_author_and_editors(client, kind, factory):
    author = UserFactory(role="Author")
    factory(slug="draft", status="draft", author=author)

    assert page(client, kind, "draft").status_code == 404
    log_in(client, "Author")
    assert page(client, kind, "draft").status_code == 404
    client.force_login(author)
    assert "Not public: Draft" in page(client, kind, "draft").content.decode()
    log_in(client, "Editor")
    assert page(client, kind, "draft").status_code == 200


def test_a_trashed_event_has_no_page(client):
    event = EventFactory(title="Gone")
    posts.trash(event)
    log_in(client, "Editor")

    assert page(client, "event", "gone").status_code == 404


def test_a_hidden_venue_is_not_named_on_the_event_page(client):
    EventFactory(slug="fair", venues=[VenueFactory(name="Backyard", status="private")])

    assert "Backyard" not in page(client, "event", "fair").content.decode()


@pytest.mark.parametrize(
    ("template", "heading_stays"),
    [
        ('{% extends "calendar_app/base.html" %}{% block header %}<nav>Ours{% endblock %}', True),
        ("<nav>Ours{% block content %}{% endblock %}", False),
    ],
    ids=["a block", "the whole"],
)
def test_a_project_overrides_the_frame_of_pages(
    client, settings, tmp_path, template, heading_stays
):
    folder = tmp_path / "calendar_app"
    folder.mkdir()
    (folder / "base.html").write_text(template)
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]

    content = page(client, "event", EventFactory(title="Fair", cost="12").slug).content.decode()

    assert "<nav>Ours" in content
    assert "<dd>$12</dd>" in content
    assert ("<h1>Fair" in content) is heading_stays


def test_an_event_page_describes_itself_to_those_who_share_it(client):
    EventFactory(
        title='The "best" & more',
        description="<p>First.</p><p>“Second” &amp; <b>third</b></p>",
        image=Image.objects.create(file="calendar/fair.png", width=4, height=3),
        slug="fair",
    )

    html = page(client, "event", "fair").content.decode()

    for piece in [
        '<meta property="og:title" content="The &quot;best&quot; &amp; more">',
        '<meta property="og:description" content="First. “Second” &amp; third">',
        '<meta property="og:url" content="http://testserver/event/fair/">',
        '<meta property="og:image" content="http://testserver/media/calendar/fair.png">',
        '<meta name="description" content="First. “Second” &amp; third">',
        'href="http://testserver/calendar/events/v1/events/',
    ]:
        assert piece in html


class TestSeries:
    @pytest.fixture(autouse=True)
    def talks(self):
        talks = EventFactory(title="Talks", slug="talks", start_date=SOON)
        for day in range(3):
            start = SOON + dt.timedelta(days=day)
            EventFactory(title=f"Talk {day}", slug=f"talk-{day}", start_date=start, parent=talks)
        EventFactory(title="Draft talk", status="draft", start_date=SOON, parent=talks)
        EventFactory(title="Over", start_date=SOON - dt.timedelta(days=9), parent=talks)
        return talks

    def test_each_part_shows_the_next_ones_and_what_it_is_part_of(self, client, talks):
        series = page(client, "event", "talk-1").context["series"]

        assert series["parent"] == talks
        assert [part.title for part in series["parts"]] == ["Talk 0", "Talk 1", "Talk 2"]

    def test_the_whole_links_to_its_parts(self, client, talks):
        html = page(client, "event", "talks").content.decode()

        assert '<a href="/event/talk-2/">Talk 2</a>' in html
        assert "Draft talk" not in html
        assert f'<a href="/events/?post_parent={talks.pk}">' in html

    def test_a_part_does_not_name_a_whole_that_is_not_public(self, client, talks):
        talks.status = "draft"
        talks.save()

        html = page(client, "event", "talk-1").content.decode()

        assert "/event/talks/" not in html
        assert '<a href="/event/talk-2/">Talk 2</a>' in html

    @pytest.mark.parametrize("rows", [1, 3])
    def test_it_takes_as_many_queries_for_any_number_of_parts(
        self, client, talks, rows, django_assert_num_queries
    ):
        Event.objects.filter(parent=talks).exclude(
            slug__in=[f"talk-{n}" for n in range(rows)]
        ).delete()

        with django_assert_num_queries(8):
            page(client, "event", "talk-0")


class TestHeaders:
    @pytest.fixture(autouse=True)
    def alone(self, settings):
        """Take away the project's own middleware for this."""
        settings.MIDDLEWARE = [each for each in settings.MIDDLEWARE if "config." not in each]

    @pytest.mark.parametrize(
        ("kind", "password", "scripts"),
        [("event", "", True), ("event", "open", False), ("venue", "", False)],
    )
    def test_a_page_runs_no_script_but_its_own_and_is_in_no_frame(
        self, client, kind, password, scripts
    ):
        VenueFactory(slug="fair")
        EventFactory(slug="fair", password=password)

        policy = page(client, kind, "fair")["Content-Security-Policy"]

        assert policy.startswith("default-src 'none'; ")
        assert policy.partition("script")[2] == ("-src 'self'" if scripts else "")
        assert "frame-ancestors 'none'" in policy

    def test_a_project_can_see_to_it_itself(self, client, settings):
        settings.CALENDAR_CONTENT_SECURITY_POLICY = ""
        EventFactory(slug="fair")

        assert "Content-Security-Policy" not in page(client, "event", "fair")

    def test_no_cache_keeps_what_somebody_sees_who_is_logged_in(self, client):
        VenueFactory(slug="hall", status="draft")
        log_in(client, "Editor")

        assert "no-store" in page(client, "venue", "hall")["Cache-Control"]

    def test_what_the_public_sees_may_be_kept(self, client):
        VenueFactory(slug="hall")

        assert page(client, "venue", "hall")["Cache-Control"] == "public, no-cache"


class TestProtectedEvent:
    @pytest.fixture(autouse=True)
    def feast(self):
        return EventFactory(
            slug="feast", description="Hidden", venues=[VenueFactory(name="Cave")], password="open"
        )

    def test_a_visitor_is_asked_for_the_password(self, client):
        response = page(client, "event", "feast")

        assert response.status_code == 403
        assert 'name="password"' in response.content.decode()
        assert "Hidden" not in response.content.decode()
        assert "Cave" not in response.content.decode()

    def test_the_password_opens_the_page(self, client):
        response = client.post("/event/feast/", {"password": "open"})

        assert response.status_code == 200
        assert "Hidden" in response.content.decode()
        assert "no-store" in response["Cache-Control"]

    def test_a_wrong_password_is_said_to_be_wrong(self, client):
        response = client.post("/event/feast/", {"password": "shut"})

        assert response.status_code == 403
        assert "Wrong password." in response.content.decode()
        assert "Hidden" not in response.content.decode()

    def test_a_password_in_the_address_opens_nothing(self, client):
        assert client.get("/event/feast/", {"password": "open"}).status_code == 403

    def test_an_editor_needs_no_password(self, client):
        log_in(client, "Editor")

        assert "Hidden" in page(client, "event", "feast").content.decode()

    def test_another_site_cannot_post_the_form(self):
        client = Client(enforce_csrf_checks=True)

        assert client.post("/event/feast/", {"password": "open"}).status_code == 403


class TestUpcomingEvents:
    def titles(self, client, kind, slug):
        return [card.record.title for card in page(client, kind, slug).context["events"]]

    def test_a_venue_lists_its_events_soonest_first(self, client):
        hall = VenueFactory(slug="hall")
        EventFactory(title="Later", start_date=SOON + dt.timedelta(days=1), venues=[hall])
        EventFactory(title="Sooner", start_date=SOON, venues=[hall])
        EventFactory(title="Elsewhere", start_date=SOON, venues=[VenueFactory()])

        assert self.titles(client, "venue", "hall") == ["Sooner", "Later"]

    def test_what_runs_is_listed_and_what_is_over_is_not(self, client):
        hall = VenueFactory(slug="hall")
        past, now = SOON - dt.timedelta(days=3), timezone.now().replace(tzinfo=None)
        EventFactory(title="Over", start_date=past, venues=[hall])
        EventFactory(
            title="Runs", start_date=past, end_date=now + dt.timedelta(hours=1), venues=[hall]
        )

        assert self.titles(client, "venue", "hall") == ["Runs"]

    def test_only_what_everybody_may_know_is_listed(self, client):
        hall = VenueFactory(slug="hall")
        EventFactory(title="Open", start_date=SOON, venues=[hall])
        EventFactory(title="Draft", start_date=SOON, venues=[hall], status="draft")
        EventFactory(title="Hidden", start_date=SOON, venues=[hall], hide_from_listings=True)
        EventFactory(title="Protected", start_date=SOON, venues=[hall], password="open")

        assert self.titles(client, "venue", "hall") == ["Open"]

    def test_a_category_lists_once_what_is_in_it_and_below(self, client):
        music = CategoryFactory(slug="music")
        jazz = CategoryFactory(parent=music)
        EventFactory(title="Both", start_date=SOON, categories=[music, jazz])
        EventFactory(title="Below", start_date=SOON, categories=[jazz])
        EventFactory(title="Beside", start_date=SOON, categories=[CategoryFactory()])

        assert self.titles(client, "category", "music") == ["Both", "Below"]

    def test_a_tag_and_an_organizer_list_their_events(self, client):
        tag, friends = TagFactory(slug="free"), OrganizerFactory(slug="friends")
        EventFactory(title="Fair", start_date=SOON, tags=[tag], organizers=[friends])

        assert self.titles(client, "tag", "free") == ["Fair"]
        assert self.titles(client, "organizer", "friends") == ["Fair"]

    def test_a_list_ends_where_a_page_of_the_api_does(self, client, settings):
        settings.CALENDAR_MAX_PER_PAGE = 2
        hall = VenueFactory(slug="hall")
        for _ in range(3):
            EventFactory(start_date=SOON, venues=[hall])

        assert len(self.titles(client, "venue", "hall")) == 2

    @pytest.mark.parametrize("rows", [1, 3])
    def test_a_list_takes_as_many_queries_for_any_number_of_events(
        self, client, rows, django_assert_num_queries
    ):
        hall = VenueFactory(slug="hall")
        for _ in range(rows):
            EventFactory(start_date=SOON, venues=[hall])

        with django_assert_num_queries(QUERIES_OF_A_LIST):
            page(client, "venue", "hall")

        assert Event.objects.count() == rows
