"""Parameters of the operations about subusers."""

from rest_framework import serializers

from .options import Options

LOGIN = {"max_length": 100, "help_text": "A subuser's login."}
PASSWORD = {"max_length": 1000, "trim_whitespace": False, "write_only": True}


class AddSubuser(Options):
    subuser = None  # nobody adds one on behalf of another

    Login = serializers.CharField(source="login", max_length=100)
    Firstname = serializers.CharField(source="first_name", max_length=100)
    Lastname = serializers.CharField(source="last_name", max_length=100)
    Email = serializers.EmailField(
        source="email",
        max_length=254,
        error_messages={"invalid": "'%(value)s' is not an e-mail address."},
    )
    Password = serializers.CharField(
        source="password", required=False, allow_blank=True, **PASSWORD
    )
    bmr = serializers.BooleanField(required=False, help_text="May restore whole machines.")


class NamedSubuser(Options):
    subuser = serializers.CharField(**LOGIN)


class GrantAccess(NamedSubuser):
    client = serializers.CharField(max_length=100, help_text="A client's name.")


class SetPassword(NamedSubuser):
    Password = serializers.CharField(source="password", **PASSWORD)
