"""What the registry's own check asks of an entry, as JSON Schema: its keys, those that must be there, and their words.

Written down by hand from schemas/deployments-schema.yaml of opendp/deployments-registry-data at the commit that the
model of the entry names; without the descriptions, and without the fields of sources, of which none are exported.
"""

from __future__ import annotations

TEXT = {"type": "string"}
ANY: dict[str, object] = {}


def part(required: list[str], **properties: object) -> dict[str, object]:
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


def one_of(*words: object) -> dict[str, object]:
    return {"enum": list(words)}


CURATOR = {
    "type": "object",
    "required": ["data_curator_name", "data_curator_type"],
    "properties": {"data_curator_name": TEXT, "data_curator_type": one_of("Government", "Industry", "Nonprofit")},
}

BASIC = part(
    [
        *("name", "data_curators", "description", "intended_use", "data_product_type", "data_product_region"),
        "publication_date",
    ],
    name=TEXT,
    data_curators={"type": "array", "items": CURATOR, "minItems": 1},
    description=TEXT,
    intended_use=TEXT,
    data_product_type=one_of(
        *("Summary statistics", "Machine learning model", "Dataset", "Synthetic data", "Interactive API", "SQL queries")
    ),
    data_product_region=TEXT,
    data_product_sector=one_of("Technology", "Healthcare", "Education", "Government", "Energy", "Finance"),
    publication_date={"type": "string", "format": "date"},
)

VARIANT = part(
    [],
    variant_name=one_of("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"),
    data_domain=TEXT,
    unprotected_quantities=TEXT,
)

LOSS = part(
    [],
    privacy_unit=TEXT,
    privacy_unit_details=TEXT,
    number_of_privacy_units={"type": "integer"},
    privacy_parameters=part(
        [], epsilon={"type": "number"}, delta={"type": ["number", "string"]}, rho={"type": "number"}
    ),
    privacy_parameters_details=ANY,
)

MODEL = part(
    [],
    model_name=one_of("Local", "Central", "Shuffle", "Federated", "Varies"),
    model_name_details=TEXT,
    trust_assumptions=TEXT,
    actors=ANY,
    release_type=one_of("One release", "Many releases"),
    release_type_details=TEXT,
    data_source_type=one_of("Static", "Dynamic"),
    data_source_type_details=TEXT,
    access_type=one_of("Interactive", "Non-interactive"),
    access_type_details=TEXT,
)

IMPLEMENTATION = part(
    [],
    preprocessing_and_hyperparameter_tuning=TEXT,
    mechanisms=TEXT,
    composition=TEXT,
    post_processing=TEXT,
    justification=TEXT,
    utility=ANY,
    additional_information=ANY,
)

ADMINISTRATIVE = part(
    ["status", "registry_authors", "tier"],
    evidence_sources={"type": "object"},
    status=one_of(
        *("Converted", "Draft", "Pending", "Changes Required", "Approved", "Approved (Update Requested)"),
        "Approved (Pending)",
    ),
    registry_authors={"type": "array", "items": TEXT, "minItems": 1},
    tier=one_of(1, 2, 3),
)

ENTRY = part(
    ["url_slug", "deployment"],
    url_slug=TEXT,
    deployment=part(
        ["basic", "administrative"],
        basic=BASIC,
        dp_variant=VARIANT,
        privacy_loss=LOSS,
        deployment_model=MODEL,
        implementation=IMPLEMENTATION,
        administrative=ADMINISTRATIVE,
    ),
)
