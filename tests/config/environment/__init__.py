"""What is read from the environment: variables, services, the data folder."""
