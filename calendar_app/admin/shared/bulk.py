"""Actions on many posts, and the messages that report them."""

from collections.abc import Callable
from typing import NamedTuple

from django.contrib import messages

from ... import permissions
from ...services import posts

NAMED = 10  # how many refused records a message names


class BulkAction(NamedTuple):
    """A function of a post and a user; ``objection`` returns why it is refused, or ``""``."""

    done: str
    verb: Callable
    objection: Callable


def run(admin, request, queryset, action):
    """Do an action on each post that the user may do it on; messages count these and the others."""
    count, refused = 0, []
    for post in queryset:
        if objection := action.objection(post, request.user):
            refused.append(f"“{post}” {objection}")
            continue
        action.verb(post, request.user)
        admin.log_change(request, post, f"{action.done}.")
        count += 1
    if count:
        admin.message_user(request, f"{action.done}: {_number(admin, count)}.", messages.SUCCESS)
    if refused:
        text = f"Not changed: {_number(admin, len(refused))}. {_listed(refused)}"
        admin.message_user(request, text, messages.WARNING)


def _number(admin, count):
    name = admin.opts.verbose_name if count == 1 else admin.opts.verbose_name_plural
    return f"{count} {name}"


def _listed(sentences):
    more = len(sentences) - NAMED
    ending = f" And {more} more." if more > 0 else ""
    return "; ".join(sentences[:NAMED]) + "." + ending


def _against_publishing(post, user):
    if post.is_trashed:
        return "is in the trash"
    return "" if permissions.may_edit(user, post) else "is not yours to edit"


def _against_trashing(post, user):
    if post.is_trashed:
        return "is already in the trash"
    return "" if permissions.may_delete(user, post) else "is not yours to delete"


def _against_restoring(post, user):
    if not post.is_trashed:
        return "is not in the trash"
    return "" if permissions.may_edit(user, post) else "is not yours to edit"


PUBLISH = BulkAction("Published", posts.publish, _against_publishing)
TRASH = BulkAction("Moved to the trash", lambda post, user: posts.trash(post), _against_trashing)
RESTORE = BulkAction("Restored", posts.restore, _against_restoring)
