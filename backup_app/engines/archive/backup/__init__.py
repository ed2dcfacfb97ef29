"""Backups: scan the client, compare with the last backup, read, store, catalog."""
