"""Lines of Bacula's logs, as its daemons write them."""

import pytest

from backup_app.engines.bacula.catalog.job_log import Line, reason

REPORT = "Bacula test-dir 9.6.7 (10Dec20):\n  JobId:  5\n  Termination:  *** Verify Error ***\n\n"
DAMAGED = [
    'one-sd JobId 5: Ready to read from volume "Vol-0001" on File device "Dev2" (/vol).\n',
    "one-sd JobId 5: Error: block_util.c:467 Volume data error at 0:0!\nBlock checksum mismatch\n",
    "one-fd JobId 5: Error: attribs.c:614 File size of restored file /a not correct.\n",
    "one-sd JobId 5: Fatal error: fd_cmds.c:227 Command error with FD, SD hanging up.\n",
    f"test-dir JobId 5: Error: {REPORT}",
]
REFUSED = [
    "test-dir JobId 7: Warning: bsockcore.c:258 Could not connect to Client: one-fd\n",
    "test-dir JobId 7: Fatal error: bsockcore.c:264 Unable to connect to Client. ERR=refused\n",
    "test-dir JobId 7: Fatal error: No Job status returned from FD.\n",
    f"test-dir JobId 7: Error: {REPORT}",
]


def read(*texts):
    return [Line.read(text) for text in texts]


@pytest.mark.parametrize(
    ("level", "words"),
    [
        ("info", "No prior or suitable Full backup found in catalog. Doing FULL backup.\n"),
        ("info", "     /proc is a different filesystem. Will not descend from / into it.\n"),
        ("warning", '     Could not stat "/none": ERR=No such file or directory\n'),
        ("warning", "Warning: bsockcore.c:258 Could not connect to Client: one-fd\n"),
        ("error", "Error: attribs.c:614 File size of restored file /a not correct.\n"),
        ("error", "Fatal error: No Job status returned from FD.\n"),
        ("info", f"Error: {REPORT}"),
    ],
)
def test_a_line_is_as_bad_as_its_words(level, words):
    assert Line.read(f"one-fd JobId 12: {words}").level == level


def test_a_line_says_which_daemon_it_is_of():
    assert str(Line.read("one-fd JobId 12: Warning: low\n")) == "one-fd: Warning: low"
    assert str(Line.read("no daemon's\n")) == "no daemon's"


def test_damage_is_told_with_what_follows_from_it():
    assert reason(read(*DAMAGED)) == (
        "Volume data error at 0:0! Block checksum mismatch Command error with FD, SD hanging up."
    )


def test_a_refusal_is_told_and_not_what_follows_from_it():
    assert reason(read(*REFUSED)) == "Unable to connect to Client. ERR=refused"


def test_a_refusal_of_bacula_15_is_told_without_its_code():
    lines = read(
        'test-dir JobId 3: Warning: bsockcore.c:259 Could not connect to Storage Daemon "File1"\n',
        'test-dir JobId 3: Fatal error: [DE0039] Unable to connect to Storage Daemon "File1"\n',
        "test-dir JobId 3: Error: Bacula test-dir 15.0.3 (25Mar25):\n  JobId:  3\n",
    )

    assert reason(lines) == 'Unable to connect to Storage Daemon "File1"'


def test_a_refusal_is_told_without_the_address_of_a_manual():
    words = "Fatal error: Unable to log in. Causes:\nPasswords\nFor help, please see: http://x/FAQ"

    assert Line("test-dir", words).sentence == "Unable to log in. Causes: Passwords"


def test_an_error_is_the_reason_where_nothing_is_fatal():
    assert reason(read("one-fd JobId 5: Error: disk full\n")) == "disk full"


def test_a_limit_of_bacula_is_the_reason():
    (line,) = read("test-dir JobId 5: Max wait time exceeded. Job canceled.\n")

    assert (line.is_limit, reason([line])) == (True, "Max wait time exceeded. Job canceled.")


def test_without_errors_there_is_no_reason():
    assert reason(read(f"test-dir JobId 5: {REPORT}", "one-fd JobId 5: Warning: low\n")) == ""


@pytest.mark.parametrize("words", ["File: /a", "New file: /b", "      MD5 digest differs. File=x"])
def test_differences_are_known_in_the_log_of_a_verification(words):
    assert Line.read(f"test-dir JobId 5: {words}\n").is_difference


def test_a_program_that_failed_gives_its_reason_itself():
    begin = "one-fd JobId 5: "
    lines = read(
        f"{begin}/dump.sql: Saved.\n",
        f"{begin}/dump.sql: ERROR: no such table\nDETAIL: none\nThe import failed.\n",
        f"{begin}Error: bpipe-fd: Error closing for file /dump.sql: 268435457\n",
        f"test-dir JobId 5: Error: {REPORT}",
    )

    assert reason(lines) == "ERROR: no such table DETAIL: none The import failed."


def test_a_program_that_said_nothing_is_named():
    closing = "bpipe-fd: Error closing for file /dump.sql: 268435457"

    assert reason(read(f"one-fd JobId 5: Error: {closing}\n")) == closing
