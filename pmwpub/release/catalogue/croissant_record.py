"""Croissant 1.0: a release as data catalogues and loaders of data sets read it, in JSON-LD."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from pmwpub.release.catalogue.published_households import AnyPublished
from pmwpub.release.catalogue.published_release import FileColumn, Kind, PublishedFile

Json = dict[str, object]

SAFE = frozenset(string.ascii_letters + string.digits + "_.-")
"""What a name may have that is safe in an address."""
FOLLOWS = "http://mlcommons.org/croissant/1.0"
"""The version of the format, as its records state it."""

_OWN_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
CONTEXT: Mapping[str, object] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{term: f"cr:{term}" for term in _OWN_TERMS},
}
"""What the keys of a record mean; it stands in each, so that nothing need be fetched."""

TYPES: Mapping[Kind, str] = {"text": "sc:Text", "whole number": "sc:Integer", "number": "sc:Float"}


def croissant(release: AnyPublished) -> bytes:
    """The record of a release as JSON-LD in UTF-8; file names in it are of the folder in which it lies.

    Every file stands in it with its size and SHA-256, and each described table has a record set with all its columns.
    """
    about, certificate = release.about, release.certificate
    said: dict[str, str] = {
        "license": about.license,
        "url": about.url,
        "datePublished": release.published.isoformat(),
    }
    tables = [one for one in release.described if one.columns]
    record: Json = {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": FOLLOWS,
        "name": release.name,
        "description": release.description,
        **{key: value for key, value in said.items() if value},
        **({"creator": {"@type": "sc:Organization", "name": about.curator}} if about.curator else {}),
        "version": f"1.0.0+{certificate.plan_sha256[:16]}",
        **_responsibly(release),
        "distribution": [_file(one) for one in release.described],
        "recordSet": [_record_set(one, tables) for one in tables],
    }
    return (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode()


def _responsibly(release: AnyPublished) -> dict[str, str]:
    """What the format's vocabulary for responsible use asks, in the words of the report's checklist."""
    answers = release.answers
    limits = " ".join(answers[topic] for topic in ("Utility and bias", "Known limits") if topic in answers)
    return {
        "rai:dataLimitations": limits,
        "rai:personalSensitiveInformation": f"{answers['Parameters']} {release.certificate.statement}",
    }


def _file(one: PublishedFile) -> Json:
    return {
        "@type": "cr:FileObject",
        "@id": one.name,
        "name": one.name,
        "description": one.meaning,
        "contentUrl": one.name,
        "contentSize": f"{len(one.body)} B",
        "encodingFormat": one.media_type,
        "sha256": one.sha256,
    }


def _record_set(table: PublishedFile, tables: Sequence[PublishedFile]) -> Json:
    stem, addresses = PurePath(table.name).stem, _addresses(table)
    fields = [_field(table.name, addresses[column.header], column, tables) for column in table.columns]
    keys = [{"@id": addresses[column.header]} for column in table.columns if column.key]
    known = {"key": keys[0]} if len(keys) == 1 else {}
    return {"@type": "cr:RecordSet", "@id": stem, "name": stem, "description": table.meaning, **known, "field": fields}


def _addresses(table: PublishedFile) -> dict[str, str]:
    """The address of each column's field by its header."""
    return {column.header: f"{PurePath(table.name).stem}/{name}" for name, column in _named(table)}


def _named(table: PublishedFile) -> Iterator[tuple[str, FileColumn]]:
    """Each column with a name that is safe in an address: its own, or its place where its own is not."""
    for place, column in enumerate(table.columns, start=1):
        own = _safe(column.header) and not _numbered(column.header)
        yield (column.header if own else f"column-{place}"), column


def _numbered(name: str) -> bool:
    place = name.removeprefix("column-")
    return place != name and place.isascii() and place.isdigit()


def _safe(name: str) -> bool:
    return 0 < len(name) <= 81 and name[0] not in ".-" and set(name) <= SAFE


def _field(file: str, address: str, column: FileColumn, tables: Sequence[PublishedFile]) -> Json:
    other = [
        {"field": {"@id": _addresses(table)[column.references[1]]}}
        for table in tables
        if column.references is not None and table.name == column.references[0]
    ]
    return {
        "@type": "cr:Field",
        "@id": address,
        "name": column.header,
        **({"description": column.meaning} if column.meaning else {}),
        "dataType": TYPES[column.kind],
        "source": {"fileObject": {"@id": file}, "extract": {"column": column.header}},
        **({"references": other[0]} if other else {}),
    }
