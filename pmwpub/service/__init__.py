"""What the pages and the command line call. It computes nothing itself: it stores, prices, books and hands on."""

from __future__ import annotations

from pmwpub.service.assessing import Assessed, NoisyNumber
from pmwpub.service.core import Outcome, Price, PrivateTable, Service
from pmwpub.service.releasing import Released, WorkloadFacts
from pmwpub.service.shared import SharedRows, SharedRun
from pmwpub.service.studies import CandidateFacts, Study

__all__ = [
    "Assessed",
    "CandidateFacts",
    "NoisyNumber",
    "Outcome",
    "Price",
    "PrivateTable",
    "Released",
    "Service",
    "SharedRows",
    "SharedRun",
    "Study",
    "WorkloadFacts",
]
