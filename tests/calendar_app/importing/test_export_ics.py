import datetime as dt
from io import StringIO

import icalendar
import pytest
from django.core.management import CommandError, call_command

from ..support.factories import CategoryFactory, EventFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def base_url(settings):
    settings.CALENDAR_BASE_URL = "https://cal.example.org"


def run(**options):
    out, err = StringIO(newline=""), StringIO()
    call_command("export_ics", stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def exported(**options):
    return icalendar.Calendar.from_ical(run(**options)[0]).events


def titles(**options):
    return [str(event["SUMMARY"]) for event in exported(**options)]


def test_published_events_of_all_times_are_written():
    EventFactory(title="Long ago", start_date=dt.datetime(1990, 1, 1))
    EventFactory(title="Far away", start_date=dt.datetime(2190, 1, 1))
    EventFactory(title="Draft", status="draft")
    EventFactory(title="Hidden", hide_from_listings=True)

    assert titles() == ["Long ago", "Far away"]


def test_filters_are_those_of_the_list():
    music = CategoryFactory(name="Music")
    jazz = CategoryFactory(name="Jazz", parent=music)
    EventFactory(title="March", start_date=dt.datetime(2027, 3, 1), categories=[jazz])
    EventFactory(title="April", start_date=dt.datetime(2027, 4, 1), categories=[music])
    EventFactory(title="May", start_date=dt.datetime(2027, 5, 1))

    assert titles(category="music") == ["March", "April"]
    assert titles(category="music", start="2027-03-15") == ["April"]
    assert titles(end="2027-04-15") == ["March", "April"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"start": "2027-02-30"}, "'2027-02-30' is not a date"),
        ({"category": "nothing"}, "'nothing'"),
        ({"status": "draft"}, "draft"),
        ({"user": "x@example.org"}, "No user has the e-mail address"),
    ],
)
def test_a_wrong_filter_is_refused(options, sentence):
    with pytest.raises(CommandError, match=sentence):
        run(**options)


def test_what_a_user_may_read_is_written_for_that_user():
    editor = UserFactory(role="Editor")
    EventFactory(title="Draft", status="draft")
    EventFactory(title="Secret", description="hush", password="x")

    (draft,) = exported(status="draft", user=editor.email)
    (redacted,) = exported()
    (told,) = exported(user=editor.email)

    assert draft["SUMMARY"] == "Draft"
    assert "DESCRIPTION" not in redacted
    assert told["DESCRIPTION"] == "hush"


def test_a_file_is_replaced_whole(tmp_path):
    EventFactory()
    path = tmp_path / "out.ics"
    path.write_text("old")

    output, _ = run(output=str(path))

    assert output == f"Wrote 1 event to {path}.\n"
    assert path.read_bytes().startswith(b"BEGIN:VCALENDAR\r\n")
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(CommandError, match=r"none/out\.ics' cannot be written: No such file"):
        run(output=str(tmp_path / "none" / "out.ics"))


def test_stdout_holds_the_calendar_alone(settings):
    settings.CALENDAR_BASE_URL = ""

    output, problems = run()

    assert output.startswith("BEGIN:VCALENDAR\r\n")
    assert problems == "CALENDAR_BASE_URL is not set: links start with http://localhost.\n"


def test_takes_as_many_queries_for_three_events_as_for_one(django_assert_max_num_queries):
    for _ in range(3):
        EventFactory(categories=[CategoryFactory()])

    with django_assert_max_num_queries(8):
        run()
