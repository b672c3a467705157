"""Encodings and delimiters: as confirmed, suggested where they are not, and never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.files.text.read_options import DELIMITERS, ENCODINGS, ReadOptions

CANARY = "canary7153"
WORDS = {
    "cp1250": "Žižka", "cp1251": "лес", "cp932": "表", "gb18030": "汉字", "iso8859-15": "cœur", "latin-1": "café",
    "mac-roman": "café", "cp850": "café", "cp1252": "“café”",
}  # fmt: skip


def refusal(content: bytes, options: ReadOptions | None = None) -> FileRefused:
    with pytest.raises(FileRefused) as caught:
        read_table(content, options=options)
    assert CANARY not in str(caught.value)
    assert caught.value.__context__ is None
    return caught.value


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_every_offered_pair_reads_what_it_writes(encoding: str, delimiter: str) -> None:
    word = WORDS.get(encoding, "żółw 😀")
    text = f'naïve{delimiter}b\r\n"{word}{delimiter}"{delimiter}x\r\n'
    if encoding in ("cp1250", "cp1251", "cp932"):
        text = text.replace("ï", "i")
    table = read_table(text.encode(encoding), options=ReadOptions(encoding, delimiter))
    assert table.frame.iloc[0].tolist() == [word + delimiter, "x"]
    assert table.options == ReadOptions(encoding, delimiter)


@given(st.builds(ReadOptions, st.sampled_from(list(ENCODINGS)), st.sampled_from(list(DELIMITERS))))
def test_options_are_read_back_as_they_are_spelt(options: ReadOptions) -> None:
    assert ReadOptions.parse(options.spelt) == options


def test_options_may_be_spelt_in_part_and_others_are_refused() -> None:
    assert ReadOptions.parse("semicolon") == ReadOptions("utf-8", ";")
    assert ReadOptions.parse("CP1252") == ReadOptions("cp1252", ",")
    for text in ("", "ebcdic", "comma,semicolon", "cp1252,utf-8", "cp1252,comma,x", ";"):
        with pytest.raises(FileRefused):
            ReadOptions.parse(text)
    for encoding, delimiter in (("utf-7", ","), ("utf-8", "."), ("utf-8", "")):
        with pytest.raises(FileRefused):
            ReadOptions(encoding, delimiter)


@pytest.mark.parametrize(
    ("content", "options", "suggestion"),
    [
        (b"a;b\n1;2\n", None, ReadOptions("utf-8", ";")),
        (b'"a";"b"\n"1";"2"\n', None, ReadOptions("utf-8", ";")),
        (b"a;b;c\n1,5;x;2\n", None, ReadOptions("utf-8", ";")),
        (b"a\tb\n1\t2\n", None, ReadOptions("utf-8", "\t")),
        (b"a|b\n1|2\n", None, ReadOptions("utf-8", "|")),
        (b"a,b\n1,2\n", ReadOptions("utf-8", ";"), ReadOptions()),
        ("a;b\né;2\n".encode("cp1252"), None, ReadOptions("cp1252", ";")),
        ("a;b\né;2\n".encode("cp1252"), ReadOptions("cp1252"), ReadOptions("cp1252", ";")),
        ("é,b\n1,2\n".encode("utf-16"), None, ReadOptions("utf-16")),
        ("a\tb\né\t2\n".encode("utf-16"), None, ReadOptions("utf-16", "\t")),
        ("a\tb\né\t2\n".encode("utf-16-le"), None, ReadOptions("utf-16-le", "\t")),
        ("a,b\n1,2\n".encode("utf-16-be"), None, ReadOptions("utf-16-be")),
        (b"\xef\xbb\xbfa,b\n1,2\n", ReadOptions("cp1252"), ReadOptions()),
        ("é,b\n1,2\n".encode(), ReadOptions("cp1252"), ReadOptions()),
        ("€,b\n1,2\n".encode("cp1252"), ReadOptions("latin-1"), ReadOptions("cp1252")),
        ("a,b\n1,é\n".encode(), ReadOptions("utf-16"), ReadOptions()),
    ],
)
def test_what_would_read_is_suggested_and_then_reads(
    content: bytes, options: ReadOptions | None, suggestion: ReadOptions
) -> None:
    caught = refusal(content, options)
    assert caught.suggestion == suggestion
    assert suggestion.words in str(caught)
    assert len(read_table(content, options=suggestion)) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"", b"a,a\n1,2\n", b"a,b\n1,2,3\n", b"a,b\n1;2\n", b"My table; 2024\na,b\n1,2\n", b"\x7fELF\x02\x01\x01\x00",
        "a,b\n1,2\n".encode("utf-32"), "é,b\n".encode() + "1,é\n".encode("latin-1"), b"PK\x03\x04", b"<html>a;b",
        b"a,b\n\x81\xff,2\n", b"a\tb\n1,2\n",
    ],
)  # fmt: skip
def test_nothing_is_suggested_where_nothing_would_read(content: bytes) -> None:
    assert refusal(content).suggestion is None


@pytest.mark.parametrize(
    ("encoding", "content", "line"),
    [
        ("cp1252", b"a,b\n1,2\n\x81,3\n", 3),
        ("cp1252", "a,b\né,2\n".encode("cp1252") + f"3,{CANARY}é\n".encode(), 3),
        ("latin-1", "a,b\né,2\n".encode("latin-1") + "3,é\n".encode(), 3),
        ("latin-1", b"a,b\n1,\x93\n", 2),
        ("iso8859-15", b"a,b\r\n1,\x80\r\n", 2),
        ("cp1250", b"a,b\r1,2\r3,\x81\r", 3),
        ("cp932", "a,b\n表,2\n".encode("cp932") + b"\x81\x00,1\n", 3),
        ("gb18030", "a,b\n汉,2\n3,".encode("gb18030") + b"\xff\n", 3),
        ("utf-16", "a,b\n1,2\n3".encode("utf-16") + b"\x00\xd8,\x00", 3),
        ("utf-16-le", "a,b\n1,2\n3,4".encode("utf-16-le") + b"x", 3),
        ("utf-16", b"a,b\n1,2\n", None),
        ("utf-16-be", "a,b\nx\x00,2\n".encode("utf-16-be"), 2),
    ],
)
def test_a_byte_that_is_not_of_the_confirmed_encoding_is_refused_by_its_line(
    encoding: str, content: bytes, line: int | None
) -> None:
    assert refusal(content, ReadOptions(encoding)).line == line


@pytest.mark.parametrize("text", ["SÃO,Å”\n", "CAFÉ» Ð,x\n", "voilà\u00a0»,À–\n"])
def test_western_words_that_look_like_utf8_to_the_careless_are_read(text: str) -> None:
    assert len(read_table(("a,b\n" + text).encode("cp1252"), options=ReadOptions("cp1252"))) == 1


def test_a_confirmed_delimiter_is_taken_at_its_word() -> None:
    content = b"income; yearly,b;c\n1,2\n"
    assert "semicolon" in str(refusal(content))
    assert read_table(content, options=ReadOptions()).header == ("income; yearly", "b;c")
    assert read_table(b"a, b;c, d\n1,5;2,5\n", options=ReadOptions(delimiter=";")).header == ("a, b", "c, d")


def test_quotes_are_checked_against_the_confirmed_delimiter() -> None:
    semicolon = ReadOptions(delimiter=";")
    assert read_table(b'a;b\n"1;0";"x"\n', options=semicolon).frame.iloc[0].tolist() == ["1;0", "x"]
    assert refusal(b'a;b\n"1",2;3\n', semicolon).line == 2
