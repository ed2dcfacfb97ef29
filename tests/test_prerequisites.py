import pytest

from .prerequisites import left_out, need


def test_what_is_missing_skips_a_test_here_and_fails_it_in_ci(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception) as skipped:
        need(None, "in a browser", "apt install chromium")

    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception) as failed:
        need(None, "in a browser", "apt install chromium")

    assert skipped.value.msg == "in a browser (apt install chromium)"
    assert failed.value.msg == "CI leaves out no tests in a browser (apt install chromium)."


def test_one_line_counts_what_was_left_out():
    reasons = ["Skipped: as root (sudo make test)"] + ["Skipped: of Bacula (…)"] * 1540

    assert left_out(reasons) == ("Tests left out: 1,540 of Bacula (…), 1 as root (sudo make test).")
    assert left_out([]) == ""
