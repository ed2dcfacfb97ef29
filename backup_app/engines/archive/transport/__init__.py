"""Running programs on clients: this machine and others over SSH."""
