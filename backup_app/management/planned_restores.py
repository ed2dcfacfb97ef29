"""The plan of a restore as lines of text."""

from ..engines.previews import State
from ..lib.formatting import counted, size, storable
from ..lib.paths import shown

THERE = {
    State.NEW: "where nothing is yet",
    State.SAME: "where the same is already",
    State.OLDER: "where an older version is",
    State.NEWER: "where a newer version is",
    State.OTHER: "where something of another kind is",
    State.BLOCKED: "where something cannot make way",
    State.MERGED: "where the folder is already",
    State.UNKNOWN: "where it is unknown what is there",
}


def planned_lines(preview):
    """Yield the lines that tell what a restore would do."""
    yield f"{counted(preview.entries, 'entry', 'entries')} to restore, {size(preview.bytes)}."
    findings = preview.findings
    for verb, counts in (("Restored", findings.placed), ("Left", findings.left)):
        for state in filter(counts.get, State):
            entries, content = counts[state]
            what = counted(entries, "entry", "entries")
            yield f"{verb}: {what}, {size(content)}, {THERE[state]}"
    for each in findings.conflicts:
        word = "replaced" if each.is_placed else "stays"
        yield f"  {word} ({each.state}): {storable(shown(each.path))}"
    if findings.more:
        yield f"  and {findings.more} more"
    if preview.free is not None:
        yield f"Free at the destination: {size(preview.free)}"
    for volume in preview.volumes:
        state = "missing" if volume.fault else volume.state
        yield f"Volume of backup {volume.job_id}, {size(volume.size)}: {state}"
    yield from preview.warnings
