"""How long attacks run: a few rounds with the other tests, all with ``make attack``."""

import os


def rounds(few, all_of_them):
    """Return ``all_of_them`` where ATTACK is set, as ``make attack`` does, else ``few``."""
    return all_of_them if os.environ.get("ATTACK") else few
