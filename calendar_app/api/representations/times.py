"""Dates and times as the API writes them: ``2027-03-01 10:00:00``."""


def stamp(moment):
    """Return moment, which is naive or in UTC, without its zone."""
    return moment.isoformat(" ")[:19]


def details(stamped):
    """Return the parts of a ``stamp``, as zero-padded strings."""
    return {
        "year": stamped[:4],
        "month": stamped[5:7],
        "day": stamped[8:10],
        "hour": stamped[11:13],
        "minutes": stamped[14:16],
        "seconds": stamped[17:],
    }
