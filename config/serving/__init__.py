"""Servers and their processes, middleware, logs and health checks."""
