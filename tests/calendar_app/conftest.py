import socket

import pytest

from calendar_app.lib import fetch

from .support.web_servers import Names, serving


@pytest.fixture
def site():
    """A web server on 127.0.0.1."""
    with serving() as site:
        yield site


@pytest.fixture
def names(monkeypatch):
    """A name service for the test to fill."""
    names = Names()
    monkeypatch.setattr(socket, "getaddrinfo", names)
    return names


@pytest.fixture
def media(settings, tmp_path):
    """The folder that images are stored in, empty."""
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


@pytest.fixture
def published_site(site, monkeypatch):
    """A web server whose address, 127.0.0.1, counts as one of the public internet."""
    monkeypatch.setattr(fetch, "is_public", lambda address: address == "127.0.0.1")
    return site
