"""Run by the Python of an environment that has roc-validator: a crate against the profile that it claims, offline.

    PYTHON offline_crate_check.py CRATE/ CONTEXT.jsonld

The context that the crate names is answered from the file; whatever else is asked of the network fails. Prints each
issue on a line and ends with status 1 where there is one.

roc-validator cannot be installed beside this project's other packages on Python 3.11: pyshacl wants importlib-metadata
above 6 there, and ipumspy below 5. Hence an environment of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

import requests
from requests.adapters import HTTPAdapter

CRATE, CONTEXT = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes()


def answered(self: HTTPAdapter, request: requests.PreparedRequest, **options: object) -> requests.Response:
    """The context, or no network."""
    if not (request.url or "").startswith("https://w3id.org/ro/crate/"):
        raise requests.ConnectionError(f"no network here: {request.url}")
    response = requests.Response()
    response.status_code, response.url, response.request = 200, request.url, request
    response.headers["Content-Type"] = "application/ld+json"
    response._content = CONTEXT
    return response


HTTPAdapter.send = answered

from rocrate_validator import services  # noqa: E402 - the network is gone before it is loaded
from rocrate_validator.models import Severity, ValidationSettings  # noqa: E402

found = services.validate(
    ValidationSettings(
        rocrate_uri=str(CRATE),
        profile_identifier="ro-crate-1.1",
        requirement_severity=getattr(Severity, sys.argv[3] if len(sys.argv) > 3 else "REQUIRED"),
        no_cache=True,
    )
)
for issue in found.get_issues():
    print(issue.severity.name, issue.check.identifier, issue.message)
sys.exit(1 if found.has_issues() else 0)
