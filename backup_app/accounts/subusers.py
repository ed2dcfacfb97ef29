"""What can be done with subusers: to add one, give it a password, grant it a client."""

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from ..exceptions import Invalid, WrongState
from ..models import Grant, Subuser
from . import api_keys


def add(account, *, login: str, password: str = "", **person) -> Subuser:
    """Create a subuser, who can log in once there is a password.

    person: ``first_name``, ``last_name``, ``email`` and ``bmr``. Logins are unique in the whole
    installation, also when only their case differs. Raises WrongState for one that is taken,
    Invalid for what HTTP Basic cannot carry.
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


def set_password(subuser, password: str) -> None:
    """Let a subuser log in with this password and no other; raises Invalid for a weak one."""
    _hash(subuser, password)
    subuser.save(update_fields=["password"])


def grant(subuser, client) -> Grant:
    """Let a subuser see and restore a client of its account; again, it changes nothing."""
    if subuser.account_id != client.account_id:
        raise Invalid({"client": [f"There is no client '{client}' in the account of '{subuser}'."]})
    return Grant.objects.get_or_create(subuser=subuser, client=client)[0]


def exists(account, login: str) -> bool:
    """Say whether the account has this subuser."""
    return Subuser.objects.filter(account=account, login=login).exists()


def cleaned_login(login: str) -> str:
    login = login.strip()
    if not 1 <= len(login) <= 100:
        raise Invalid({"login": ["A login has 1 to 100 characters."]})
    if not is_login(login):
        sentence = f"'{login}' is no login: it may have no ':' and no control characters."
        raise Invalid({"login": [sentence]})
    return login


def is_login(text: str) -> bool:
    """Say whether a subuser can have this login."""
    return 1 <= len(text) <= 100 and ":" not in text and text.isprintable()


def require_free(login: str, known: Subuser | None = None) -> None:
    """Raise WrongState for a login that another subuser has than the known one."""
    others = Subuser.objects.exclude(pk=known and known.pk)
    if others.filter(login__iexact=login).exists():
        raise _taken(login)


def require_strong(subuser, password: str) -> None:
    """Raise Invalid for a password that is too weak for a subuser, or looks like an API key."""
    subuser.username = subuser.login  # what the validators compare with
    try:
        validate_password(password, subuser)
    except ValidationError as e:
        raise Invalid({"password": e.messages}) from e
    if api_keys.looks_like_key(password):
        raise Invalid({"password": ["A password may not look like an API key."]})


def _taken(login):
    return WrongState(f"There is a subuser '{login}' already. Case makes no difference.")


def _hash(subuser, password):
    require_strong(subuser, password)
    subuser.password = make_password(password)
