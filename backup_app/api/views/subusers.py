"""Subusers: logins for people who may see and restore some clients."""

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


@operation(
    29,
    topic="subusers",
    answer=SubuserAnswer,
    options=AddSubuser,
    writes=True,
    on_behalf=False,
    refusals=(409,),
)
def add_subuser(request):
    """Add a subuser.

    It can log in once it has a password. Logins are unique in the whole installation, in any case.
    """
    return subusers.add(request.caller.account, **request.options)


@operation(
    30,
    topic="subusers",
    answer=AccessGranted,
    options=GrantAccess,
    writes=True,
    on_behalf=False,
)
def grant_access(request):
    """Grant a subuser access to a client.

    It can then see and restore the client. Granting twice changes nothing.
    """
    client = access.client_by_either(request.caller, request.options["client"])
    subuser = access.subuser(request.caller, request.options["subuser"])
    subusers.grant(subuser, client)
    return {"client": client.name, "subuser": subuser.login, "granted": True}


@operation(
    31,
    topic="subusers",
    answer=PasswordChanged,
    options=SetPassword,
    writes=True,
    on_behalf=False,
)
def set_password(request):
    """Set a subuser's password."""
    subuser = access.subuser(request.caller, request.options["subuser"])
    subusers.set_password(subuser, request.options["password"])
    return {"subuser": subuser.login, "changed": True}


@operation(
    32,
    topic="subusers",
    answer=SubuserExists,
    options=NamedSubuser,
    on_behalf=False,
    refusals=(),
)
def subuser_exists(request):
    """Check whether a subuser exists.

    Only the account's own subusers count.
    """
    return {"exists": subusers.exists(request.caller.account, request.options["subuser"])}


@operation(
    33,
    topic="subusers",
    answer=BareMetalRestore,
    options=NamedSubuser,
    on_behalf=False,
)
def bare_metal_restore(request):
    """Check whether a subuser may restore whole machines."""
    return access.subuser(request.caller, request.options["subuser"])
