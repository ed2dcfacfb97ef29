"""Commands that the operator allows to be run on clients."""

from .. import access, commands
from ..descriptions import CommandResult
from ..operation import operation
from ..serializers.commands import RunCommand


@operation(
    8,
    topic="clients",
    answer=CommandResult,
    options=RunCommand,
    writes=True,
    refusals=(404, 409, 502, 503),
    example={"cmd": "df -h"},
)
def run(request, client_ip):
    """Run a command line on a client and get what it prints.

    Only those that the operator allowed; the refusal of another lists them.
    """
    client = access.client(request.caller, ip=client_ip)
    return {"result": commands.run(client, request.options["cmd"])}
