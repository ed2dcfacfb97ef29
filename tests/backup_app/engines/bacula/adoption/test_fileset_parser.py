"""FileSets as the Director shows them."""

from backup_app.engines.bacula.adoption.fileset_parser import read

ANSWER = """\
FileSet: name=Full Set IgnoreFileSetChanges=0
      O MZ6fe
      WD /home/*/cache
      WF *.o
      N
      O SZoCpin1s:Vpins5:0
      RF .*\\.bak
      W *.x
      N
      I /srv/with blank
      I |sh -c 'echo /etc'
      I \\|client cmd
      I <list
      I C:/Users
      N
      P bpipe:/MYSQL/shop.sql:/bin/true:/bin/true
      N
      E /proc
      N
"""


def test_folders_are_those_that_have_a_path():
    assert read(ANSWER).include == [{"path": "/srv/with blank"}, {"path": "C:/Users"}]


def test_patterns_are_left_out_only_where_bacula_does_so():
    assert read(ANSWER).exclude == ["/home/*/cache", "*.o", "/proc"]


def test_options_are_those_of_what_is_kept():
    assert read(ANSWER).options == {"one_filesystem": True}
    assert read("      O MZ9f\n").options == {"one_filesystem": False, "compression": 9}
    assert read("      O Vfe5:M\n").options == {"one_filesystem": True}


def test_an_empty_answer_is_an_empty_fileset():
    assert vars(read("")) == {"include": [], "exclude": [], "options": {}}
