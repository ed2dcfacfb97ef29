"""Metrics for Prometheus, read from the database when they are asked for.

The project includes ``urls``. Only what collects the metrics imports prometheus-client, which a
project may leave out.
"""
