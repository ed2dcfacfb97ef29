"""What somebody has selected of a backup, kept in the session while they walk through it."""

from ...engines import get_engine
from ...exceptions import Invalid

KEY = "backup_selection"
MOST = 1000  # folders and files
FIELDS = ("nodes", "files")


class KeptSelection:
    """The selection of one backup; that of another is forgotten."""

    def __init__(self, request, job):
        self._session, self._job = request.session, job
        kept = self._session.get(KEY, {})
        is_same = kept.get("job") == job.pk
        self._ids = {name: list(kept[name]) if is_same else [] for name in FIELDS}

    def __len__(self):
        return sum(map(len, self._ids.values()))

    def has(self, field, number):
        return number in self._ids[field]

    def update(self, shown, chosen):
        """Replace what is on a page by what is checked there; both are IDs by field."""
        for field in FIELDS:
            gone = set(shown[field]) | set(chosen[field])
            kept = [number for number in self._ids[field] if number not in gone]
            self._ids[field] = kept + list(dict.fromkeys(chosen[field]))
        if len(self) > MOST:
            raise Invalid(
                {"files": [f"At most {MOST} files and folders can be selected: take a folder."]}
            )
        self._keep()

    def replace(self, nodes=(), files=()):
        """Select only these."""
        self._ids = {"nodes": list(nodes), "files": list(files)}
        self._keep()

    def selection(self):
        """Return what the engine has of it; raises NotFound for what the backup has not."""
        return get_engine(self._job.engine).select_ids(
            self._job, self._ids["nodes"], self._ids["files"]
        )

    def _keep(self):
        self._session[KEY] = {"job": self._job.pk, **self._ids}
