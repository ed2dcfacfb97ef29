"""What the namespace says of the arguments of writes."""

import pytest

from ...support.api_client import get

TABLES = {
    "events": """author date date_utc title description slug excerpt status timezone all_day
        start_date end_date image cost website show_map show_map_link hide_from_listings sticky
        featured categories tags venue organizer post_parent ticketed post_password custom_fields
        """,
    "venues": """author date date_utc venue description status show_map show_map_link address city
        country province state zip phone stateprovince website image geo_lat geo_lng""",
    "organizers": "author date date_utc organizer description status phone website email image",
    "categories": "name description slug parent",
    "tags": "name description slug",
}
REQUIRED = {
    "events": {"title", "start_date", "end_date"},
    "venues": {"venue"},
    "organizers": {"organizer"},
    "categories": {"name"},
    "tags": {"name"},
}


def arguments(route, method):
    found = get("").json()["routes"]
    address = next(address for address in found if address.endswith(route))
    (endpoint,) = [one for one in found[address]["endpoints"] if method in one["methods"]]
    return endpoint["args"]


@pytest.mark.parametrize("collection", TABLES)
def test_each_field_is_an_argument_with_a_type_and_a_sentence(collection):
    found = arguments(f"/{collection}", "POST")

    described = [found[name] for name in TABLES[collection].split()]
    assert all(argument["type"] and argument["description"] for argument in described)
    assert {name for name in found if found[name]["required"]} == REQUIRED[collection]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
@pytest.mark.parametrize("collection", TABLES)
def test_an_update_requires_nothing_but_its_address(collection, method):
    found = arguments(f"/{collection}/(?P<id>\\d+)", method)

    assert [name for name in found if found[name]["required"]] == ["id"]


def test_a_field_of_many_forms_names_them_all():
    found = arguments("/events", "POST")

    assert found["venue"]["type"] == ["array", "integer", "string", "object"]
    assert found["image"]["type"] == ["integer", "string", "object", "boolean"]
    assert (found["featured"]["type"], found["start_date"]["type"]) == ("boolean", "string")
