"""How people and programs log in, and how their passwords are kept."""
