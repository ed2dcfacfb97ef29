"""What people see: admin, pages, errors, the OpenAPI description."""
