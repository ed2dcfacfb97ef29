"""Subusers: logins for people who may see and restore some clients."""

from functools import partial

from ...accounts import access, subusers
from ..operation import operation
from ..serializers.subusers import (
    AccessGranted,
    AddSubuser,
    BareMetalRestore,
    GrantAccess,
    NamedSubuser,
    PasswordChanged,
    SetPassword,
    SubuserAnswer,
    SubuserExists,
)

# ``subuser`` in the body names who it is about, not on whose behalf it is done.
subuser_operation = partial(operation, topic="subusers", on_behalf=False)


@subuser_operation(29, answer=SubuserAnswer, options=AddSubuser, writes=True, refusals=(409,))
def add_subuser(request):
    """Add a subuser.

    It can log in once it has a password. Logins are unique in the whole installation, in any case.
    """
    return subusers.add(request.caller.account, **request.options)


@subuser_operation(30, answer=AccessGranted, options=GrantAccess, writes=True)
def grant_access(request):
    """Grant a subuser access to a client.

    It can then see and restore the client. Granting twice changes nothing.
    """
    client = access.client_by_either(request.caller, request.options["client"])
    subuser = access.subuser(request.caller, request.options["subuser"])
    subusers.grant(subuser, client)
    return {"client": client.name, "subuser": subuser.login, "granted": True}


@subuser_operation(31, answer=PasswordChanged, options=SetPassword, writes=True)
def set_password(request):
    """Set a subuser's password."""
    subuser = access.subuser(request.caller, request.options["subuser"])
    subusers.set_password(subuser, request.options["password"])
    return {"subuser": subuser.login, "changed": True}


@subuser_operation(32, answer=SubuserExists, options=NamedSubuser, refusals=())
def subuser_exists(request):
    """Check whether a subuser exists.

    Only the account's own subusers count.
    """
    return {"exists": subusers.exists(request.caller.account, request.options["subuser"])}


@subuser_operation(33, answer=BareMetalRestore, options=NamedSubuser)
def bare_metal_restore(request):
    """Check whether a subuser may restore whole machines."""
    return access.subuser(request.caller, request.options["subuser"])
