"""Mailboxes: where backups have their PST files and mail stores."""

from functools import partial

from ...accounts import access
from ...exceptions import NotFound
from ..operation import operation
from ..serializers.mail import Mailboxes, MailboxOptions, MailboxSearch, PstFile, StorePath

MAX_MAILBOXES = 100  # mailboxes in an answer
mail_operation = partial(operation, topic="mailboxes", subusers=True)


@mail_operation(15, answer=PstFile, options=MailboxOptions)
def mailbox_file(request, client_ip):
    """Find the newest PST file of a mailbox.

    With the ID of the file and of the backup that holds it, for a restore.
    """
    found = _mailbox(request, client_ip)
    if not found.pst_path:
        raise NotFound(f"No backup of client '{found.client}' has a PST file of '{found}'.")
    return found


@mail_operation(16, answer=StorePath, options=MailboxOptions)
def mailbox_path(request, client_ip):
    """Find the mail store of a mailbox."""
    found = _mailbox(request, client_ip)
    if not found.store_path:
        raise NotFound(f"No mail store of '{found}' is known on client '{found.client}'.")
    return found


@mail_operation(17, answer=Mailboxes, options=MailboxSearch)
def mailbox_search(request, client_ip):
    """Search mailboxes.

    Mail addresses that contain a text, in any case; at most 100.
    """
    client = access.client(request.caller, ip=client_ip)
    text = request.options["search"].lower()
    found = client.mailboxes.filter(mailbox__icontains=text).values_list("mailbox", flat=True)
    return {"mailboxes": list(found[:MAX_MAILBOXES])}


def _mailbox(request, client_ip):
    client = access.client(request.caller, ip=client_ip)
    address = request.options["mailbox"].lower()
    found = client.mailboxes.filter(mailbox__iexact=address).first()
    if found is None:
        raise NotFound(f"There is no mailbox '{address}' on client '{client}'.")
    return found
