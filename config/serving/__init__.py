"""What serves requests and watches the processes: servers, middleware, logs, health."""
