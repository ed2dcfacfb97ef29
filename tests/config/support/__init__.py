"""A running service, clients of it, and another project with both apps."""
