"""The address under which one store takes in one population, and the receipt by which it says that it did.

The store that is to receive makes a ticket from its secret and the population's name, and gives out its hash, the
address. The export names the address, and no other store has the ticket that fits: so a copy of the file is of no use
anywhere else, and in the same store a name stands once. The ticket itself is the receipt: who shows it has imported,
for nothing but an import tells it.

What this cannot see is a copy of the receiving store itself, which has the same secret; see docs/privacy.md.
"""

from __future__ import annotations

import hashlib
import hmac
import re

from sqlalchemy import Connection, select

from pmwpub.ledger.tables import secrets

ADDRESS = re.compile(r"[0-9a-f]{40}")
_RECEIPT = re.compile(r"([0-9a-f]{32})-([0-9a-f]{32})")
_PURPOSE = b"pmwpub receives a population"


def ticket(connection: Connection, name: str) -> bytes:
    """What this store alone can make of a name: 16 bytes. A key of its own, so that no fingerprint is like it."""
    secret = bytes(connection.execute(select(secrets.c.secret)).scalar_one())
    return hmac.digest(hmac.digest(secret, _PURPOSE, "sha256"), name.encode(), "sha256")[:16]


def address_of(made: bytes, name: str) -> str:
    """The address that a ticket belongs to: 32 hexadecimal digits, and 8 that check them and the population's name."""
    return _checked(hashlib.sha256(_PURPOSE + made).hexdigest()[:32], name)


def belongs(address: str, name: str) -> bool:
    """Whether some store may have given out an address for a name: a slip in either is found, but for one in 2^32."""
    return ADDRESS.fullmatch(address) is not None and _checked(address[:32], name) == address


def _checked(digits: str, name: str) -> str:
    return digits + hashlib.sha256(f"{digits} {name}".encode()).hexdigest()[:8]


def receipt_of(made: bytes, total: str) -> str:
    """The receipt for an export, by its sum."""
    return f"{made.hex()}-{total[:32]}"


def confirms(receipt: str, name: str, address: str, total: str) -> bool:
    """Whether a receipt was made by the store of an address for an export of a population."""
    found = _RECEIPT.fullmatch(receipt.strip())
    return found is not None and address_of(bytes.fromhex(found[1]), name) == address and found[2] == total[:32]
