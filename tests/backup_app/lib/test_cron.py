import datetime as dt
import re

import pytest
from django.test import override_settings

from backup_app.lib import cron

NIGHTLY = "30 2 * * *"
FIVE = "is not a schedule: it needs 5 fields, such as 30 2 * * *."
NOON = dt.datetime(2027, 1, 10, 12, tzinfo=dt.UTC)


@pytest.fixture
def berlin():
    with override_settings(TIME_ZONE="Europe/Berlin"):
        yield


class TestExpressions:
    @pytest.mark.parametrize("expression", [NIGHTLY, "*/5 * * * *", "0 4 * * mon-fri", "0 0 1 1 *"])
    def test_an_expression_of_five_fields_is_accepted(self, expression):
        assert cron.next_time(expression, NOON) > NOON

    @pytest.mark.parametrize(
        ("expression", "sentence"),
        [
            ("", "'' is not a schedule: it needs 5 fields, such as 30 2 * * *."),
            ("* * * *", "'* * * *' is not a schedule: it needs 5 fields, such as 30 2 * * *."),
            (
                "0 * * * * *",
                "'0 * * * * *' is not a schedule: it needs 5 fields, such as 30 2 * * *.",
            ),
            ("61 * * * *", "'61 * * * *' is not a schedule: bad minute."),
            ("0 0 * * xyz", "'0 0 * * xyz' is not a schedule: bad day-of-week."),
            ("0 0 30 2 *", "'0 0 30 2 *' is not a schedule: bad day-of-month."),
        ],
    )
    def test_another_is_refused_in_a_sentence(self, expression, sentence):
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            cron.next_time(expression, NOON)


class TestNextTime:
    def times(self, expression, start, count):
        time, found = dt.datetime.fromisoformat(start).replace(tzinfo=dt.UTC), []
        for _ in range(count):
            time = cron.next_time(expression, time)
            found.append(f"{time:%d %H:%M}")
        return found

    def test_it_is_in_the_servers_zone(self, berlin):
        assert self.times(NIGHTLY, "2027-01-10 12:00", 2) == ["11 01:30", "12 01:30"]

    def test_a_time_that_is_skipped_in_spring_comes_right_after(self, berlin):
        # On 28 March the clock goes from 02:00 to 03:00, which is 01:00 in UTC.
        assert self.times(NIGHTLY, "2027-03-26 12:00", 3) == ["27 01:30", "28 01:00", "29 00:30"]

    def test_a_time_that_is_shown_twice_in_autumn_comes_once(self, berlin):
        # On 31 October the clock goes from 03:00 back to 02:00, which is 01:00 in UTC.
        assert self.times(NIGHTLY, "2027-10-29 12:00", 3) == ["30 00:30", "31 00:30", "01 01:30"]

    @pytest.mark.parametrize("minute", ["00:30", "00:31", "00:59", "01:00", "01:29", "01:30"])
    def test_it_does_not_come_again_in_the_hour_that_is_shown_twice(self, berlin, minute):
        assert self.times(NIGHTLY, f"2027-10-31 {minute}", 1) == ["01 01:30"]

    def test_hours_go_on_through_the_changes(self, berlin):
        assert self.times("0 * * * *", "2027-03-28 00:00", 3) == [
            "28 01:00",
            "28 02:00",
            "28 03:00",
        ]
        assert self.times("0 * * * *", "2027-10-31 00:00", 3) == [
            "31 01:00",
            "31 02:00",
            "31 03:00",
        ]
