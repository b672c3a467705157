"""A release of households as an entry of the registry of deployments: the unit of protection is a household."""

from __future__ import annotations

from fractions import Fraction

from pmwpub.release.catalogue.published_households import PublishedHouseholds
from pmwpub.release.catalogue.registry_entry import (
    AdministrativeEntry,
    DeploymentEntry,
    ImplementationEntry,
    LossEntry,
    LossNumbers,
    ModelEntry,
    RegistryEntry,
    VariantEntry,
    basic_entry,
    slug_of,
)
from pmwpub.rounding import above, up

HOUSEHOLDS_ARE_DRAWN = (
    "Noisy tables are fitted by weights of whole public households, and synthetic households are drawn from these by a "
    "public seed. Both follow from released values and public tables alone."
)


def household_entry(release: PublishedHouseholds) -> RegistryEntry:
    """The entry of a release of households."""
    answers = release.answers
    entry = DeploymentEntry(
        basic=basic_entry(release),
        dp_variant=_household_variant(release),
        privacy_loss=_household_loss(release),
        deployment_model=ModelEntry(
            trust_assumptions=f"{answers['Trust model']} {answers['Data handling']}",
            release_type_details=answers["Composition"],
        ),
        implementation=_household_implementation(release),
        administrative=AdministrativeEntry(registry_authors=release.about.entry_authors or ("",)),
    )
    return RegistryEntry(url_slug=slug_of(release), deployment=entry)


def _household_variant(release: PublishedHouseholds) -> VariantEntry:
    certificate = release.certificate
    return VariantEntry(
        variant_name="Zero-concentrated DP",
        data_domain=(
            f"Tables of {certificate.n:,} households of 1 to {certificate.largest_household} persons under the schema "
            f"with SHA-256 {certificate.schema_sha256}."
        ),
        unprotected_quantities=f"The number of households, {certificate.n:,}. {certificate.outside_the_guarantee}",
    )


def _household_loss(release: PublishedHouseholds) -> LossEntry:
    certificate, total = release.certificate, release.certificate.ledger_total
    return LossEntry(
        privacy_unit=certificate.unit,
        privacy_unit_details=f"{certificate.neighbours}; largest_household = {certificate.largest_household}.",
        number_of_privacy_units=certificate.n,
        privacy_parameters=LossNumbers(
            epsilon=certificate.epsilon,
            delta=above(Fraction(certificate.delta)),
            rho=above(Fraction(certificate.rho)),
        ),
        privacy_parameters_details=(
            f"These are of this release alone, for a whole household: rho = {certificate.rho}, converted to epsilon at "
            f"the population's delta. All that was charged for the population by then, this release included, is "
            f"rho = {total.rho}, which is epsilon = {up(total.epsilon)} at that delta."
        ),
    )


def _household_implementation(release: PublishedHouseholds) -> ImplementationEntry:
    certificate, answers = release.certificate, release.answers
    told = ("Algorithm", "Sensitivity", "Randomness", "Floating point", "Side channels")
    made_with = ", ".join(f"{name} {version}" for name, version in certificate.versions.items())
    before = f"{answers['Domain and preprocessing']} {answers['Contribution bound']}"
    hashes = "; ".join(f"{one.name} {one.sha256}" for one in release.described)
    return ImplementationEntry(
        preprocessing_and_hyperparameter_tuning=before,
        mechanisms=f"{' '.join(answers[topic] for topic in told)} Made with {made_with}.",
        composition=answers["Composition"],
        post_processing=HOUSEHOLDS_ARE_DRAWN,
        justification=" ".join(filter(None, (release.about.why_delta, answers["Why this δ"]))),
        utility=answers["Utility and bias"],
        additional_information=" ".join([certificate.statement, *certificate.remarks, f"SHA-256 of files: {hashes}."]),
    )
