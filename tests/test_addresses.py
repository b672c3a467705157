"""Addresses of Dask schedulers."""

from __future__ import annotations

import pytest

from pmwpub.addresses import scheduler_address
from pmwpub.errors import JobFailed


@pytest.mark.parametrize("text", ["tcp://127.0.0.1:8786", "tls://cluster.example:1", "127.0.0.1:8786", "tcp://[::1]:9"])
def test_an_address_has_a_host_and_a_port(text: str) -> None:
    assert scheduler_address(text) == text


@pytest.mark.parametrize("text", ["", "foo", "tcp://", "http://x", "http://x:1", "tcp://x", "tcp://x:y", "tcp://:9"])
def test_anything_else_is_refused_before_anything_connects(text: str) -> None:
    with pytest.raises(JobFailed, match="tcp://HOST:8786"):
        scheduler_address(text)
