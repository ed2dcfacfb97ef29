"""What a restore finds, as its plan and its report show it."""

from ...engines.previews import State
from ...lib.formatting import format_timestamp
from . import columns

WORDS = {
    State.NEW: "Nothing is there yet",
    State.SAME: "The same is there",
    State.OLDER: "An older version is there",
    State.NEWER: "A newer version is there",
    State.OTHER: "Something of another kind is there",
    State.BLOCKED: "Something is there that cannot make way",
    State.MERGED: "The folder is there",
    State.UNKNOWN: "Unknown",
}
COLOURS = {State.NEWER: "danger", State.OTHER: "warning", State.BLOCKED: "danger"}
LOSES = {State.NEWER, State.OTHER}  # what is lost when it is replaced


def shown(found):
    """Return the rows of a table of counts and of one of paths, of ``Findings.as_json``."""
    placed, left = found["placed"], found["left"]
    return {
        "counts": [
            {
                "words": WORDS[state],
                "state": state.value,
                "colour": COLOURS.get(state, "info"),
                "placed": _counted(placed.get(state.value)),
                "left": _counted(left.get(state.value)),
            }
            for state in State
            if state.value in placed or state.value in left
        ],
        "overwritten": sum(placed.get(state.value, {}).get("entries", 0) for state in LOSES),
        "paths": [_path(each) for each in found["paths"]],
        "more_paths": found["more_paths"],
        "refused": found.get("refused", 0),
    }


def _counted(count):
    if not count:
        return ""
    word = "entry" if count["entries"] == 1 else "entries"
    size = f", {columns.size(count['bytes'])}" if count["bytes"] else ""
    return f"{count['entries']} {word}{size}"


def _path(each):
    state = State(each["there"])
    return {
        "path": each["path"],
        "words": WORDS[state],
        "colour": COLOURS.get(state, "info"),
        "is_placed": each["placed"],
        "backup": _version(each["size"], each["mtime"]),
        "there": _version(each["size_there"], each["mtime_there"]),
    }


def _version(size, time):
    return "" if size is None else f"{format_timestamp(time)}, {columns.size(size)}"
