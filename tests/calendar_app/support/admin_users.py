"""Users of the admin."""

import pytest


def as_role(role):
    """Log the fixture ``user`` of a test in as one in the group role."""
    return pytest.mark.parametrize("user", [role], indirect=True)
