"""What answers requests: server, processes, logs, health."""
