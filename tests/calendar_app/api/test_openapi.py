"""The whole API against its own description, as the public and as an editor."""

import pytest

from calendar_app.api import namespace
from tests.fuzzing import require_described
from tests.recording import count_ids_from_one

from ..support.api_client import P
from ..support.described import whole
from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = [pytest.mark.attack, pytest.mark.django_db(transaction=True)]
# {pattern of a finding: why it is none}
EXCEPTIONS = {
    "(?m)^410 .* in the trash": "An earlier request put it there.",
    "which does not exist|term_exists": "A schema does not know which records exist.",
    "You may not list records|cannot be in the trash": "Nor who asks, and for what.",
    "cannot be (read|empty)": "Dates are text in more forms than a pattern could describe.",
    "must be an uploaded file|is not a time zone|an absolute URL": "Texts have rules of their own.",
    r"(venue|organizer)\[": "A venue in an event is described as a venue, not there.",
    "belong together|requires geoloc_": "Parameters may need others.",
    "Incorrect type|violates `type`": "As in a form, numbers and booleans may be sent as text.",
    "violates `additionalProperties`": "What is not known is ignored.",
    "not 'null'": "Forms have no null.",
}


@pytest.fixture
def filled(transactional_db, media, settings):
    """Records of each kind."""
    settings.BACKUP_LOGIN_FAILURES = 10**6
    count_ids_from_one("calendar_app_", "auth_user")
    category, tag = CategoryFactory(parent=CategoryFactory()), TagFactory()
    EventFactory(
        categories=[category], tags=[tag], venues=[VenueFactory()], organizers=[OrganizerFactory()]
    )
    EventFactory(password="sesame", categories=[category])


def test_the_public_finds_the_api_as_described(live_server, filled):
    require_described(namespace.openapi(P), live_server.url, exceptions=EXCEPTIONS)


def test_an_editor_finds_the_api_as_described(live_server, filled):
    login = UserFactory(role="Editor").username, "secret"

    require_described(whole(), live_server.url, exceptions=EXCEPTIONS, login=login)
