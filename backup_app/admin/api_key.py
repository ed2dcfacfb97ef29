from django.contrib import messages
from django.contrib.admin import action, register
from django.utils import timezone

from ..accounts import api_keys
from ..models import ApiKey
from .look import display
from .shared import bulk
from .shared.owned import OwnedAdmin

COLOURS = {"usable": "success", "expired": "warning", "revoked": "danger"}


@register(ApiKey)
class ApiKeyAdmin(OwnedAdmin):
    list_display = ["prefix", "name", "account", "state", "created", "expires", "last_used"]
    list_select_related = ["account"]
    search_fields = ["prefix", "name", "account__email", "account__username"]
    actions = ["revoke"]
    derived_fields = ["prefix", "state", "created", "revoked", "last_used"]
    add_fieldsets = [(None, {"fields": ["account", "name", "expires"]})]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("prefix", "state"),
                    ("account", "name"),
                    ("created", "expires"),
                    ("last_used", "revoked"),
                ]
            },
        )
    ]

    def has_change_permission(self, request, obj=None):
        return obj is None and super().has_change_permission(request)

    def save_model(self, request, obj, form, change):
        """Create the key, and show its text, which is stored nowhere."""
        made, text = api_keys.make(obj.account, obj.name, obj.expires)
        obj.pk = made.pk
        obj.refresh_from_db()
        sentence = f"The key is {text} — copy it now: it is not shown again."
        self.message_user(request, sentence, messages.WARNING)

    @action(description="Revoke", permissions=["change"])
    def revoke(self, request, queryset):
        bulk.run(self, request, queryset, "Revoked", lambda key: api_keys.revoke(key.prefix))

    @display(description="state", label=COLOURS)
    def state(self, key):
        if key.revoked:
            return "revoked"
        return "expired" if key.expires and key.expires <= timezone.now() else "usable"
