"""The text of a rule, read: `age < 15 implies employment = "none"  # by law`.

The grammar is read by lark, with an LALR table: one pass, no backtracking, nothing of the text is run. Words:
comparisons (=, !=, <, <=, >, >=, in, not in) of a column with a number or a level in quotes; not, and, or, implies,
from the tightest to the loosest; brackets. What stands behind a "#" is the reason.
"""

from __future__ import annotations

import json
from functools import cache

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import LarkError, UnexpectedInput, VisitError
from pydantic import ValidationError

from pmwpub.errors import SchemaError
from pmwpub.tabular.rules.rule_names import PLAIN_NAME, read_name
from pmwpub.tabular.rules.rule_tree import (
    Comparison,
    EditRule,
    Expression,
    Implication,
    Junction,
    Membership,
    Negation,
    Value,
)

MAX_TEXT = 20_000
"""Characters of a rule's text."""

EXAMPLE = 'age < 15 implies employment = "none"'

_GRAMMAR = rf"""
start: rule REASON?
?rule: choice | choice _IMPLIES choice -> implication
?choice: both | both (_OR both)+ -> disjunction
?both: term | term (_AND term)+ -> conjunction
?term: _NOT term -> negation
     | "(" rule ")"
     | column OPERATOR value -> comparison
     | column _IN "(" value ("," value)* ")" -> membership
     | column _NOT _IN "(" value ("," value)* ")" -> outside
column: NAME
?value: NUMBER -> number | STRING -> level | NAME -> misplaced

_IMPLIES.3: /implies(?![\w.-])/i | "->" | "=>"
_AND.3: /and(?![\w.-])/i
_OR.3: /or(?![\w.-])/i
_NOT.3: /not(?![\w.-])/i
_IN.3: /in(?![\w.-])/i
OPERATOR: "<=" | ">=" | "!=" | "<>" | "==" | "=" | "<" | ">" | "≤" | "≥" | "≠"
NAME: /{PLAIN_NAME}/ | /`(?:[^`\n]|``)+`/
NUMBER.2: /[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{{1,3}})?(?![\w.])/i
STRING: /"(?:[^"\\\n]|\\.)*"/
REASON: /#[^\n]*/
%ignore /\s+/
"""

_OPERATORS = {"<>": "!=", "≠": "!=", "==": "=", "≤": "<=", "≥": ">="}


def read_rule(text: str) -> EditRule:
    """The rule that a text says; SchemaError, with the place, where it says none."""
    if len(text) > MAX_TEXT:
        raise SchemaError(f"The text of a rule has at most {MAX_TEXT:,} characters; {len(text):,} came.")
    try:
        return _parser().parse(text)  # type: ignore[return-value]
    except UnexpectedInput as failure:
        raise SchemaError(_unreadable(text, failure)) from failure
    except VisitError as failure:
        raise _refusal(text, failure.orig_exc) from failure
    except (LarkError, ValueError) as failure:
        raise _refusal(text, failure) from failure


def _refusal(text: str, failure: Exception) -> SchemaError:
    if isinstance(failure, SchemaError):
        return failure
    if isinstance(failure, ValidationError):
        why = failure.errors(include_url=False, include_input=False)[0]["msg"].removeprefix("Value error, ")
        return SchemaError(f"The rule “{_short(text)}” is refused: {why}.")
    return SchemaError(f"The rule “{_short(text)}” cannot be read; a rule reads like {EXAMPLE}.")


def _unreadable(text: str, failure: UnexpectedInput) -> str:
    place = failure.pos_in_stream
    at_end = place is None or place < 0 or place >= len(text) or getattr(failure, "token", None) == Token("$END", "")
    where = "at its end" if at_end or place is None else f"at “{_short(text[place:], 20)}” (character {place + 1:,})"
    return (
        f"The rule “{_short(text)}” cannot be read {where}. A rule reads like {EXAMPLE}: levels stand in double "
        "quotes, a column whose name is no single word between back quotes (`), and one implies stands in another "
        "only in brackets."
    )


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


@v_args(inline=True)
class _Tree(Transformer[Token, EditRule]):
    """Makes the tree while the text is read, so that no recursion goes over it."""

    def start(self, holds: Expression, reason: Token | None = None) -> EditRule:
        return EditRule(holds=holds, reason=None if reason is None else reason[1:].strip() or None)

    def implication(self, when: Expression, then: Expression) -> Implication:
        return Implication(op="implies", when=when, then=then)

    def disjunction(self, *rules: Expression) -> Junction:
        return Junction(op="or", rules=rules)

    def conjunction(self, *rules: Expression) -> Junction:
        return Junction(op="and", rules=rules)

    def negation(self, rule: Expression) -> Negation:
        return Negation(op="not", rule=rule)

    def comparison(self, column: str, operator: Token, value: Value) -> Comparison:
        return Comparison(op=_OPERATORS.get(operator, str(operator)), column=column, value=value)  # type: ignore[arg-type]

    def membership(self, column: str, *values: Value) -> Membership:
        return Membership(op="in", column=column, values=values)

    def outside(self, column: str, *values: Value) -> Negation:
        return Negation(op="not", rule=self.membership(column, *values))

    def column(self, name: Token) -> str:
        return read_name(str(name))

    def number(self, text: Token) -> float:
        return float(text)

    def level(self, text: Token) -> str:
        try:
            return str(json.loads(text))
        except ValueError:
            raise SchemaError(f"The level {text} is no text in quotes; a backslash in it is written twice.") from None

    def misplaced(self, name: Token) -> str:
        raise SchemaError(
            f"{name} stands where a number or a level is needed. A level stands in double quotes; a column is compared "
            "with constants, not with another column."
        )


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", transformer=_Tree(), maybe_placeholders=False)
