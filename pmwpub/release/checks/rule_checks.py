"""What a folder says of rules, held against its schema and its weights."""

from __future__ import annotations

from pmwpub.release.bundle import SCHEMA, WEIGHTS
from pmwpub.release.certificates.certificate_reading import AnyCertificate
from pmwpub.release.checks.engine_checks import Files, Finding, finding, given
from pmwpub.release.rebuilding import schema_of
from pmwpub.tabular.coding.decode import read_weights


def rule_findings(certificate: AnyCertificate, files: Files) -> list[Finding]:
    """That the rules of the schema are stated, and kept by the weights; nothing of a release without rules."""
    if certificate.rules is None and not (SCHEMA in files and b'"rules"' in files[SCHEMA]):
        return []
    stated = finding("the rules are those of the schema", lambda: _same_rules(certificate, files))
    kept = finding(f"no row of {WEIGHTS} breaks a rule", lambda: _kept_rules(certificate, files))
    left_out = "how many public rows were left out because they break a rule"
    return [stated, kept, Finding(left_out, unchecked="it needs the public tables.")]


def _same_rules(certificate: AnyCertificate, files: Files) -> str:
    own = schema_of(certificate, given(files, SCHEMA)).rules
    stated = [(one.rule, one.reason) for one in certificate.rules or ()]
    return "" if stated == [(rule.text, rule.reason or "") for rule in own] else "other rules are stated."


def _kept_rules(certificate: AnyCertificate, files: Files) -> str:
    schema = schema_of(certificate, given(files, SCHEMA))
    rules, support = schema.row_rules, read_weights(given(files, WEIGHTS), schema).support
    return "some do." if rules is not None and rules.broken(support.codes).any() else ""
