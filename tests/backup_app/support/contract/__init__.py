"""What every engine must do, by whatever means: tests to inherit."""

from .backups import Backups
from .browsing import Browsing
from .restores import Restores


class EngineContract(Backups, Browsing, Restores):
    """Tests that an engine passes; a subclass gives the hooks of ``Setting``, and ``django_db``."""
