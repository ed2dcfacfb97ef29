"""What every engine must do, by whatever means: tests to inherit."""

from .contract_backups import Backups
from .contract_browsing import Browsing
from .contract_restores import Restores


class EngineContract(Backups, Browsing, Restores):
    """Tests that an engine passes; a subclass gives the hooks of ``Setting``, and ``django_db``."""
