from django.core.management.base import CommandError

from ...services import storages, zones
from ..base import BackupCommand


class Command(BackupCommand):
    help = (
        "Create a zone, whose machines one engine backs up, and with --storage its first storage. "
        "Either both are created, or neither."
    )
    examples = (
        "add_zone network --engine bacula --storage disk",
        "add_zone office --title 'Main office' --storage backups --path /srv/backups",
    )

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("name", help="Name of the zone: letters, digits, '-' and '_'.")
        parser.add_argument(
            "--engine",
            metavar="ALIAS",
            default="default",
            help="Alias of an engine in BACKUP_ENGINES; 'default' by default.",
        )
        parser.add_argument("--title", default="", help="What is shown instead of the name.")
        parser.add_argument("--storage", metavar="NAME", help="Name of a storage in the zone.")
        parser.add_argument("--path", default="", help="Absolute path of the storage's folder.")
        parser.add_argument(
            "--engine-name",
            metavar="NAME",
            default="",
            help="The engine's name for a storage that is a device, if it is another one.",
        )

    def handle(self, *, name, storage, path, engine_name, **options):
        values = {"engine": options["engine"], "title": options["title"]}
        if storage:
            place = {"path": path, "engine_name": engine_name}
            self._create_with_storage(name, storage, **place, **values)
        elif path or engine_name:
            given = f"--path '{path}'" if path else f"--engine-name '{engine_name}'"
            raise CommandError(f"{given} is of a storage: name it with --storage NAME.")
        else:
            zone = zones.create(name, **values)
            self.answer(
                {"zone": zone.name, "engine": zone.engine, "storage": None, "warnings": []},
                f"Created the zone '{zone.name}' with the engine '{zone.engine}'.",
            )

    def _create_with_storage(self, name, storage, **values):
        made = zones.create_with_storage(name, storage, **values)
        zone, fault = made.zone, storages.label(made)
        if fault:
            self.stderr.write(fault)
        self.answer(
            {
                "zone": zone.name,
                "engine": zone.engine,
                "storage": made.name,
                "warnings": [fault] if fault else [],
            },
            f"Created the zone '{zone.name}' with the engine '{zone.engine}' and the storage"
            f" '{made.name}'.",
        )
