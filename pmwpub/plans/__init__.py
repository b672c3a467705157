"""Plans: everything that decides what a charge buys, frozen and hashed before anything is spent.

A plan names public things by content (the schema, the workload, the public tables and how each is read), never by file
name or note, so that a renamed file is the same plan. Row count and row seed of the synthetic table are free
post-processing and stand outside it.

`private_read_as`, in each plan, is how the text of the private file is read: as public as the other settings, for it is
what the steward declares of the files that are taken in. None stands for UTF-8 with commas, and for Parquet.

`kept_ids`, in each plan, says what neighbours are. None: one person's at most k rows are replaced by as many. A text:
all rows of one ID are, of which k stay (`tabular.coding.kept_rows`); it says what an ID is, and is the schema's own.

`weights`, in each plan, says how private rows are weighed, and what their weights are shares of (`plans.weighing`);
None where each row counts as one.
"""

from pmwpub.plan_inputs import Part, PublicInputs, Scope, WorkloadChoice, floor_workload
from pmwpub.plans.acceptance_plans import AcceptancePlan
from pmwpub.plans.household_plans import HouseholdPlan
from pmwpub.plans.household_question_plans import (
    OF_HOUSEHOLDS,
    HouseholdAssessmentPlan,
    HouseholdBestPlan,
    HouseholdErrorPlan,
)
from pmwpub.plans.household_round_plans import HouseholdRoundPlan
from pmwpub.plans.question_plans import (
    AssessmentPlan,
    BestPlan,
    ErrorPlan,
    MisfitPlan,
    RowsBeyond,
)
from pmwpub.plans.release_plans import (
    MOST_CELLS,
    RELEASE_KINDS,
    AnyReleasePlan,
    AnyTablePlan,
    ReleasePlan,
    TableFitPlan,
    UnchangedPlan,
    WeightedPoolPlan,
    release_plan_of,
)
from pmwpub.plans.weight_plans import WeightTotalPlan

__all__ = [
    "MOST_CELLS",
    "OF_HOUSEHOLDS",
    "RELEASE_KINDS",
    "AcceptancePlan",
    "AnyReleasePlan",
    "AnyTablePlan",
    "AssessmentPlan",
    "BestPlan",
    "ErrorPlan",
    "HouseholdAssessmentPlan",
    "HouseholdBestPlan",
    "HouseholdErrorPlan",
    "HouseholdPlan",
    "HouseholdRoundPlan",
    "MisfitPlan",
    "Part",
    "PublicInputs",
    "ReleasePlan",
    "RowsBeyond",
    "Scope",
    "TableFitPlan",
    "UnchangedPlan",
    "WeightTotalPlan",
    "WeightedPoolPlan",
    "WorkloadChoice",
    "floor_workload",
    "release_plan_of",
]
