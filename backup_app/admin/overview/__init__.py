"""The start page: how well clients are protected, what runs, what failed, and space left."""
