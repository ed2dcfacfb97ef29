"""The life of a job, from request to end, and the workers that do jobs."""
