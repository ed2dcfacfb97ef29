"""Verifying backups, checking storages, rebuilding the catalog, and what a worker requires."""
