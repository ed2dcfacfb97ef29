"""Restoring: plan, unpack in a private folder, check, and place at the destination."""
