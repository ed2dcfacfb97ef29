"""Subusers: logins for people who may see and restore some clients."""

from .. import access, shapes, subusers
from ..descriptions import (
    AccessGranted,
    BareMetalRestore,
    PasswordChanged,
    SubuserAnswer,
    SubuserExists,
)
from ..operation import operation
from ..serializers.subusers import AddSubuser, GrantAccess, NamedSubuser, SetPassword


@operation(
    29,
    topic="subusers",
    answer=SubuserAnswer,
    options=AddSubuser,
    writes=True,
    on_behalf=False,
    refusals=(409,),
    example={
        "Login": "sam",
        "Firstname": "Sam",
        "Lastname": "Sub",
        "Email": "sam@example.org",
    },
)
def add_subuser(request):
    """Add a subuser, who can log in once there is a password.

    Logins are unique in the whole installation, whatever their case.
    """
    return shapes.subuser(subusers.add(request.caller.account, **request.options))


@operation(
    30,
    topic="subusers",
    answer=AccessGranted,
    options=GrantAccess,
    writes=True,
    on_behalf=False,
    example={"client": "web1", "subuser": "sam"},
)
def grant_access(request):
    """Let a subuser see and restore a client.

    A second time it changes nothing.
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
    example={"subuser": "sam", "Password": "correct horse battery staple"},
)
def set_password(request):
    """Set the password that a subuser logs in with."""
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
    example={"subuser": "sam"},
)
def subuser_exists(request):
    """Check whether the account has a subuser."""
    return {"exists": subusers.exists(request.caller.account, request.options["subuser"])}


@operation(
    33,
    topic="subusers",
    answer=BareMetalRestore,
    options=NamedSubuser,
    on_behalf=False,
    example={"subuser": "sam"},
)
def bare_metal_restore(request):
    """Check whether a subuser may restore whole machines."""
    return {"bmr": access.subuser(request.caller, request.options["subuser"]).bmr}
