"""The verbs of series: events that repeat by a rule, each of whose dates is an event.

All of them raise RuleError for a rule that cannot be used, with a sentence that says why.
"""

from .adoption import adopt
from .changes import planned, save
from .creation import create
from .dates import Rule, preview
from .extension import extend, extend_due
from .removal import cancel, restore, trash
from .scope import Scope, others_in

__all__ = [
    "Rule",
    "Scope",
    "adopt",
    "cancel",
    "create",
    "extend",
    "extend_due",
    "others_in",
    "planned",
    "preview",
    "restore",
    "save",
    "trash",
]
