"""Who asks: an account, or one of its subusers."""

from dataclasses import dataclass, replace
from typing import Any

from django.utils.module_loading import import_string

from ..conf import conf
from ..models import Subuser


@dataclass(frozen=True)
class Caller:
    """An account that asks itself, on behalf of a subuser, or through a subuser's own login."""

    account: Any
    login: str
    address: str
    subuser: Subuser | None = None  # who logged in
    behalf: Subuser | None = None  # who was named in the body

    @property
    def limited_to(self) -> Subuser | None:
        """Whose granted clients are all that may be seen; None for all of the account's."""
        return self.subuser or self.behalf

    @property
    def unlimited(self) -> "Caller":
        """The account itself."""
        return replace(self, subuser=None, behalf=None)


def address_of(request) -> str:
    """Return the address that a request comes from, as the project's ``CLIENT_ADDRESS`` says."""
    if conf.CLIENT_ADDRESS:
        return import_string(conf.CLIENT_ADDRESS)(request)[:45]
    return request.META.get("REMOTE_ADDR", "")[:45]
