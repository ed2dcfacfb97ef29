"""Records that belong to an account."""

from ...accounts import staff
from ...services.rules.locked_fields import locked_fields
from .base import BackupAdmin
from .filters import RelatedFilter

BY_ACCOUNT = ("account", RelatedFilter)


class OwnedAdmin(BackupAdmin):
    """Records of accounts; a record's account is chosen when it is added, and stays."""

    account_field = "account"
    list_filter = [BY_ACCOUNT]
    autocomplete_fields = ["account"]

    def get_list_filter(self, request):
        """Filter by account only for those who see all: others have no list of the accounts."""
        found = super().get_list_filter(request)
        return found if _sees_all(request) else [each for each in found if each != BY_ACCOUNT]

    def get_autocomplete_fields(self, request):
        names = super().get_autocomplete_fields(request)
        return names if _sees_all(request) else [name for name in names if name != "account"]

    def formfield_for_foreignkey(self, db_field, request, **kwargs):
        if db_field.name == "account":
            accounts = db_field.remote_field.model._default_manager.all()
            kwargs["queryset"] = staff.visible(request.user, accounts, "pk")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_readonly_fields(self, request, obj=None):
        return [*self.derived_fields, *(["account"] if obj else []), *locked_fields(obj)]

    def get_changeform_initial_data(self, request):
        return {"account": request.user.pk, **super().get_changeform_initial_data(request)}


def _sees_all(request):
    return request.user.has_perm(staff.SEES_ALL)
