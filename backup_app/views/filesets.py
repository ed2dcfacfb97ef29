"""Filesets: what of a client is backed up."""

from .. import filesets, shapes
from ..descriptions import FilesetAnswer
from ..operation import operation
from ..serializers.filesets import SaveFileset


@operation(
    36,
    topic="filesets",
    answer=FilesetAnswer,
    options=SaveFileset,
    writes=True,
    example={
        "name": "web",
        "include": [{"path": "/etc"}, {"path": "/srv"}],
        "exclude": ["*.tmp", "/srv/cache"],
        "options": {"one_filesystem": True, "compression": 3},
        "databases": [{"kind": "mysql", "name": "shop"}],
        "verify": False,
        "schedule": "30 2 * * *",
    },
)
def save_fileset(request):
    """Create a fileset, or change what is given of one by its name.

    Forms say ``include[0][path]=/etc``, ``exclude[]=*.tmp`` and ``options[compression]=3``.
    """
    return shapes.fileset(filesets.save(request.caller.account, **request.options))
