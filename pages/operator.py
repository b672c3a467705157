"""Operator: who is here, whose populations, which loads, jobs, health, limits; for a session of that role alone."""

from __future__ import annotations

from pmwpub.service.operating.operators import refuse_others
from pmwpub.ui import enter, entitled, refusals, service
from pmwpub.ui.operator.loads_panel import loads_panel
from pmwpub.ui.operator.people_panel import people_panel
from pmwpub.ui.operator.populations_panel import populations_panel
from pmwpub.ui.operator.server_panels import limits_panel, running_panels

enter("pages/operator.py")
entitled("Operator")
with refusals():
    refuse_others(service())
    running_panels()
    people_panel()
    populations_panel()
    loads_panel()
    limits_panel()
