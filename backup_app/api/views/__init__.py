"""The operations, grouped by what they serve."""
