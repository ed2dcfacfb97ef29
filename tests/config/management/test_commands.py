import pytest
from django.core.management import get_commands, load_command_class

OURS = {"backup_app", "calendar_app", "config"}
COMMANDS = {name: app for name, app in get_commands().items() if app in OURS}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_help_of_a_command_explains_all_that_it_takes(name):
    parser = load_command_class(COMMANDS[name], name).create_parser("manage.py", name)

    assert parser.description
    assert [action.dest for action in parser._actions if not action.help] == []
    assert parser.format_help()
