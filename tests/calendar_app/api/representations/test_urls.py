import pytest
from django.core.files.storage import FileSystemStorage
from django.test import RequestFactory
from django.urls import set_script_prefix

from calendar_app.api.representations import Urls
from calendar_app.models import Category, Event


@pytest.fixture
def below_a_prefix():
    set_script_prefix("/apps/")
    yield
    set_script_prefix("/")


def test_links_begin_with_the_host_of_the_request():
    request = RequestFactory().get("/", headers={"host": "127.0.0.1:8000"})

    urls = Urls.of(request)

    assert urls.absolute("/media/a.png") == "http://127.0.0.1:8000/media/a.png"
    assert urls.global_id(10) == "127.0.0.1?id=10"


def test_links_begin_as_the_setting_says(settings):
    settings.CALENDAR_BASE_URL = "https://example.org/"

    urls = Urls.of(RequestFactory().get("/"))

    assert urls.absolute("/media/a.png") == "https://example.org/media/a.png"
    assert urls.global_id(10) == "example.org?id=10"


def test_a_file_on_another_host_keeps_its_address():
    address = "https://files.example/a.png"

    assert Urls("https://example.org").absolute(address) == address


def test_records_and_collections_have_rest_addresses():
    urls = Urls("https://example.org")

    assert urls.rest("events") == "https://example.org/calendar/events/v1/events"
    assert urls.rest("events", 10) == "https://example.org/calendar/events/v1/events/10"


def test_a_page_is_at_the_slug():
    urls = Urls("https://example.org")

    assert urls.page(Event(slug="fair")) == "https://example.org/event/fair/"
    assert urls.page(Category(slug="music")) == "https://example.org/category/music/"


def test_letters_beyond_ascii_are_percent_encoded():
    page = Urls("https://example.org").page(Event(slug="日本"))

    assert page == "https://example.org/event/%E6%97%A5%E6%9C%AC/"


@pytest.mark.usefixtures("below_a_prefix")
def test_addresses_stay_below_the_prefix_of_the_server():
    urls = Urls("https://example.org")

    assert urls.rest("tags") == "https://example.org/apps/calendar/events/v1/tags"
    assert urls.page(Event(slug="fair")) == "https://example.org/apps/event/fair/"


@pytest.mark.parametrize("name", ["2027/a b.jpg", "é.png", "a:b?c#d%.gif"])
def test_a_file_has_the_address_that_its_storage_gives(name):
    storage = FileSystemStorage(base_url="/files/")

    address = Urls("https://example.org").files(storage)(name)

    assert address == f"https://example.org{storage.url(name)}"


def test_a_storage_may_have_a_way_with_addresses():
    class Signed(FileSystemStorage):
        def url(self, name):
            return f"https://files.example.org/{name}?signature=1"

    address = Urls("https://example.org").files(Signed())("a.jpg")

    assert address == "https://files.example.org/a.jpg?signature=1"
