"""What the pages, the command line and the API call: plans, purchases, and what is known of a population.

Here stand the values that are handed to and fro. What is done with them stands in the modules of this package.
"""

from __future__ import annotations

from pmwpub.jobs import Engine, InlineEngine, Job
from pmwpub.ledger import Balance, Booking, Mark, PlanKey, Population
from pmwpub.service.bought.assessments import Assessed
from pmwpub.service.bought.releases import Released
from pmwpub.service.choosing.workload_sizes import WorkloadFacts
from pmwpub.service.core import Outcome, Price, Service
from pmwpub.service.inputs.shared_rows import Alike, Overlap
from pmwpub.service.inputs.study import CandidateFacts, Study
from pmwpub.service.policy import Mode, Policy
from pmwpub.service.private_table import PrivateTable

__all__ = [
    "Alike",
    "Assessed",
    "Balance",
    "Booking",
    "CandidateFacts",
    "Engine",
    "InlineEngine",
    "Job",
    "Mark",
    "Mode",
    "Outcome",
    "Overlap",
    "PlanKey",
    "Policy",
    "Population",
    "Price",
    "PrivateTable",
    "Released",
    "Service",
    "Study",
    "WorkloadFacts",
]
