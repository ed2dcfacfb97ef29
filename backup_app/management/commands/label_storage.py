from ...engines import get_engine
from ...lib.formatting import counted
from ..base import BackupCommand
from ..lookup import storages_named


class Command(BackupCommand):
    help = (
        "Label the folders of storages. Nothing is written to a folder, read from it or removed "
        "from it without the label, so that an empty one is not used where a disk is not mounted. "
        "New storages are labelled automatically; use this for a disk that replaces another."
    )
    examples = (
        "label_storage disk",
        "label_storage disk --force",
    )

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("storages", nargs="+", metavar="STORAGE", help="Name of a storage.")
        parser.add_argument(
            "--force",
            action="store_true",
            help="Also label a folder that lacks the volumes of the storage's backups.",
        )

    def handle(self, *, storages, force, **options):
        found = storages_named(storages)
        for storage in found:
            get_engine(storage.zone.engine).label_storage(storage, force=force)
        names = [storage.name for storage in found]
        self.answer({"storages": names}, f"Labelled {counted(len(found), 'storage')}.")
