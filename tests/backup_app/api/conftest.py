import pytest

from ..support.factories import ClientFactory


@pytest.fixture
def machine(account):
    """A client of the account with which ``api`` logs in."""
    return ClientFactory(account=account, name="web1", connection="ssh")
