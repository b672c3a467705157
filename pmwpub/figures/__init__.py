"""Values in, plotly figures out: no streamlit, and no arithmetic beyond layout.

Every function returns a `Plot`: the figure, its alt text, and the same data as a table.
"""

from __future__ import annotations

from pmwpub.figures.budget_bar import Amount, budget_bar
from pmwpub.figures.candidate_plot import AssessedCandidate, candidates_dot_plot
from pmwpub.figures.candidate_row_values import CandidateRow
from pmwpub.figures.candidate_rows import candidate_rows
from pmwpub.figures.curves.bias_curve import BiasedTable, error_against_bias
from pmwpub.figures.curves.bound import BoundParts, bound_against_epsilon, bound_against_rounds
from pmwpub.figures.curves.curve_values import ErrorCurve, ProvedBound, ShadedFloor, Unchanged
from pmwpub.figures.curves.error_curves import error_against_epsilon
from pmwpub.figures.curves.error_svg import MarkedRelease, error_svg
from pmwpub.figures.curves.shares import ShareCurve, error_against_share
from pmwpub.figures.kept_plots import Drawing, drawn_anew, drawn_once
from pmwpub.figures.level_icicle import level_icicle
from pmwpub.figures.marginals import difference_map, marginal_comparison
from pmwpub.figures.moved import MovedMarginal, TrueDistance, moved_marginals, true_distances
from pmwpub.figures.pairs import PairFloor, pair_map
from pmwpub.figures.plot_file import OFFLINE, PICTURE, self_contained
from pmwpub.figures.story_plots import TableRange, alone_by_facts, public_ranges, ways_compared, with_and_without
from pmwpub.figures.style import PALETTE, ROWS, Plot, Table

__all__ = [
    "OFFLINE",
    "PALETTE",
    "PICTURE",
    "ROWS",
    "Amount",
    "AssessedCandidate",
    "BiasedTable",
    "BoundParts",
    "CandidateRow",
    "Drawing",
    "ErrorCurve",
    "MarkedRelease",
    "MovedMarginal",
    "PairFloor",
    "Plot",
    "ProvedBound",
    "ShadedFloor",
    "ShareCurve",
    "Table",
    "TableRange",
    "TrueDistance",
    "Unchanged",
    "alone_by_facts",
    "bound_against_epsilon",
    "bound_against_rounds",
    "budget_bar",
    "candidate_rows",
    "candidates_dot_plot",
    "difference_map",
    "drawn_anew",
    "drawn_once",
    "error_against_bias",
    "error_against_epsilon",
    "error_against_share",
    "error_svg",
    "level_icicle",
    "marginal_comparison",
    "moved_marginals",
    "pair_map",
    "public_ranges",
    "self_contained",
    "true_distances",
    "ways_compared",
    "with_and_without",
]
