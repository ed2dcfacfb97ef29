"""The admin of feeds."""

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django_tasks_db.models import DBTaskResult
from playwright.sync_api import expect

from calendar_app.importing import feeds
from calendar_app.models import Event, Feed

from ..support.admin_users import as_role
from ..support.factories import CategoryFactory, EventFactory, OrganizerFactory, UserFactory
from ..support.ics import ics

pytestmark = pytest.mark.django_db
LIST = reverse("admin:calendar_app_feed_changelist")
ADD = reverse("admin:calendar_app_feed_add")
FORM = {
    "name": "School",
    "kind": "file",
    "url": "webcal://93.184.216.34/feed.ics",
    "every": "24",
    "is_active": "on",
    "event_status": "draft",
    "gone": "keep",
}
FAIR = "UID:fair\nSUMMARY:Fair\nDTSTART:20370301T100000Z\nDURATION:PT1H"
WRONG = "UID:wrong\nSUMMARY:Wrong\nDTSTART:soon"


@pytest.fixture
def feed(user, published_site):
    published_site.page("/feed.ics", ics(FAIR, WRONG))
    return Feed.objects.create(
        name="School", url=published_site.url("/feed.ics?token=1"), owner=user
    )


def page(feed, view):
    return reverse(f"admin:calendar_app_feed_{view}", args=[feed.pk])


def test_a_feed_is_added_planned_and_shown_before_it_is_imported(user, client):
    answer = client.post(ADD, {**FORM, "_save": "1"})

    feed = Feed.objects.get()
    assert answer.url == page(feed, "preview")
    assert (feed.url, feed.owner) == ("https://93.184.216.34/feed.ics", user)
    assert DBTaskResult.objects.get().run_after == feed.next_import


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"url": "http://127.0.0.1/x.ics"}, "leads to an address that is not public"),
        ({"url": "ftp://example.org/x.ics"}, "begin with http:// or https://"),
        ({"url": "https://a:b@93.184.216.34/"}, "must not contain a user name or password"),
        ({"url": "webcal:"}, "Enter a valid URL"),
        ({"every": "5"}, "Select a valid choice. 5 is not one of the available choices"),
        ({"event_status": "trash"}, "Select a valid choice. trash is not one of"),
    ],
)
def test_a_feed_that_cannot_work_is_refused(user, client, fields, sentence):
    answer = client.post(ADD, FORM | fields)

    assert sentence in answer.content.decode()
    assert not Feed.objects.exists()


def test_the_preview_stores_nothing_and_importing_now_asks_the_worker(user, client, feed):
    shown = client.get(page(feed, "preview")).content.decode()

    assert "An import would find 1 event (1 new)." in shown
    assert "Event &#x27;Wrong&#x27; (UID wrong) was skipped" in shown
    assert not Event.objects.exists()
    assert client.get(page(feed, "import")).status_code == 405
    client.post(page(feed, "import"))
    job = DBTaskResult.objects.get()
    assert job.task.call(*job.args_kwargs["args"])
    assert Event.objects.get().author == user


def test_a_change_keeps_the_result_and_the_owner_and_reads_the_feed_anew(user, client, feed):
    category = CategoryFactory()
    feeds.run(feed.pk)
    Feed.objects.update(validators={"If-None-Match": "1"}, owner=UserFactory(role="Editor"))
    owner = Feed.objects.get().owner

    client.post(
        page(feed, "change"), {**FORM, "url": feed.url, "every": "1", "categories": [category.pk]}
    )

    feed.refresh_from_db()
    assert (feed.every, feed.made, feed.validators, feed.owner) == (1, 1, {}, owner)
    assert list(feed.categories.all()) == [category]
    client.post(page(feed, "change"), {**FORM, "url": feed.url, "is_active": ""})
    feed.refresh_from_db()
    assert feed.next_import is None


def test_a_superuser_names_an_owner_who_may_import(client, feed):
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    author, editor = UserFactory(role="Author"), UserFactory(role="Editor")

    form = {**FORM, "url": feed.url}
    answer = client.post(page(feed, "change"), {**form, "owner": author.pk})
    client.post(page(feed, "change"), {**form, "owner": editor.pk})

    assert "may not import events" in answer.content.decode()
    feed.refresh_from_db()
    assert feed.owner == editor


@as_role("Author")
def test_who_may_not_import_has_no_feeds(client, user, published_site):
    """Not even with the permissions of feeds: their events would be published."""
    user.user_permissions.add(*Permission.objects.filter(content_type__model="feed"))
    feed = Feed.objects.create(name="Other", url=published_site.url("/"), owner=user)

    assert client.get(LIST).status_code == 200
    assert client.post(ADD, FORM).status_code == 403
    assert client.post(page(feed, "change"), FORM).status_code == 403
    assert client.get(page(feed, "preview")).status_code == 403
    assert client.post(page(feed, "import")).status_code == 403
    assert published_site.seen == []


@pytest.mark.attack
@as_role("Author")
def test_a_feed_gets_no_organizer_that_its_editor_may_not_see(client, user, feed):
    names = ("add_feed", "change_feed", "edit_others_event")
    user.user_permissions.add(*Permission.objects.filter(codename__in=names))
    public, hidden, used = [OrganizerFactory(status=s) for s in ("publish", "draft", "private")]
    Feed.objects.update(organizer=used)
    form = {**FORM, "url": feed.url}

    refused = client.post(page(feed, "change"), {**form, "organizer": hidden.pk})
    assert "That choice is not one of the available choices" in refused.content.decode()
    assert client.post(page(feed, "change"), {**form, "organizer": used.pk}).status_code == 302
    assert Feed.objects.get().organizer == used
    assert client.post(page(feed, "change"), {**form, "organizer": public.pk}).status_code == 302
    assert Feed.objects.get().organizer == public


@as_role("Author")
def test_who_may_only_look_is_shown_no_address_of_a_feed(client, user, feed):
    user.user_permissions.add(Permission.objects.get(codename="view_feed"))
    Feed.objects.update(problem=f"{feed.url} does not answer.")

    for place in (LIST, page(feed, "change")):
        text = client.get(place).content.decode()
        assert "School" in text
        assert "token=1" not in text
    assert client.get(LIST, {"q": "token=1"}).context["cl"].result_count == 0
    assert client.get(LIST, {"url__contains": "token"}).status_code in {302, 400}


def test_the_start_page_tells_who_may_see_feeds_which_fail(client, user, feed):
    Feed.objects.update(failures=3, problem="It is gone.")
    index = reverse("admin:index")

    assert "It is gone." in client.get(index).content.decode()
    Feed.objects.update(is_active=False)
    assert "Feeds that fail" not in client.get(index).content.decode()
    Feed.objects.update(is_active=True)
    client.force_login(UserFactory(role="Author", is_staff=True))
    assert "It is gone." not in client.get(index).content.decode()


def test_the_list_hides_what_may_be_a_secret_and_takes_constant_queries(client, user, feed):
    def queries():
        with CaptureQueriesContext(connection) as done:
            shown = client.get(LIST).content.decode()
        assert "127.0.0.1" in shown
        assert "feed.ics" not in shown
        return len(done)

    queries()
    one = queries()
    for name in "ab":
        Feed.objects.create(name=name, url=feed.url, owner=user, last_import=feed.next_import)

    assert queries() == one


@pytest.mark.django_db(transaction=True)
def test_feeds_in_a_browser(viewer, published_site):
    published_site.page("/feed.ics", ics(FAIR, WRONG))
    page = viewer.page
    EventFactory(title="Walk")
    viewer.open(ADD)
    page.get_by_label("Name").fill("School holidays")
    page.get_by_label("Address").fill(published_site.url("/feed.ics"))
    viewer.inspect("feed-add", ".field-url")

    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("An import would find 1 event (1 new).")).to_be_visible()
    viewer.inspect("feed-preview", ".planning")
    page.get_by_role("button", name="Import now").click()
    expect(page.get_by_text("A worker now imports “School holidays”.")).to_be_visible()

    feed = Feed.objects.get()
    feeds.run(feed.pk)
    Feed.objects.create(
        name="Town council", url="https://town.example/x.ics", owner=viewer.user, failures=2,
        last_import=feed.last_import or feed.next_import, problem="The host cannot be found.",
    )  # fmt: skip
    page.reload()
    viewer.inspect("feeds", "#changelist")
    page.get_by_role("link", name="School holidays").click()
    viewer.inspect("feed", ".field-url")
    viewer.open("/admin/")
    viewer.inspect("calendar-start-feeds", ".calendar-overview")
