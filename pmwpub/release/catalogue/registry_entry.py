"""An entry for a public registry of deployments of differential privacy, as a draft that a person completes."""

from __future__ import annotations

import string
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

from pydantic import Field

from pmwpub.errors import PlanError
from pmwpub.release.catalogue.about_release import CuratorType, Sector
from pmwpub.release.catalogue.published_households import AnyPublished
from pmwpub.release.catalogue.published_release import PublishedRelease
from pmwpub.release.certificates.certificate_parts import NEIGHBOURS, Part
from pmwpub.release.certificates.certificate_reading import AnyCertificate, ChargedCertificate
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.rounding import above, up

SLUG = frozenset(string.ascii_lowercase + string.digits)
"""What the address of an entry may have between its hyphens."""

SCHEMA_COMMIT = "057e5d81cf60150dd3307e0cf4504b957802fb3b"
"""The commit of opendp/deployments-registry-data whose schemas/deployments-schema.yaml the entry follows."""

NO_YAML = "A registry's entry is written as YAML, which needs the extra: pip install 'pmwpub[records]'."
ROWS_ARE_DRAWN = (
    "Noisy values are fitted to weights of public rows, and synthetic rows are drawn from these by a public seed. "
    "Both follow from released values and public tables alone."
)


class CuratorEntry(Part):
    """Who publishes the data product."""

    data_curator_name: str
    data_curator_type: CuratorType | None = None


class BasicEntry(Part):
    """What is published, by whom, when and what for."""

    name: str
    data_curators: tuple[CuratorEntry, ...] = Field(min_length=1)
    description: str
    intended_use: str
    data_product_type: Literal["Synthetic data"] = "Synthetic data"
    data_product_region: str
    data_product_sector: Sector | None = None
    publication_date: str


class VariantEntry(Part):
    """The kind of promise, what it is about, and what it leaves out."""

    variant_name: Literal["Pure DP", "Zero-concentrated DP"]
    data_domain: str
    unprotected_quantities: str


class LossNumbers(Part):
    """How much of it: rounded up, never down."""

    epsilon: float
    delta: float | None = None
    rho: float | None = None


class LossEntry(Part):
    """Who is protected, and how strongly."""

    privacy_unit: str
    privacy_unit_details: str | None = None
    number_of_privacy_units: int | None = None
    privacy_parameters: LossNumbers
    privacy_parameters_details: str


class ModelEntry(Part):
    """Who is trusted, and how often the data product is published."""

    model_name: Literal["Central"] = "Central"
    trust_assumptions: str
    release_type: Literal["One release"] = "One release"
    release_type_details: str
    data_source_type: Literal["Static"] = "Static"
    access_type: Literal["Non-interactive"] = "Non-interactive"


class ImplementationEntry(Part):
    """How it was made."""

    preprocessing_and_hyperparameter_tuning: str
    mechanisms: str
    composition: str
    post_processing: str
    justification: str
    utility: str
    additional_information: str


class AdministrativeEntry(Part):
    """The state of the entry itself; tier 3 has all parts."""

    status: Literal["Draft"] = "Draft"
    registry_authors: tuple[str, ...] = Field(min_length=1)
    tier: Literal[3] = 3


class DeploymentEntry(Part):
    """One deployment."""

    basic: BasicEntry
    dp_variant: VariantEntry
    privacy_loss: LossEntry
    deployment_model: ModelEntry
    implementation: ImplementationEntry
    administrative: AdministrativeEntry


class RegistryEntry(Part):
    """An entry as the registry's data have it.

    The fields, which of them are required, and the words that some of them choose from are those of
    schemas/deployments-schema.yaml in opendp/deployments-registry-data at commit
    057e5d81cf60150dd3307e0cf4504b957802fb3b (`SCHEMA_COMMIT`). Where it wants what neither the release nor its
    publisher says, text stays empty and the kind of curator is not written: `lacking` names each.
    """

    url_slug: str
    deployment: DeploymentEntry

    @classmethod
    def of(cls, release: PublishedRelease) -> RegistryEntry:
        """The entry of a release."""
        entry = DeploymentEntry(
            basic=basic_entry(release),
            dp_variant=_variant(release.certificate),
            privacy_loss=_loss(release.certificate),
            deployment_model=_model(release),
            implementation=_implementation(release),
            administrative=AdministrativeEntry(registry_authors=release.about.entry_authors or ("",)),
        )
        return cls(url_slug=slug_of(release), deployment=entry)

    def lacking(self) -> tuple[str, ...]:
        """The fields that the registry wants and a person has still to fill in."""
        return tuple(self._lacking())

    def _lacking(self) -> Iterator[str]:
        basic, administrative = self.deployment.basic, self.deployment.administrative
        for place, curator in enumerate(basic.data_curators):
            if not curator.data_curator_name:
                yield f"deployment.basic.data_curators.{place}.data_curator_name"
            if curator.data_curator_type is None:
                yield f"deployment.basic.data_curators.{place}.data_curator_type (Government, Industry or Nonprofit)"
        for name in ("intended_use", "data_product_region"):
            if not getattr(basic, name):
                yield f"deployment.basic.{name}"
        if not all(administrative.registry_authors):
            yield "deployment.administrative.registry_authors"

    def to_yaml(self) -> bytes:
        """The entry as YAML in UTF-8, what is lacking in comments above it; PlanError without the extra."""
        try:
            import yaml
        except ModuleNotFoundError as missing:
            raise PlanError(NO_YAML) from missing
        written = yaml.safe_dump(
            self.model_dump(mode="json", exclude_none=True), sort_keys=False, allow_unicode=True, width=100
        )
        return ("".join(f"# To fill in: {field}\n" for field in self.lacking()) + written).encode()


def slug_of(release: AnyPublished) -> str:
    """The address of an entry: words of the release's name, and of its plan."""
    words = "".join(one if one in SLUG else " " for one in release.name.lower()).split()
    slug = "-".join(words)
    return f"{slug[:80] or 'release'}-{release.certificate.plan_sha256[:8]}"


def basic_entry(release: AnyPublished) -> BasicEntry:
    """What is published, as its publisher says it."""
    about = release.about
    return BasicEntry(
        name=release.name,
        data_curators=(CuratorEntry(data_curator_name=about.curator, data_curator_type=about.curator_type),),
        description=release.description,
        intended_use=about.intended_use,
        data_product_region=about.region,
        data_product_sector=about.sector,
        publication_date=release.published.isoformat(),
    )


def _variant(certificate: AnyCertificate) -> VariantEntry:
    if isinstance(certificate, UnchangedCertificate):
        return VariantEntry(
            variant_name="Pure DP",
            data_domain="None: no private row was read.",
            unprotected_quantities="The public tables themselves, whose rows are published.",
        )
    return VariantEntry(
        variant_name="Zero-concentrated DP",
        data_domain=f"Tables of {certificate.n:,} rows under the schema with SHA-256 {certificate.schema_sha256}.",
        unprotected_quantities=f"The number of rows, {certificate.n:,}. {certificate.outside_the_guarantee}",
    )


def _loss(certificate: AnyCertificate) -> LossEntry:
    if isinstance(certificate, UnchangedCertificate):
        details = "Nothing was charged: the release is a function of public things alone."
        none = LossNumbers(epsilon=0.0)
        return LossEntry(privacy_unit=certificate.unit, privacy_parameters=none, privacy_parameters_details=details)
    one_each = certificate.rows_per_person == 1 and certificate.neighbours == NEIGHBOURS
    return LossEntry(
        privacy_unit=certificate.unit or "one person",
        privacy_unit_details=f"{certificate.neighbours}; rows_per_person = {certificate.rows_per_person}.",
        number_of_privacy_units=certificate.n if one_each else None,
        privacy_parameters=LossNumbers(
            epsilon=certificate.epsilon,
            delta=above(Fraction(certificate.delta)),
            rho=above(Fraction(certificate.rho)),
        ),
        privacy_parameters_details=_together(certificate),
    )


def _together(certificate: ChargedCertificate) -> str:
    total = certificate.ledger_total
    return (
        f"These are of this release alone: rho = {certificate.rho}, converted to epsilon at the population's delta. "
        f"All that was charged for the population by then, this release included, is rho = {total.rho}, which is "
        f"epsilon = {up(total.epsilon)} at that delta: that holds for everything released together."
    )


def _model(release: PublishedRelease) -> ModelEntry:
    answers = release.answers
    if isinstance(release.certificate, UnchangedCertificate):
        details, trust = answers["Composition"], answers["Known limits"]
    else:
        details, trust = answers["Composition"], f"{answers['Trust model']} {answers['Data handling']}"
    return ModelEntry(trust_assumptions=trust, release_type_details=details)


def _implementation(release: PublishedRelease) -> ImplementationEntry:
    certificate, answers = release.certificate, release.answers
    told = ("Algorithm", "Randomness", "Floating point", "Side channels")
    versions = ", ".join(f"{name} {version}" for name, version in certificate.versions.items())
    mechanisms = " ".join(answers[topic] for topic in told if topic in answers)
    hashes = "; ".join(f"{one.name} {one.sha256}" for one in release.described)
    settings = certificate.settings_from or "Where the settings came from is not stated."
    chosen = " ".join(filter(None, (release.about.why_delta, answers.get("Why this δ", ""), settings)))
    return ImplementationEntry(
        preprocessing_and_hyperparameter_tuning=" ".join(
            filter(None, (answers.get("Domain and preprocessing", ""), settings))
        ),
        mechanisms=f"{mechanisms} Made with {versions}.",
        composition=answers["Composition"],
        post_processing=ROWS_ARE_DRAWN if "Order of events" in answers else answers["Randomness"],
        justification=chosen,
        utility=answers.get("Utility and bias", answers["Known limits"]),
        additional_information=" ".join([certificate.statement, *certificate.remarks, f"SHA-256 of files: {hashes}."]),
    )
