import pytest

# So that what they assert is shown in full, as it is in test files.
pytest.register_assert_rewrite(
    *(
        f"tests.backup_app.contract_{name}"
        for name in ("backups", "browsing", "restores", "setting")
    )
)
