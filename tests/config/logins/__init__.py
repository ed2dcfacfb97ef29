"""Passwords, and who is let in."""
