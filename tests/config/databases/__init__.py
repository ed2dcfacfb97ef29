"""Read replicas."""
