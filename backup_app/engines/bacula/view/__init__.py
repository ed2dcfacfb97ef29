"""Browses, searches and selects in a backup's view."""
