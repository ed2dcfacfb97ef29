from ...services import pools
from .shared.errors import service_errors
from .shared.owned import OwnedForm
from .shared.sizes import SizeField


class PoolForm(OwnedForm):
    """A pool, whose storage is in the zone of its clients."""

    quota_bytes = SizeField(
        label="Quota", help_text="What backups may take, such as 500 GB; empty for no limit."
    )

    def clean(self):
        super().clean()
        storage = self.cleaned_data.get("storage")
        if self.known and storage:
            with service_errors(self, "storage"):
                pools.require_zone(self.known, storage)
        return self.cleaned_data
