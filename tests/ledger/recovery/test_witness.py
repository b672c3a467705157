"""The witness file: a chain of whole lines, synced, shared by programs, and failing closed."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from ledger.terms import charge, key, people

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger import Ledger
from pmwpub.ledger.recovery import witness as module
from pmwpub.ledger.recovery.witness import Witness
from pmwpub.ledger.recovery.witness_lines import BookingLine, ChargeLine, Line, MarkLine, StoreLine, TermsLine

TERMS = TermsLine("Åland", 0, 10, 1, "one resident", "1", "1/100", 7, "then")


def booking(label: int) -> BookingLine:
    charge = ChargeLine("release", "discrete Gaussian", "1 count", "sigma 10", 5 + label)
    return BookingLine("Åland", f"{label:064x}", 0, '{"a":"\\n\\r"}', (charge, charge), "then")


LINES: list[Line] = [StoreLine("s"), TERMS, booking(1), MarkLine("Åland", 0, "demo", "public words", "then")]


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    return Witness(tmp_path / "w")


def test_lines_come_back_as_they_were_written(witness: Witness) -> None:
    witness.append(LINES)
    other = Witness(witness.path)
    other.refresh()
    assert other.lines() == LINES[1:]
    assert (other.store, other.counts) == ("s", (1, 1, 1))
    assert other.known == {line.identity for line in LINES[1:]}


def test_a_line_is_written_once(witness: Witness) -> None:
    witness.append(LINES)
    before = witness.path.read_bytes()
    Witness(witness.path).append(LINES[1:])
    assert witness.path.read_bytes() == before


def test_only_its_owner_can_read_it(witness: Witness) -> None:
    witness.append(LINES)
    assert stat.S_IMODE(witness.path.stat().st_mode) == 0o600


def test_a_new_store_begins_anew(witness: Witness) -> None:
    witness.append(LINES)
    witness.append([StoreLine("t"), booking(1)])
    assert (witness.store, witness.counts, witness.lines()) == ("t", (0, 1, 0), [booking(1)])


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_a_line_cut_short_is_not_there_and_the_next_append_removes_it(witness: Witness, cut: int) -> None:
    witness.append(LINES)
    whole = witness.path.read_bytes()
    witness.path.write_bytes(whole[:-cut])
    again = Witness(witness.path)
    again.refresh()
    assert again.lines() == LINES[1:-1]
    again.append(LINES[1:])
    assert witness.path.read_bytes() == whole


@pytest.mark.parametrize("place", [0, 1, 2, 3])
@pytest.mark.parametrize("harm", ["edit", "remove", "garble", "swap"])
def test_a_changed_line_is_found_out(witness: Witness, place: int, harm: str) -> None:
    witness.append([*LINES, booking(9)])
    lines = witness.path.read_bytes().splitlines(keepends=True)
    if harm == "edit":
        body = json.loads(lines[place])
        body["population" if place else "store"] = "other"
        lines[place] = json.dumps(body).encode() + b"\n"
    elif harm == "remove":
        del lines[place]
    elif harm == "garble":
        lines[place] = b"\x00" * 20 + b"\n"
    else:
        lines[place], lines[place + 1] = lines[place + 1], lines[place]
    witness.path.write_bytes(b"".join(lines))
    with pytest.raises(StoreUnavailable, match="damaged"):
        Witness(witness.path).refresh()


def test_what_others_append_is_seen(witness: Witness) -> None:
    witness.append(LINES)
    Witness(witness.path).append([booking(2)])
    witness.refresh()
    assert witness.counts == (1, 2, 1)


def test_a_removed_or_replaced_file_is_noticed(witness: Witness, tmp_path: Path) -> None:
    witness.append(LINES)
    witness.path.unlink()
    witness.refresh()
    assert witness.missing
    Witness(tmp_path / "other").append([StoreLine("t")])
    (tmp_path / "other").rename(witness.path)
    witness.refresh()
    assert (witness.store, witness.missing) == ("t", False)


@pytest.mark.parametrize("failing", ["open", "write", "fsync"])
def test_a_witness_that_cannot_be_written_is_said_to_be(
    witness: Witness, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, failing, full)
    with pytest.raises(StoreUnavailable, match="No space left"):
        witness.append(LINES)


def test_a_write_that_stops_half_way_is_an_error_and_leaves_no_line(
    witness: Witness, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness.append(LINES)
    whole = witness.path.read_bytes()
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr(module.os, "write", lambda descriptor, body: real(descriptor, body[: len(body) // 2]))
        with pytest.raises(StoreUnavailable, match="disk is full"):
            witness.append([booking(2)])
    witness.append([booking(3)])
    assert witness.lines() == [*LINES[1:], booking(3)]
    assert witness.path.read_bytes().startswith(whole)


@pytest.mark.parametrize("failing", ["open", "fstatvfs"])
def test_a_witness_that_could_take_no_line_is_found_out_before_anything_is_charged(
    tmp_path: Path, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> object:
        if failing == "open":
            raise PermissionError(13, "Permission denied")
        return SimpleNamespace(f_blocks=10, f_bavail=0, f_frsize=4096)

    with Ledger.open(f"sqlite:///{tmp_path}/l") as ledger:
        ledger.register(people())
        with monkeypatch.context() as patch:
            patch.setattr(module.os, failing, refuse)
            with pytest.raises(StoreUnavailable):
                ledger.book("A", key(), "{}", [charge(1)])
        assert ledger.balance("A").spent.units == 0
        assert ledger.book("A", key(), "{}", [charge(1)]).fresh


def test_every_line_is_synced_before_append_returns(witness: Witness, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync
    witness.append([StoreLine("s")])
    monkeypatch.setattr(
        module.os, "fsync", lambda descriptor: (synced.append(os.fstat(descriptor).st_size), real(descriptor))
    )
    witness.append([booking(1)])
    assert synced == [witness.path.stat().st_size]


def test_many_threads_and_programs_keep_the_chain_whole(witness: Witness) -> None:
    program = (
        "import sys; from pathlib import Path; from pmwpub.ledger.recovery.witness import Witness\n"
        "from pmwpub.ledger.recovery.witness_lines import MarkLine\n"
        "w = Witness(Path(sys.argv[1]))\n"
        "for i in range(20): w.append([MarkLine(sys.argv[2], i, 'k', 'n', 't')])"
    )
    witness.append([StoreLine("s")])
    others = [subprocess.Popen([sys.executable, "-c", program, str(witness.path), name]) for name in "ab"]
    threads = [
        threading.Thread(target=lambda at=at: [witness.append([booking(20 * at + i)]) for i in range(20)])
        for at in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [other.wait(60) for other in others] == [0, 0]
    again = Witness(witness.path)
    again.refresh()
    assert again.counts == (0, 160, 40)
