"""The output of the operator's commands on clients."""

from ...conf import conf


def command_output(printed: bytes) -> str:
    """Return output as text; what exceeds BACKUP_COMMAND_MAX_BYTES is cut off, as a line says."""
    limit = conf.COMMAND_MAX_BYTES
    text = printed[:limit].decode(errors="replace")
    return text if len(printed) <= limit else f"{text}\n(cut off after {limit} bytes)\n"
