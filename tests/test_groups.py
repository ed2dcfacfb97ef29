"""Tests that share something costly run in one process, also where several run at once."""

import os

import pytest


@pytest.mark.xdist_group("a group")
def test_a_test_is_sent_to_the_process_of_its_group(request):
    if "PYTEST_XDIST_WORKER" in os.environ:
        assert request.node.nodeid.endswith("@a group")
