"""Saving filesets: what is backed up of a client."""

from ...services import filesets
from ..operation import operation
from ..serializers.filesets import FilesetAnswer, SaveFileset


@operation(
    36,
    topic="filesets",
    answer=FilesetAnswer,
    options=SaveFileset,
    writes=True,
)
def save_fileset(request):
    """Create or update a fileset.

    The fileset is found by its name; fields that are not given keep their value. In a form:
    ``include[0][path]=/etc``, ``exclude[]=*.tmp``, ``options[compression]=3``.
    """
    return filesets.save(request.caller.account, **request.options)
