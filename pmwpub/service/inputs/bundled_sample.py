"""The bundled samples: generated tables that ship with the project."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pmwpub.errors import FileRefused, PmwPubError
from pmwpub.plans import WorkloadChoice
from pmwpub.service.inputs.bundled_files import APP_FILES
from pmwpub.tabular.coding.encode import Encoded, encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.households.household_schema import household_unit
from pmwpub.tabular.schema.table_schema import Schema

FOLDER = APP_FILES / "sample_data"
PRIVATE = "state_a.csv"
CANDIDATES = ("state_b.csv", "state_c.csv", "state_d.csv")
FAR_AWAY = "state_d.csv"
"""The candidate whose best mixture is poor: no epsilon makes up for it."""
SCHEMA = "schema.json"


@dataclass(frozen=True)
class DemoSample:
    """The files of one demo, and what its population is registered with.

    private, schema  file names
    candidates       file names; the last one is of a state that is far away
    unit             whom the population protects
    note             what is recorded of the population, by which the sample is known again
    name             the first letters of the population's name
    title, words     what it is, in a word and in a line
    largest          the most persons of one household, where whole households are protected; 1 where persons are
    """

    private: str
    candidates: tuple[str, ...]
    schema: str
    choice: WorkloadChoice
    unit: str
    note: str
    name: str
    title: str
    words: str
    largest: int = 1

    @property
    def far_away(self) -> str:
        """The candidate whose best mixture is poor."""
        return self.candidates[-1]


STATES = DemoSample(
    private=PRIVATE,
    candidates=CANDIDATES,
    schema=SCHEMA,
    choice=WorkloadChoice(k=3, marginals=128, seed=0),
    unit="one resident of the generated state A",
    note="Generated data; nobody's records.",
    name="demo",
    title="Demo",
    words="persons, each counted once",
)
SURVEY = DemoSample(
    private="homes_a.csv",
    candidates=("homes_b.csv", "homes_c.csv", "homes_d.csv"),
    schema="survey.json",
    choice=WorkloadChoice(k=2),
    unit="one person in the generated survey of state A",
    note="Generated data of a survey with weights; nobody's records.",
    name="survey",
    title="Weights",
    words="a survey, its persons counted by weights",
)
HOMES = DemoSample(
    private=SURVEY.private,
    candidates=SURVEY.candidates,
    schema="homes.json",
    choice=WorkloadChoice(k=2, marginals=16, seed=0),
    unit=household_unit(6),
    note="Generated data of whole households; nobody's records.",
    name="homes",
    title="Households",
    words="the same survey unweighted, protecting whole households",
    largest=6,
)


def sample_of(notes: list[str]) -> DemoSample:
    """The sample of a population of which these notes were recorded; the states' where none names another one."""
    return next((sample for sample in (SURVEY, HOMES) if sample.note in notes), STATES)


def sample_file(name: str) -> bytes:
    """One file of the samples; PmwPubError where the project was installed without it."""
    path = FOLDER / name
    if not path.is_file():
        raise PmwPubError(
            f"The sample file {name} is missing; install the project's wheel, or run the demo from a checkout."
        )
    return path.read_bytes()


@lru_cache(maxsize=3)
def sample_rows(sample: DemoSample = STATES) -> bytes:
    """The rows of state A, which plays the private table; generated, nobody's records."""
    return read_table(sample_file(sample.private)).same_rows()


def refuse_another(sample: DemoSample, rows: bytes) -> None:
    """Raise FileRefused where the private table of a demo is another one than its sample's."""
    if rows != sample_rows(sample):
        raise FileRefused("The demo takes its own generated table only; register a population for a table of yours.")


def sample_truth(schema: Schema, sample: DemoSample = STATES) -> Encoded:
    """State A as rows that may be looked at, for it is generated; for simulations in the demo only."""
    return encode_public(read_table(sample_file(sample.private)), schema)
