import pytest

from ..support.api_client import client_of


@pytest.fixture
def editor():
    """A client of the API for a user in the group Editor."""
    return client_of(role="Editor")
