"""The whole API against its own description, as an account and as a subuser."""

import pytest
from drf_spectacular.generators import SchemaGenerator

from backup_app.accounts import api_keys
from tests.fuzzing import require_described
from tests.recording import count_ids_from_one

from ..support.world import ENGINE, PASSWORD, make_world

pytestmark = [pytest.mark.attack, pytest.mark.django_db(transaction=True)]
# {pattern of a finding: why it is none}
EXCEPTIONS = {
    "Incorrect type|violates `type`": "As in a form, a number may be sent as text.",
    "'null' is not|Expected a dictionary|'path' is not": "Forms have null and objects otherwise.",
    "(?s)violates `additional.*\\nauthorized\\n200": "What is not known is ignored.",
    "sent in chunks": "It sends an empty form in chunks.",
    "is (not an? (IP|date|schedule|login|name)|no name)|(Null|password) ": "Texts have own rules.",
    "needs (an IP|a folder)|before it begins|Nothing to restore": "Parameters may need others.",
}


@pytest.fixture
def parties(transactional_db, settings):
    settings.BACKUP_ENGINES = ENGINE
    settings.BACKUP_LOGIN_FAILURES = 10**6
    count_ids_from_one("backup_app_", "auth_user")
    return make_world()


@pytest.mark.parametrize("name", ["a", "a1"])
def test_the_api_is_as_described(name, live_server, parties):
    party = parties[name]
    password = PASSWORD if party.is_subuser else api_keys.make(party.account)[1]
    document = SchemaGenerator().get_schema(request=None, public=True)

    require_described(
        document,
        live_server.url,
        paths="^/api/",
        exceptions=EXCEPTIONS,
        login=(party.login, password),
    )
