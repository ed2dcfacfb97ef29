"""The caller of a request: an account, or one of its subusers."""

from dataclasses import dataclass, replace
from typing import Any

from django.utils.module_loading import import_string

from ..conf import conf
from ..models import Subuser


@dataclass(frozen=True)
class Caller:
    """An account, by its own login, on behalf of a subuser, or by a subuser's login."""

    account: Any
    login: str
    address: str
    subuser: Subuser | None = None  # who logged in
    behalf: Subuser | None = None  # who was named in the body

    @property
    def limited_to(self) -> Subuser | None:
        """The subuser whose granted clients alone may be seen; None for all of the account."""
        return self.subuser or self.behalf

    @property
    def unlimited(self) -> "Caller":
        """The caller with all rights of the account."""
        return replace(self, subuser=None, behalf=None)


def address_of(request: Any) -> str:
    """Return the address that a request comes from, by the project's ``CLIENT_ADDRESS``."""
    if conf.CLIENT_ADDRESS:
        return str(import_string(conf.CLIENT_ADDRESS)(request))[:45]
    return str(request.META.get("REMOTE_ADDR", ""))[:45]
