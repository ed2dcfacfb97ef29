from django.contrib.admin import register

from ..models import AccountAccess
from .shared.base import BackupAdmin


@register(AccountAccess)
class AccountAccessAdmin(BackupAdmin):
    list_display = ["user", "account", "created"]
    list_select_related = ["user", "account"]
    search_fields = ["user__username", "account__username", "account__email"]
    autocomplete_fields = ["user", "account"]
    fields = [("user", "account"), "created"]

    def get_readonly_fields(self, request, obj=None):
        return ["created", *(["user", "account"] if obj else [])]
