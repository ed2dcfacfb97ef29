"""How editors plan events: the list by periods of time, and the month and week view."""
