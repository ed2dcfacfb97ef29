"""Adding subusers, setting their passwords and granting them clients."""

from typing import Any

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from ..exceptions import Invalid, WrongState
from ..models import Client, Grant, Subuser
from . import api_keys


def add(account: Any, *, login: str, password: str = "", **person: Any) -> Subuser:
    """Create a subuser, who cannot log in without a password.

    person: ``first_name``, ``last_name``, ``email`` and ``bmr``. Logins are unique across all
    accounts, ignoring case. Raises WrongState for one that is taken, Invalid for one that HTTP
    Basic cannot carry and for a weak password.
    """
    subuser = Subuser(account=account, login=cleaned_login(login), **person)
    if password:
        _hash(subuser, password)
    require_free(subuser.login)
    try:
        with transaction.atomic():
            subuser.save()
    except IntegrityError as e:
        raise _taken(subuser.login) from e
    return subuser


def set_password(subuser: Subuser, password: str) -> None:
    """Replace the password of a subuser; raises Invalid for a weak one."""
    _hash(subuser, password)
    subuser.save(update_fields=["password"])


def grant(subuser: Subuser, client: Client) -> Grant:
    """Let a subuser see and restore a client of its account; may be repeated."""
    return Grant.objects.get_or_create(subuser=subuser, client=client)[0]


def exists(account: Any, login: str) -> bool:
    """Return whether the account has this subuser."""
    return Subuser.objects.filter(account=account, login=login).exists()


def cleaned_login(login: str) -> str:
    """Return a login without surrounding spaces; raises Invalid if it cannot be one."""
    login = login.strip()
    if not is_login(login):
        sentence = f"'{login}' is not a login: it must not contain ':' or control characters."
        raise Invalid({"login": [sentence]})
    return login


def is_login(text: str) -> bool:
    """Return whether a subuser can have this login."""
    return 1 <= len(text) <= 100 and ":" not in text and text.isprintable()


def require_free(login: str, known: Subuser | None = None) -> None:
    """Raise WrongState if another subuser than ``known`` has this login."""
    others = Subuser.objects.exclude(pk=known.pk) if known else Subuser.objects.all()
    if others.filter(login__iexact=login).exists():
        raise _taken(login)


def require_strong(subuser: Any, password: str) -> None:
    """Raise Invalid for a password that is too weak for a subuser, or looks like an API key."""
    subuser.username = subuser.login  # UserAttributeSimilarityValidator reads it
    try:
        validate_password(password, subuser)
    except ValidationError as e:
        raise Invalid({"password": e.messages}) from e
    if api_keys.looks_like_key(password):
        raise Invalid({"password": ["A password must not look like an API key."]})


def _taken(login: str) -> WrongState:
    return WrongState(f"There is already a subuser '{login}'. Case is ignored.")


def _hash(subuser: Subuser, password: str) -> None:
    require_strong(subuser, password)
    subuser.password = make_password(password)
