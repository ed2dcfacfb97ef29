"""Settings read from environment variables and checked."""
