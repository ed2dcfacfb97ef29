"""Logins of people and programs, and password hashes."""
