"""Addresses of Dask schedulers, looked at before anything connects."""

from __future__ import annotations

from urllib.parse import urlsplit

from pmwpub.errors import JobFailed

SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")


def scheduler_address(text: str) -> str:
    """The address, once it names a scheme, a host and a port; JobFailed otherwise."""
    try:
        parts = urlsplit(text if "://" in text else f"tcp://{text}")
        whole = parts.scheme in SCHEMES and parts.hostname and parts.port
    except ValueError:
        whole = False
    if not whole:
        raise JobFailed(f"{text!r} is no address of a Dask scheduler; one looks like tcp://HOST:8786.")
    return text
