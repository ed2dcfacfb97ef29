class SendError(Exception):
    """A message did not arrive; ``is_final`` when no further attempt makes sense."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.is_final = is_final
