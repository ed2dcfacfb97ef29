import re

import pytest

pytestmark = pytest.mark.django_db


def test_the_start_page_links_what_is_here(client):
    page = client.get("/").content.decode()

    links = set(re.findall(r'href="(/[^"]*)"', page))
    assert links >= {"/calendar/events/v1", "/docs/", "/redoc/", "/schema/", "/admin/"}
    for link in links - {"/readyz"}:
        assert client.get(link, follow=True).status_code == 200, link


@pytest.mark.parametrize("path", ["/", "/docs/", "/redoc/"])
def test_a_page_loads_nothing_from_another_host(client, path):
    page = client.get(path).content.decode()

    sources = re.findall(r'(?:src|<link[^>]*href)="([^"]+)"', page)
    assert all(source.startswith(("/", "data:")) for source in sources), sources
    assert "googleapis" not in page


@pytest.mark.parametrize("path", ["/docs/", "/redoc/"])
def test_the_scripts_of_a_page_are_served_here(client, path):
    page = client.get(path).content.decode()

    scripts = re.findall(r'src="(/[^"]+)"', page)
    assert scripts
    for script in scripts:
        assert client.get(script).status_code == 200, script


def test_the_schema_describes_the_calendar(client):
    schema = client.get("/schema/", headers={"accept": "application/json"}).json()

    assert "/calendar/events/v1/events" in " ".join(schema["paths"])


def test_every_operation_stands_in_a_group_that_is_explained(client):
    schema = client.get("/schema/", headers={"accept": "application/json"}).json()

    used = {
        tag for path in schema["paths"].values() for use in path.values() for tag in use["tags"]
    }
    assert used == {tag["name"] for tag in schema["tags"] if tag["description"]}
    assert used == {tag for group in schema["x-tagGroups"] for tag in group["tags"]}
