from django.contrib.admin import register
from django.db.models import Count, Q

from ..models import Zone
from .forms.zone import ZoneForm
from .look import display
from .shared.base import BackupAdmin


@register(Zone)
class ZoneAdmin(BackupAdmin):
    form = ZoneForm
    list_display = ["name", "title", "engine", "number_of_clients", "number_of_storages"]
    search_fields = ["name", "title"]
    fields = ["name", "title", "engine"]

    def get_queryset(self, request):
        present = Count("clients", filter=Q(clients__deleted=None), distinct=True)
        storages = Count("storages", distinct=True)
        zones = super().get_queryset(request)
        return zones.annotate(client_count=present, storage_count=storages)

    @display(description="clients", ordering="client_count")
    def number_of_clients(self, zone):
        return zone.client_count

    @display(description="storages", ordering="storage_count")
    def number_of_storages(self, zone):
        return zone.storage_count
