"""Commands that the operator allows to be run on clients."""

from ...accounts import access
from ...services import commands
from ..operation import operation
from ..serializers.commands import CommandResult, RunCommand


@operation(
    8,
    topic="clients",
    answer=CommandResult,
    options=RunCommand,
    writes=True,
    refusals=(404, 409, 502, 503),
)
def run(request, client_ip):
    """Run a command on a client.

    Returns what it prints. The operator lists the command lines that are allowed, and so does the
    refusal of any other.
    """
    client = access.client(request.caller, ip=client_ip)
    return {"result": commands.run(client, request.options["cmd"])}
