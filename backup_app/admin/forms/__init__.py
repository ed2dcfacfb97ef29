"""The admin's forms, which reject what the API rejects, with the error at its field."""

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
