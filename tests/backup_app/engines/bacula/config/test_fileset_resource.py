"""The FileSet that a Director gets for a fileset of ours, as Bacula reads it."""

from types import SimpleNamespace

import pytest

from backup_app.engines.bacula.config import fileset_resource
from backup_app.exceptions import EngineError, Invalid
from backup_app.models import Fileset

from ..support import release
from ..support.parsing import parse


def read(tmp_path, *paths, exclude=(), plugins=(), **options):
    made = SimpleNamespace(
        include=[{"path": path} for path in paths], exclude=list(exclude), options=options
    )
    (found,) = parse(fileset_resource.fileset("bk-fileset-3", made, plugins), tmp_path).values()
    (include,) = found["Include"]
    return include


def test_folders_are_read_whole_and_signed(tmp_path):
    include = read(tmp_path, "/etc", "/srv/a b", compression=3)

    assert include["File"] == ["/etc", "/srv/a b"]
    (options,) = include["Options"]
    # The printer of 9.6 calls all of them so.
    assert options.pop("Signature") == ("Sha256" if release.VERSION == "15" else "Sha1")
    assert options == {
        "Compression": "Gzip3",
        "OneFs": "No",
        "Sparse": "Yes",
        "HardLinks": "Yes",
        "NoAtime": "Yes",
        "MtimeOnly": "No",
        "AclSupport": "Yes",
        "XattrSupport": "Yes",
    }


def test_the_highest_compressions_are_gzips_highest(tmp_path):
    assert read(tmp_path, "/a", compression=19)["Options"][0]["Compression"] == "Gzip9"


def test_one_filesystem_is_not_left_where_it_is_asked_for(tmp_path):
    assert read(tmp_path, "/a", one_filesystem=True)["Options"][0]["OneFs"] == "Yes"


def test_what_fits_a_pattern_is_left_out(tmp_path):
    excluded, _ = read(tmp_path, "/a", exclude=["*.tmp", "/home/*/.cache", "a?b"])["Options"]

    assert excluded == {
        "Exclude": "Yes",
        "Wild": ["*.tmp", "/home/*/.cache"],
        "Regex": ["(^|/)a[^/]b$"],
    }


def test_a_folder_in_another_one_is_not_there_twice(tmp_path):
    include = read(tmp_path, "/srv", "/srv/a*", "/srv2")

    assert include["File"] == ["/srv", "/srv/a*", "/srv2"]
    assert include["Options"][0] == {"Exclude": "Yes", "Wild": ["/srv/a\\*"]}


def test_a_chosen_folder_that_fits_a_pattern_is_left_out(tmp_path):
    include = read(tmp_path, "/srv", "/srv/node_modules", exclude=["node_modules"])

    assert include["File"] == ["/srv"]


def test_a_windows_machine_has_other_paths_and_no_case(tmp_path):
    include = read(tmp_path, "C:\\Users\\", "d:/", exclude=["C:\\Users\\*\\Temp"])

    assert include["File"] == ["C:/Users", "d:/"]
    excluded, options = include["Options"]
    assert excluded == {"Exclude": "Yes", "IgnoreCase": "Yes", "Wild": ["C:/Users/*/Temp"]}
    assert "AclSupport" not in options


def test_plugins_dump_databases(tmp_path):
    line = 'bpipe:/MYSQL/shop.sql:/opt/dump "a b":/opt/load'

    assert read(tmp_path, plugins=[line])["Plugin"] == [line]


def test_a_fileset_of_nothing_is_one(tmp_path):
    assert ("fileset", "bk-nothing") in parse(fileset_resource.nothing("bk-nothing"), tmp_path)


@pytest.mark.parametrize(
    "path",
    [
        "|id",
        "\\|id",
        "<list",
        "\\<list",
        "@|id",
        "?x",
        "",
        "a/b",
        "C:",
        "\\\\host\\share",
        "/a/../b",
    ],
)
def test_a_path_that_is_not_absolute_is_refused(path):
    """Some of these would be programs, run by the Director or by the client."""
    made = SimpleNamespace(include=[{"path": path}], exclude=[], options={})

    with pytest.raises(EngineError) as refusal:
        fileset_resource.fileset("bk-fileset-3", made)

    assert f"'{path}'" in refusal.value.message


@pytest.mark.parametrize("path", ["/srv/@|rm", "/|id", "/<list", "/\\|id", "//|id", "/srv/a\\b"])
def test_a_path_is_a_path_whatever_is_in_it(path, tmp_path):
    (file,) = read(tmp_path, path)["File"]

    assert file == path.replace("//", "/")


def test_a_path_that_bacula_would_cut_is_refused():
    made = SimpleNamespace(include=[{"path": "/srv/a "}], exclude=[], options={})

    with pytest.raises(EngineError) as refusal:
        fileset_resource.fileset("bk-fileset-3", made)

    assert refusal.value.message.startswith("The fileset's path '/srv/a ' ends with a space")


@pytest.mark.parametrize(
    ("include", "exclude", "name"), [("/a", "[[]x", "exclude"), ("/a/../b", "*.tmp", "include")]
)
def test_what_cannot_be_said_names_its_parameter(include, exclude, name):
    fileset = Fileset(include=[{"path": include}], exclude=[exclude])

    with pytest.raises(Invalid) as refused:
        fileset_resource.require_expressible(None, fileset)

    assert [*refused.value.fields] == [name]
