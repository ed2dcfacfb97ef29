"""The management commands, and what several of them share."""
