from django.contrib.admin import register
from django.db.models import Sum
from django.db.models.functions import Coalesce
from unfold.decorators import display

from .. import storages
from ..exceptions import InvalidEngine
from ..forms import StorageForm
from ..kept import kept_fields
from ..models import Storage
from . import columns
from .filters import RelatedFilter
from .lists import BackupAdmin


@register(Storage)
class StorageAdmin(BackupAdmin):
    form = StorageForm
    list_display = ["name", "zone", "kind", "path", "used", "free"]
    list_filter = [("zone", RelatedFilter)]
    list_select_related = ["zone"]
    search_fields = ["name", "path"]
    autocomplete_fields = ["zone"]
    fields = ["name", "zone", "path", "engine_name", "capacity", ("used", "free"), "kind"]

    def get_readonly_fields(self, request, obj=None):
        return ["used", "free", "kind", *kept_fields(obj)]

    def get_queryset(self, request):
        stored = Coalesce(Sum("jobs__stored_bytes"), 0)
        return super().get_queryset(request).select_related("zone").annotate(stored=stored)

    @display(description="used", ordering="stored")
    def used(self, storage):
        return columns.size(getattr(storage, "stored", None))

    @display(description="free")
    def free(self, storage):
        return columns.size(_free(storage)) if storage.pk else None


def _free(storage):
    try:
        return storages.space(storage, storage.stored)["free"]
    except InvalidEngine:
        return None  # the settings no longer declare the zone's engine
