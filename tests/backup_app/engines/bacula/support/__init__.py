"""A throwaway Bacula, its jobs and volumes, and what an operator does with them."""
