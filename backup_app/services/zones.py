"""Creating zones, alone or with their first storage."""

from django.db import transaction

from ..conf import conf
from ..exceptions import Invalid
from ..models import Storage, Zone
from . import storages
from .rules.validity import require_valid


def create(name: str, *, engine: str = "default", title: str = "") -> Zone:
    """Return a new zone; raises Invalid, as for a name that is taken or an unknown engine."""
    require_engine(engine)
    zone = Zone(name=name, title=title, engine=engine)
    require_valid(zone)
    zone.save()
    return zone


def create_with_storage(
    name: str, storage: str, *, path: str = "", engine_name: str = "", **values: str
) -> Storage:
    """Return the only storage of a new zone; raises Invalid, and then neither is created.

    ``values`` are as for ``create``, ``path`` and ``engine_name`` as for ``storages.create``.
    """
    with transaction.atomic():
        zone = create(name, **values)
        return storages.create(storage, zone, path=path, engine_name=engine_name)


def require_engine(alias: str) -> None:
    """Raise Invalid unless the settings declare an engine with this alias."""
    if alias not in conf.engines:
        declared = ", ".join(f"'{each}'" for each in conf.engines)
        sentence = f"BACKUP_ENGINES has no '{alias}', only {declared}."
        raise Invalid({"engine": [sentence]})
