import pytest

from backup_app.lib.formatting import format_timestamp


@pytest.mark.parametrize("seconds", [10**12, -(10**12), 10**30])
def test_a_time_outside_the_years_of_the_calendar_is_none(seconds):
    assert format_timestamp(seconds) is None
