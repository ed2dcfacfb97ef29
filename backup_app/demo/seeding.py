"""The demo of the backup service: this machine as a client, with a folder of a few small files."""

import shutil
from pathlib import Path

from django.db.models import Q

from ..conf import conf
from ..engines import get_engine
from ..models import Client, Fileset, Pool, Storage, Zone

FILES = Path(__file__).parent / "files"
LINK = Path("documents/newest-minutes.md"), Path("minutes/february.md")
NAME = "demo"
ADDRESS = "127.0.0.1"
SCHEDULE = "30 2 * * *"


def fill(folder: Path) -> list[Path]:
    """Copy the demo's files into a folder; return those that were missing.

    Existing files are left unchanged, even if they were edited.
    """
    sources = [path for path in sorted(FILES.rglob("*")) if path.is_file()]
    missing = [path for path in sources if not _is_there(folder / path.relative_to(FILES))]
    made = [_copy(path, folder / path.relative_to(FILES)) for path in missing]
    place, target = LINK
    link = folder / place
    if not _is_there(link):
        link.symlink_to(target)
        made.append(link)
    return made


def may_be_read(folder: Path) -> bool:
    """Return whether clients of this machine may back up a folder."""
    real = folder.resolve()
    return any(real.is_relative_to(root.resolve()) for root in conf.local_roots)


class DemoBackup:
    """Creates the missing records to back up a folder of this machine; ``made`` lists them."""

    def __init__(self, account, folder: Path):
        self.account, self.folder = account, folder
        self.made = []

    def make(self) -> Client:
        zone = self._one(Zone, name="local", defaults={"title": "This machine"})
        storage = self._storage(zone)
        own = {"account": self.account, "name": NAME}
        pool = self._one(Pool, **own, defaults={"storage": storage})
        include = [{"path": str(self.folder)}]
        fileset = self._one(Fileset, **own, defaults={"include": include})
        return self._client(zone=zone, pool=pool, fileset=fileset)

    def _storage(self, zone):
        folder = conf.root / "local"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = {"zone": zone, "path": str(folder)}
        storage = self._one(Storage, name="local", defaults=new)
        if storage in self.made:
            get_engine(zone.engine).label_storage(storage)
        return storage

    def _client(self, **fields):
        known = Client.objects.present().filter(Q(name=NAME) | Q(ip=ADDRESS), account=self.account)
        if client := known.first():
            return client
        client = Client.objects.create(
            account=self.account,
            name=NAME,
            ip=ADDRESS,
            connection=Client.Connection.LOCAL,
            schedule=SCHEDULE,
            **fields,
        )
        self.made.append(client)
        return client

    def _one(self, model, **fields):
        record, is_new = model.objects.get_or_create(**fields)
        if is_new:
            self.made.append(record)
        return record


def _is_there(path):
    return path.is_symlink() or path.exists()


def _copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    return shutil.copyfile(source, target)
