"""Uploads as they come from a browser: a name, and bytes that are packed where the name says so."""

from __future__ import annotations

from pmwpub.tabular.files.source import FileLimits, Source


def unpacked(name: str, content: bytes) -> bytes:
    """The bytes of an upload; of a .csv.gz decompressed in a stream, within the limits on any file.

    Raises FileRefused for a damaged archive, or one with more in it than is read. By its name alone: any other packed
    upload stays as it is, and is refused for what its first bytes are.
    """
    if not name.lower().endswith(".csv.gz"):
        return content
    return Source(content, FileLimits(), gzipped=True).read()
