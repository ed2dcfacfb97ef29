from django.contrib import messages
from django.contrib.admin import register
from django.db.models import Sum
from django.db.models.functions import Coalesce

from ..engines import get_engine
from ..exceptions import InvalidEngine
from ..models import Storage
from ..services import storages
from ..services.rules.locked_fields import locked_fields
from .forms.storage import StorageForm
from .look import display
from .pages.storage import StoragePage
from .shared import columns
from .shared.base import BackupAdmin
from .shared.filters import RelatedFilter


@register(Storage)
class StorageAdmin(StoragePage, BackupAdmin):
    form = StorageForm
    list_display = ["name", "zone", "kind", "path", "used", "free", "volumes_link", "state"]
    list_filter = [("zone", RelatedFilter)]
    list_select_related = ["zone"]
    search_fields = ["name", "path"]
    autocomplete_fields = ["zone"]
    derived_fields = ["used", "free", "kind", "volumes_link", "state"]
    fields = [
        *["name", "zone", "path", "engine_name", "capacity"],
        *[("used", "free"), "kind", "volumes_link", "state"],
    ]

    def get_readonly_fields(self, request, obj=None):
        return [*self.derived_fields, *locked_fields(obj)]

    def save_model(self, request, obj, form, change):
        super().save_model(request, obj, form, change)
        if "path" in form.changed_data and (fault := storages.label(obj)):
            messages.warning(request, fault)

    def get_queryset(self, request):
        stored = Coalesce(Sum("jobs__stored_bytes"), 0)
        return super().get_queryset(request).select_related("zone").annotate(stored=stored)

    @display(description="used", ordering="stored")
    def used(self, storage):
        return columns.size(getattr(storage, "stored", None))

    @display(description="free")
    def free(self, storage):
        return columns.size(_free(storage)) if storage.pk else None

    @display(description="state")
    def state(self, storage):
        if not storage.pk:
            return None
        try:
            return get_engine(storage.zone.engine).storage_fault(storage) or "ok"
        except InvalidEngine as e:
            return str(e)


def _free(storage):
    try:
        return storages.space(storage, storage.stored)["free"]
    except InvalidEngine:
        return None  # the settings no longer declare the zone's engine
