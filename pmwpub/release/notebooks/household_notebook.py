"""analyst.ipynb of a release of households: persons joined to households, answers with intervals, all made again.

Its cells stand in household_cells.txt and are the same for every release, but for one that names columns: see
`analyst_notebook`, by whose rules it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pmwpub.errors import tried
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.reading.household_folder import household_bundle_of
from pmwpub.release.notebooks.analyst_notebook import FEW_CELLS, NOTEBOOK, assigned, notebook_of, without_own


def household_notebook(bundle: HouseholdBundle) -> bytes:
    """The notebook of a release, without outputs: the same release gives the same bytes.

    Privacy: a function of the release's schema.
    """
    schema = bundle.schema
    persons, own = schema.persons.domain, schema.own_domain
    few = [one.name for one in persons.attributes if one.size <= FEW_CELLS]
    lines = {
        "ID": [schema.rule.id],
        "PERSONS": list(persons.names),
        "HOUSEHOLDS": list(own.names),
        "SHARED": list(schema.rule.columns),
        "COLUMNS": (few or list(persons.names))[:1],
    }
    return notebook_of("household_cells.txt", assigned(lines))


def with_household_notebook(bundle: HouseholdBundle, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a release that are handed out, and the notebook beside them, unless that cannot be made.

    It shows noisy tables, so a release that measured none has no notebook.
    """
    made, _ = tried(lambda: household_notebook(bundle)) if bundle.certificate.tables else (None, "")
    return dict(files) if made is None else {**files, NOTEBOOK: made}


def without_household_notebook(names: Iterable[str], folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """The names of what lies in a release's folder, but for a notebook that is byte for byte the one made here.

    files  the release's, as they were read from the folder
    """
    return without_own(names, folder, lambda: household_notebook(household_bundle_of(files)))
