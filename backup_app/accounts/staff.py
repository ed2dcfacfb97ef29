"""Whose records a member of the staff sees in the admin: their own account's, and those given.

What they may do with these, the permissions of their groups say.
"""

from typing import Any, TypeVar

from django.db.models import Model, Q, QuerySet

from ..models import AccountAccess

SEES_ALL = "backup_app.all_accounts"

M = TypeVar("M", bound=Model)


def visible(user: Any, records: QuerySet[M], field: str = "account") -> QuerySet[M]:
    """Return those of records whose account, in the field, the user may see."""
    if user.has_perm(SEES_ALL):
        return records
    given = AccountAccess.objects.filter(user=user.pk).values("account")
    return records.filter(Q(**{field: user.pk}) | Q(**{f"{field}__in": given}))
