"""The API keys that accounts log in with, who else may see an account, recent login attempts."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from ..conf import conf


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def usable(self) -> "ApiKeyQuerySet":
        """Return keys that are neither revoked nor expired, of accounts that may log in."""
        now = timezone.now()
        return self.filter(
            Q(expires=None) | Q(expires__gt=now), revoked=None, account__is_active=True
        )


class ApiKey(models.Model):
    """A random key, stored only as its prefix and a hash; ``accounts.api_keys`` checks it."""

    account = models.ForeignKey(conf.user_model, models.CASCADE, related_name="backup_api_keys")
    name = models.CharField(max_length=100, blank=True, help_text="What the key is for.")
    prefix = models.CharField(max_length=12, unique=True, editable=False)
    digest = models.CharField(max_length=64, editable=False)  # SHA-256 of the whole key, in hex
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField(null=True, blank=True)
    revoked = models.DateTimeField(null=True, blank=True, editable=False)
    last_used = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        verbose_name = "API key"
        ordering = ["-created", "-id"]

    def __str__(self):
        return f"{self.prefix}… {self.name}".rstrip()


class AccountAccess(models.Model):
    """A member of the staff sees an account's records in the admin, besides their own."""

    user = models.ForeignKey(conf.user_model, models.CASCADE, related_name="backup_access")
    account = models.ForeignKey(
        conf.user_model, models.CASCADE, related_name="backup_staff", help_text="Whose records."
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "account access"
        ordering = ["user", "account"]
        permissions = [("all_accounts", "Can see the backups of all accounts")]
        constraints = [
            models.UniqueConstraint(fields=["user", "account"], name="access_to_an_account")
        ]

    def __str__(self):
        return f"{self.user} sees {self.account}"


class LoginAttempt(models.Model):
    """A recent failed login, or the first successful one from an address."""

    scope = models.CharField(max_length=20, help_text="Service that the login was for.")
    login = models.CharField(max_length=64, help_text="Digest of the login.")
    network = models.CharField(max_length=45)
    failed = models.BooleanField(default=True)
    time = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        indexes = [
            models.Index(fields=["login", "time"], name="attempts_of_login"),
            models.Index(fields=["network", "time"], name="attempts_of_network"),
        ]

    def __str__(self):
        return f"{self.scope} from {self.network} at {self.time}"
