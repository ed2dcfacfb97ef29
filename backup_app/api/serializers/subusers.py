"""Parameters and answers of the operations on subusers."""

from rest_framework import serializers

from .answer import Answer, LocalTimeField
from .fields import Options

LOGIN = {"max_length": 100, "help_text": "Login of the subuser."}
PASSWORD = {
    "max_length": 1000,
    "trim_whitespace": False,
    "write_only": True,
    "help_text": "Password to log in with.",
}


class AddSubuser(Options):
    subuser = None  # a subuser is not added on behalf of another

    Login = serializers.CharField(source="login", max_length=100, help_text="Login, unique.")
    Firstname = serializers.CharField(source="first_name", max_length=100, help_text="First name.")
    Lastname = serializers.CharField(source="last_name", max_length=100, help_text="Last name.")
    Email = serializers.EmailField(
        source="email",
        max_length=254,
        help_text="Mail address.",
        error_messages={"invalid": "'%(value)s' is not an e-mail address."},
    )
    Password = serializers.CharField(
        source="password", required=False, allow_blank=True, **PASSWORD
    )
    bmr = serializers.BooleanField(
        required=False, help_text="Whether it may restore whole machines; no by default."
    )


class NamedSubuser(Options):
    subuser = serializers.CharField(**LOGIN)


class GrantAccess(NamedSubuser):
    client = serializers.CharField(max_length=100, help_text="Name of the client.")


class SetPassword(NamedSubuser):
    Password = serializers.CharField(source="password", **PASSWORD)


# --- Answers ---


class GrantedClientsField(serializers.ListField):
    """The names of a subuser's clients."""

    child = serializers.CharField()

    def to_representation(self, clients):
        return list(clients.filter(deleted=None).order_by("name").values_list("name", flat=True))


class SubuserAnswer(Answer):
    login = serializers.CharField()
    firstname = serializers.CharField(source="first_name")
    lastname = serializers.CharField(source="last_name")
    email = serializers.CharField()
    clients = GrantedClientsField()
    bmr = serializers.BooleanField()
    created = LocalTimeField()


class AccessGranted(Answer):
    client = serializers.CharField()
    subuser = serializers.CharField()
    granted = serializers.BooleanField()


class PasswordChanged(Answer):
    subuser = serializers.CharField()
    changed = serializers.BooleanField()


class SubuserExists(Answer):
    exists = serializers.BooleanField()


class BareMetalRestore(Answer):
    bmr = serializers.BooleanField()
