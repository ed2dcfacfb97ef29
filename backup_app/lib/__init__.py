"""Helpers that do not depend on this app and could be published by themselves."""
