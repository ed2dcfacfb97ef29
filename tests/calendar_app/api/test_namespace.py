import pytest
from django.test import Client

from calendar_app.api.filters.event import EventFilterSet
from calendar_app.api.serializers import EventSerializer

from ..support.api_client import P, get

pytestmark = pytest.mark.django_db

COLLECTIONS = ["events", "venues", "organizers", "categories", "tags"]


def test_the_index_lists_every_route_with_its_methods():
    index = get("").json()

    assert list(index) == ["namespace", "routes", "_links"]
    assert index["namespace"] == "calendar/events/v1"
    methods = {
        pattern.removeprefix(P): route["methods"] for pattern, route in index["routes"].items()
    }
    record = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    assert methods == {
        "": ["GET"],
        "/doc": ["GET"],
        **{f"/{name}": ["GET", "POST"] for name in COLLECTIONS},
        **{rf"/{name}/(?P<id>\d+)": record for name in COLLECTIONS},
        **{f"/{name}/by-slug/(?P<slug>[^/]+)": record for name in COLLECTIONS[:3]},
        "/images": ["POST"],
        r"/images/(?P<id>\d+)": ["GET"],
    }


def test_the_index_links_what_has_no_variable_part():
    routes = get("").json()["routes"]

    assert routes[f"{P}/events"]["_links"] == {"self": [{"href": f"http://testserver{P}/events"}]}
    assert "_links" not in routes[rf"{P}/events/(?P<id>\d+)"]


def test_the_arguments_are_those_that_are_validated():
    listing, creating = get("").json()["routes"][f"{P}/events"]["endpoints"]

    filters, fields = EventFilterSet.base_filters, EventSerializer().fields
    assert set(listing["args"]) == {*filters, "page", "per_page", "format", "_fields"}
    assert set(creating["args"]) == {name for name in fields if not fields[name].read_only}
    required = {name for name, argument in creating["args"].items() if argument["required"]}
    assert required == {"title", "start_date", "end_date"}
    assert listing["args"]["per_page"]["default"] == 10
    assert creating["args"]["title"]["type"] == "string"


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_a_program_may_send_every_default(collection):
    listing, _ = get("").json()["routes"][f"{P}/{collection}"]["endpoints"]
    defaults = {
        name: str(argument["default"]).lower()
        for name, argument in listing["args"].items()
        if "default" in argument
    }

    answer = get(f"/{collection}", defaults)

    assert answer.status_code == 200, answer.content
    assert defaults


def test_the_documentation_is_openapi_of_this_namespace():
    document = get("/doc").json()

    assert document["openapi"].startswith("3.")
    assert all(path.startswith(P) for path in document["paths"])
    assert set(document["paths"]) >= {P, f"{P}/doc", f"{P}/events", f"{P}/events/by-slug/{{slug}}"}


@pytest.mark.parametrize("address", ["/docs/", "/redoc/", "/schema/", "/"])
def test_the_description_is_served_without_a_content_network(address):
    answer = Client().get(address)

    assert answer.status_code == 200
    assert "cdn" not in answer.content.decode().lower()
