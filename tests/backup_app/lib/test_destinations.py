import json

import pytest

from backup_app.exceptions import Invalid
from backup_app.lib.destinations import cleaned, packed, unpacked


@pytest.mark.parametrize(
    ("path", "clean"),
    [
        (b"", b"/"),
        (b"/", b"/"),
        (b"//", b"/"),
        (b"/srv/", b"/srv"),
        (b"//srv/./www//", b"/srv/www"),
        (b"/srv/..www", b"/srv/..www"),
        (b"C:\\old\\", b"/C:/old"),
        (b"d:/", b"/d:"),
    ],
)
def test_a_path_is_cleaned(path, clean):
    assert cleaned(path) == clean


@pytest.mark.parametrize(
    "path", [b"srv", b"..", b"/..", b"/srv/../etc", b"/a\0b", b"./srv", b"C:x", b"C:\\..\\x"]
)
def test_a_path_that_could_lead_elsewhere_is_refused(path):
    with pytest.raises(Invalid) as refusal:
        cleaned(path)

    assert list(refusal.value.fields) == ["path"]


@pytest.mark.parametrize("path", [b"/", b"/srv/\xc3\xa9", b"/srv/\xff\xfe", b"/a\nb"])
def test_a_path_survives_json(path):
    assert unpacked(json.loads(json.dumps(packed(path)))) == path


def test_a_path_is_readable_in_json():
    assert packed(b"/srv/\xff") == {
        "path": "/srv/\N{REPLACEMENT CHARACTER}",
        "path_b64": "L3Nydi//",
    }
