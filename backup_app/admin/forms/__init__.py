"""The forms of the admin: what the API refuses is refused here, beside the field it is about."""

from .client import ClientForm
from .fileset import FilesetForm
from .mailbox import MailboxForm
from .pool import PoolForm
from .restore import RestoreForm
from .storage import StorageForm
from .subuser import SubuserForm
from .zone import ZoneForm

__all__ = [
    "ClientForm",
    "FilesetForm",
    "MailboxForm",
    "PoolForm",
    "RestoreForm",
    "StorageForm",
    "SubuserForm",
    "ZoneForm",
]
