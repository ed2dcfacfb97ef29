"""Backup, restore and verification, as the worker runs them."""
