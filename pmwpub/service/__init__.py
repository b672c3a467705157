"""What the pages, the command line and the API call: plans, purchases, and what is known of a population."""

from __future__ import annotations

from pmwpub.service.assessing import Assessed, NoisyNumber
from pmwpub.service.core import Outcome, Price, Service
from pmwpub.service.policy import Mode, Policy
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.releasing import Released, WorkloadFacts
from pmwpub.service.shared import Alike, Overlap
from pmwpub.service.studies import CandidateFacts, Study

__all__ = [
    "Alike",
    "Assessed",
    "CandidateFacts",
    "Mode",
    "NoisyNumber",
    "Outcome",
    "Overlap",
    "Policy",
    "Price",
    "PrivateTable",
    "Released",
    "Service",
    "Study",
    "WorkloadFacts",
]
