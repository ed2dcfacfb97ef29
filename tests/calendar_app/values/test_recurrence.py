import datetime as dt
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from calendar_app.values.recurrence import Recurrence, RuleError, checked

MONDAY = dt.datetime(2027, 3, 1, 19)
DAY = dt.timedelta(days=1)
FAR = dt.datetime(2029, 6, 1)
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


@st.composite
def rules(draw):
    """Return a rule of each kind that the admin's form makes."""
    rule = draw(
        st.one_of(
            st.just("FREQ=DAILY"),
            st.sets(st.sampled_from(DAYS), min_size=1).map(
                lambda days: f"FREQ=WEEKLY;BYDAY={','.join(sorted(days))}"
            ),
            st.integers(1, 31).map("FREQ=MONTHLY;BYMONTHDAY={}".format),
            st.tuples(st.sampled_from([-1, 1, 2, 3, 4]), st.sampled_from(DAYS)).map(
                lambda found: "FREQ=MONTHLY;BYDAY={}{}".format(*found)
            ),
            st.just("FREQ=YEARLY"),
        )
    )
    rule += f";INTERVAL={draw(st.integers(1, 5))}"
    return rule + draw(
        st.one_of(
            st.just(""),
            st.integers(1, 60).map(";COUNT={}".format),
            st.dates(dt.date(2027, 3, 1), dt.date(2029, 1, 1)).map(
                ";UNTIL={:%Y%m%d}T235959".format
            ),
        )
    )


STARTS = st.datetimes(dt.datetime(2027, 1, 1), dt.datetime(2028, 12, 31)).map(
    lambda moment: moment.replace(microsecond=0)
)
SOME_DAYS = st.sets(st.integers(0, 700), max_size=5)


class TestDates:
    @given(rule=rules(), start=STARTS)
    def test_are_those_of_dateutil(self, rule, start):
        expected = takewhile(lambda day: day <= FAR, rrulestr(rule, dtstart=start))

        assert list(Recurrence(start, rule).dates(FAR)) == list(expected)

    @given(rule=rules(), start=STARTS, added=SOME_DAYS, excluded=SOME_DAYS)
    def test_have_the_added_and_lack_the_excluded(self, rule, start, added, excluded):
        rdates = {start + number * DAY for number in added}
        rdates = {day for day in rdates if day <= FAR}
        exdates = {start + number * DAY for number in excluded}

        found = list(Recurrence(start, rule, tuple(rdates), tuple(exdates)).dates(FAR))

        assert found == sorted({*Recurrence(start, rule).dates(FAR), *rdates} - exdates)

    @given(rule=rules(), start=STARTS, cut=st.integers(1, 20))
    def test_are_the_same_in_two_parts(self, rule, start, cut):
        whole = Recurrence(start, checked(rule, start))
        days = list(whole.dates(FAR))
        if len(days) <= cut:
            return

        before, after = whole.until(days[cut - 1]), whole.since(days[cut])

        assert [*before.dates(FAR), *after.dates(FAR)] == days
        assert after.start == days[cut]
        assert before.ends_by(days[cut - 1])

    def test_of_an_endless_rule_are_read_as_far_as_needed(self):
        days = Recurrence(MONDAY, "FREQ=WEEKLY").dates()

        assert list(islice(days, 2)) == [MONDAY, MONDAY + 7 * DAY]

    def test_without_a_rule_are_the_first_and_the_added(self):
        found = Recurrence(MONDAY, "", rdates=(MONDAY + 3 * DAY,))

        assert list(found.dates()) == [MONDAY, MONDAY + 3 * DAY]
        assert found.ends_by(MONDAY + 3 * DAY)
        assert not found.ends_by(MONDAY)

    @pytest.mark.parametrize(
        ("rule", "end"),
        [
            ("FREQ=DAILY;COUNT=3", MONDAY + 2 * DAY),
            ("FREQ=DAILY;UNTIL=20270303T190000", MONDAY + 2 * DAY),
            ("FREQ=DAILY", None),
        ],
    )
    def test_end(self, rule, end):
        found = Recurrence(MONDAY, rule)

        assert not found.ends_by(end - DAY if end else FAR)
        assert end is None or found.ends_by(end)


class TestChecked:
    @pytest.mark.parametrize(
        ("given", "rule"),
        [
            ("freq=weekly;interval=1", "FREQ=WEEKLY"),
            ("FREQ=DAILY;UNTIL=20270401", "FREQ=DAILY;UNTIL=20270401T235959"),
            ("FREQ=DAILY;UNTIL=20270401T170000Z", "FREQ=DAILY;UNTIL=20270401T190000"),
            ("FREQ=DAILY;UNTIL=20270401T170000", "FREQ=DAILY;UNTIL=20270401T170000"),
        ],
    )
    def test_has_one_spelling(self, given, rule):
        assert checked(given, MONDAY, ZoneInfo("Europe/Paris")) == rule

    @pytest.mark.parametrize(
        ("rule", "problem"),
        [
            ("", "has no FREQ"),
            ("FREQ=SECONDLY", "has no FREQ"),
            ("FREQ=DAILY;BYHOUR=3", "has BYHOUR, which is not supported"),
            ("FREQ=DAILY;UNTIL=soon", "The UNTIL 'SOON' of a rule is not a date"),
            ("FREQ=DAILY;COUNT=3;UNTIL=20270401", "has both COUNT and UNTIL"),
            ("FREQ=DAILY;COUNT=0", "The COUNT '0' of a rule is not from 1 to 999999"),
            ("FREQ=DAILY;COUNT=" + "9" * 5000, "of a rule is not from 1 to 999999"),
            ("FREQ=DAILY;INTERVAL=" + "9" * 5000, "of a rule is not from 1 to 999"),
            ("FREQ=DAILY;INTERVAL=0", "The INTERVAL '0' of a rule is not from 1 to 999"),
            ("FREQ=WEEKLY;BYDAY=XX", "is invalid"),
            ("FREQ=DAILY\nRDATE:20270301T190000", "has no FREQ"),
        ],
    )
    def test_refuses_what_cannot_be_used(self, rule, problem):
        with pytest.raises(RuleError, match=problem):
            checked(rule, MONDAY)
