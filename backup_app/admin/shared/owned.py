"""Records that belong to an account."""

from ...services.locked_fields import locked_fields
from .base import BackupAdmin
from .filters import RelatedFilter


class OwnedAdmin(BackupAdmin):
    """Records of all accounts; a record's account is chosen when it is added, and stays."""

    list_filter = [("account", RelatedFilter)]
    autocomplete_fields = ["account"]
    derived_fields = []

    def get_readonly_fields(self, request, obj=None):
        return [*self.derived_fields, *(["account"] if obj else []), *locked_fields(obj)]

    def get_changeform_initial_data(self, request):
        return {"account": request.user.pk, **super().get_changeform_initial_data(request)}
