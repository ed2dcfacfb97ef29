from hypothesis import example, given
from hypothesis import strategies as st
from icalendar.parser import Contentline, Contentlines

from calendar_app.ical.folding import folded

# Often characters that decide where a line may be folded.
TEXTS = st.text(st.one_of(st.sampled_from("\\^ aé€😀"), st.characters(codec="utf-8")), max_size=400)


@given(st.lists(TEXTS.filter(lambda text: "\n" not in text)))
@example(["x" * 73, "x" * 74, "x" * 75, "x" * 148, "x" * 149])
@example(["x" * 73 + "\\;" + "y" * 80, "x" * 72 + "\\\\;" + "y" * 80, "\\" * 300])
def test_lines_are_folded_as_icalendar_folds_them(texts):
    lines = Contentlines(Contentline(text) for text in texts)

    assert folded(lines) == (lines.to_ical() if any(texts) else b"")


def test_no_line_is_longer_than_75_octets():
    text = folded([Contentline("DESCRIPTION:" + "Ten words. " * 100)])

    assert max(map(len, text.split(b"\r\n"))) == 75
    assert text.count(b"\r\n") == len(text) // 77 + 1
