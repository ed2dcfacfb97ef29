"""HTTP Basic with an account's e-mail address and API key, or a subuser's login and password."""

from typing import Any

from django.contrib.auth.hashers import check_password, make_password
from django.utils.crypto import constant_time_compare
from drf_spectacular.authentication import BasicScheme
from rest_framework.authentication import BasicAuthentication
from rest_framework.exceptions import AuthenticationFailed

from ..models import Subuser
from . import api_keys, audit, subusers
from .callers import Caller, address_of
from .throttling import LoginThrottle


class BackupAuthentication(BasicAuthentication):
    """Sets ``request.user`` to the account and ``request.auth`` to the Caller."""

    www_authenticate_realm = "backup"

    def authenticate_credentials(
        self, userid: str, password: str, request: Any = None
    ) -> tuple[Any, Caller]:
        address = address_of(request)
        throttle = LoginThrottle(userid, address)
        caller = caller_of(userid, password, address, throttle)
        if caller is None:
            audit.note_wrong_login(userid, address, request.path)
            throttle.failed()
            raise AuthenticationFailed("The login or the API key or password is wrong.")
        return caller.account, caller


class BackupScheme(BasicScheme):
    target_class = BackupAuthentication
    name = "backupAuth"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        login = "An account's e-mail address and an API key, or a subuser's login and password."
        return super().get_security_definition(auto_schema) | {"description": login}


def caller_of(login: str, password: str, address: str, throttle: LoginThrottle) -> Caller | None:
    """Return the Caller of these credentials, or None; raises TooManyAttempts.

    The work depends only on what is presented, so the time does not reveal which logins exist: a
    key is looked up by its prefix, and any other password is hashed once.
    """
    is_key = api_keys.looks_like_key(password)
    throttle.check(guessable=not is_key)
    if is_key:
        if account := account_of(login, password):
            return Caller(account, login, address)
    elif subuser := subuser_of(login, password):
        throttle.succeeded()
        return Caller(subuser.account, login, address, subuser)
    return None


def account_of(email: str, text: str) -> Any:
    """Return the account with this e-mail address and usable API key, or None."""
    key = api_keys.find(text)
    if key is None or not constant_time_compare(key.account.email.casefold(), email.casefold()):
        return None
    api_keys.note_use(key)
    return key.account


def subuser_of(login: str, password: str) -> Subuser | None:
    """Return the subuser with this login and password, or None."""
    if not (password and subusers.is_login(login)):
        return None  # not hashed: no subuser has such a login or password
    known = Subuser.objects.select_related("account").filter(login=login).first()
    if known is None or not known.password:
        make_password(password)  # takes as long as check_password
        return None
    is_right = check_password(password, known.password)
    return known if is_right and known.account.is_active else None
