"""Browsing, searching and selecting in a backup's view."""
