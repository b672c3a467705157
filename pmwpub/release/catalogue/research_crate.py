"""RO-Crate 1.1: a release as a folder that archives of research data read, with who made what from what."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from pmwpub.errors import PlanError
from pmwpub.release.catalogue.published_households import AnyPublished
from pmwpub.release.catalogue.published_release import PublishedFile

if TYPE_CHECKING:
    from rocrate.model.contextentity import ContextEntity
    from rocrate.rocrate import ROCrate

FOLLOWS = "1.1"
METADATA = "ro-crate-metadata.json"
NO_LICENSE = "Whoever published this release has stated no licence."
NO_ROCRATE = "An RO-Crate needs the extra: pip install 'pmwpub[records]'."
TERMS: Mapping[str, str] = {"sha256": "http://schema.org/sha256"}
"""Keys of the record that the context of version 1.1 lacks."""


def crate_files(release: AnyPublished) -> dict[str, bytes]:
    """Every file of the crate, the record among them; PlanError without the extra."""
    return dict(release.files) | {METADATA: research_crate(release)}


def research_crate(release: AnyPublished) -> bytes:
    """The record of a release, to lie beside its files; nothing in it depends on the hour at which it is made."""
    try:
        from rocrate.rocrate import ROCrate
    except ModuleNotFoundError as missing:
        raise PlanError(NO_ROCRATE) from missing
    crate = ROCrate(version=FOLLOWS)
    crate.metadata.extra_terms.update(TERMS)
    _say_of_the_whole(crate, release)
    made = [crate.add_file(dest_path=one.name, properties=_file(one)) for one in release.described]
    _say_how_it_was_made(crate, release, made)
    graph = crate.metadata.generate()
    return (json.dumps(graph, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _say_of_the_whole(crate: ROCrate, release: AnyPublished) -> None:
    about = release.about
    crate.name, crate.description = release.name, release.description
    crate.root_dataset["datePublished"] = release.published.isoformat()
    crate.root_dataset["license"] = NO_LICENSE
    if about.license:
        crate.root_dataset["license"] = _entity(crate, about.license, "CreativeWork", name=about.license)
    if about.curator:
        publisher = _entity(crate, "#publisher", "Organization", name=about.curator)
        crate.root_dataset["publisher"], crate.root_dataset["author"] = publisher, publisher
    if about.url:
        crate.root_dataset["url"] = about.url


def _file(one: PublishedFile) -> dict[str, str]:
    return {
        "name": one.name,
        "description": one.meaning,
        "encodingFormat": one.media_type,
        "contentSize": str(len(one.body)),
        "sha256": one.sha256,
    }


def _say_how_it_was_made(crate: ROCrate, release: AnyPublished, made: list[ContextEntity]) -> None:
    """The act that made the files: from which public tables, with which program, when."""
    certificate = release.certificate
    version = certificate.versions.get("pmwpub", "")
    program = _entity(
        crate,
        f"#pmwpub-{quote(version)}",
        "SoftwareApplication",
        name="pmwpub",
        softwareVersion=version,
        version=version,
    )
    public = [
        _entity(
            crate,
            f"#public-{table.sha256}",
            "CreativeWork",
            name=table.name,
            description="A public table that the release rests on; it is not part of it.",
            sha256=table.sha256,
        )
        for table in release.candidates
    ]
    act = _entity(
        crate,
        "#release",
        "CreateAction",
        name=f"Release of plan {certificate.plan_sha256}",
        description=release.description,
    )
    act["instrument"], act["result"] = program, made
    act["object"] = public[0] if len(public) == 1 else public
    if release.charged_at:
        act["endTime"] = release.charged_at
    crate.root_dataset["mentions"] = act


def _entity(crate: ROCrate, identifier: str, kind: str, **said: str) -> ContextEntity:
    from rocrate.model.contextentity import ContextEntity

    return crate.add(ContextEntity(crate, identifier, properties={"@type": kind, **said}))
