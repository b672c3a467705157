"""Where a command writes: never over anything that it reads, and never a file that is cut off under its final name."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from pmwpub.errors import FileRefused

NOTHING = "Nothing was charged or written."
Place = tuple[str, object]


def apart(outputs: Iterable[Path], inputs: Iterable[str | Path | None]) -> None:
    """FileRefused where an output is one of the inputs, a file of a folder among them, or another of the outputs.

    The same file is told by where its path leads and by its inode: relative paths and links of both kinds are seen.
    """
    read = {place: path for path in _every(inputs) for place in _places(path)}
    written: dict[Place, Path] = {}
    for output in outputs:
        places = _places(output)
        for place in places:
            if place in read:
                raise FileRefused(
                    f"{output} would be written over what is read ({read[place]}); name another output. {NOTHING}"
                )
            if place in written:
                raise FileRefused(f"{output} and {written[place]} are one file; two outputs need two. {NOTHING}")
        written |= dict.fromkeys(places, output)


def writable(outputs: Iterable[Path]) -> None:
    """FileRefused where a file cannot be made, or replaced, in its folder."""
    for output in outputs:
        target, problem = _target(output), ""
        if not target.parent.is_dir():
            problem = "its folder does not exist"
        elif target.exists() and not target.is_file():
            problem = "a folder or a device is there"
        elif not os.access(target.parent, os.W_OK | os.X_OK) or (target.exists() and not os.access(target, os.W_OK)):
            problem = "permission denied"
        if problem:
            raise FileRefused(f"{output} cannot be written: {problem}. {NOTHING}")


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """A folder and those above it, made before a block; where the block breaks off, those that are empty go again.

    Raises FileRefused where it cannot be made.
    """
    fresh: list[Path] = []
    try:
        try:
            fresh += [one for one in (folder, *folder.parents) if not one.exists()]
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as failure:
            raise FileRefused(f"{folder} cannot be made: {failure.strerror}. Nothing was charged.") from failure
        yield
    except BaseException:
        for one in fresh:
            with suppress(OSError):
                one.rmdir()
        raise


def write_files(files: Mapping[Path, bytes], gone: Iterable[Path] = ()) -> None:
    """Write all files under passing names beside their own, then rename them in order.

    gone  files that no longer hold beside the new ones: taken away once all is written, before anything is renamed

    OSError where one of them cannot be written; none of them is then there under its own name.
    """
    passing: dict[Path, Path] = {}
    try:
        for path, body in files.items():
            target = _target(path)
            fresh = passing[target] = target.with_name(f".pmwpub-{secrets.token_hex(8)}")
            _write(fresh, body, like=target)
        for old in gone:
            old.unlink(missing_ok=True)
        for target, fresh in passing.items():
            fresh.replace(target)
    finally:
        for fresh in passing.values():
            fresh.unlink(missing_ok=True)


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """Lend a stream to a new file for its owner alone; it has its name once the block has ended and it is on the disk.

    Raises FileRefused where a file is there already, or where it cannot be written.
    """
    if path.exists():
        raise FileRefused(f"{path} exists already; name a new file.")
    fresh = path.with_name(f".pmwpub-{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(path)
    except OSError as failure:
        raise FileRefused(f"{path} cannot be written: {failure.strerror}.") from failure
    finally:
        fresh.unlink(missing_ok=True)


def write_file(path: Path, body: bytes) -> None:
    """The same of one file; FileRefused where it cannot be written."""
    try:
        write_files({path: body})
    except OSError as failure:
        raise FileRefused(f"{path} cannot be written: {failure.strerror}.") from failure


def _write(path: Path, body: bytes, *, like: Path) -> None:
    with path.open("xb") as stream:
        if like.exists():
            path.chmod(stat.S_IMODE(like.stat().st_mode))
        stream.write(body)
        stream.flush()
        os.fsync(stream.fileno())


def _target(path: Path) -> Path:
    """Where a path leads, so that what a symbolic link names is replaced and not the link."""
    return Path(os.path.realpath(path))


def _every(inputs: Iterable[str | Path | None]) -> Iterable[Path]:
    for given in inputs:
        if given is None:
            continue
        path = Path(given)
        yield path
        try:
            yield from path.iterdir() if path.is_dir() else ()
        except OSError:  # whoever reads it says so
            continue


def _places(path: Path) -> tuple[Place, ...]:
    """Where a path leads, and the file that is there now."""
    named: Place = ("path", os.path.realpath(path))
    try:
        found = path.stat()
    except (OSError, ValueError):
        return (named,)
    return (named, ("file", (found.st_dev, found.st_ino)))
