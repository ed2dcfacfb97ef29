"""The HTTP API: operations, their parameters and answers, errors and the OpenAPI description."""
