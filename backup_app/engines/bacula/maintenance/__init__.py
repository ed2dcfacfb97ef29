"""Removes jobs, frees volumes, and checks Bacula's state."""
