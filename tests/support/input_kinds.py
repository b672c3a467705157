"""Small invented files, each of a kind that stewards bring, and what is right for it: asked of page and command line.

A reading is confirmed where the file is refused first. `columns` says of each column its levels or bins, or why it is
left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


def lines(*rows: str) -> bytes:
    return ("\n".join(rows) + "\n").encode()


def column(name: str, cells: Iterable[object], sex: str = "f") -> bytes:
    """A column beside one of two levels."""
    return lines(
        f"{name},sex", *(f"{cell},{'fm'[place % 2] if sex == 'f' else sex}" for place, cell in enumerate(cells))
    )


@dataclass(frozen=True)
class Kind:
    """One kind of file.

    files     name -> bytes
    refused   what is said before a reading is confirmed; "" where it is read at once
    button    the page's words for the reading that is proposed
    levels    encoded column -> its levels, or some of its bins
    left_out  column -> words of the reason
    said      words that review and page have
    nothing   whether no schema can be made
    """

    name: str
    files: Mapping[str, bytes]
    codebook: bytes = b""
    refused: str = ""
    button: str = ""
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    said: str = ""
    nothing: bool = False


BOTH = {"sex": ("f", "m")}
HOURS = [*range(20, 42), *[99] * 15]
SINCE = [*range(1985, 2007), *[9999] * 15]
KINDS = (
    Kind(
        "a column that names the table",
        {
            "w2008.csv": lines("wave,sex,works", "2008,f,yes", "2008,m,yes", "2008,f,no", "2008,m,no"),
            "w2012.csv": lines("wave,sex,works", "2012,m,yes", "2012,f,no", "2012,f,yes", "2012,m,no"),
        },
        levels=BOTH | {"works": ("no", "yes")},
        left_out={"wave": "it says which table a row is from"},
    ),
    Kind(
        "a column that names the row",
        {"people.csv": column("person", range(1000, 1024))},
        levels=BOTH,
        left_out={"person": "numbers that were handed out"},
    ),
    Kind(
        "one value in two spellings",
        {
            "a.csv": lines("sex,smoker", "1,TRUE", "2,FALSE"),
            "b.csv": lines("sex,smoker", "1.0,True", "2.0,False"),
        },
        levels={"sex": ("1", "2"), "smoker": ("FALSE", "TRUE")},
        said="'1.0' as '1'; '2.0' as '2'",
    ),
    Kind(
        "a spike above the range",
        {"hours.csv": column("hours", HOURS)},
        levels=BOTH | {"hours": ("99",)},
        said="99 stands in 15 of 37 numbers, far from all others",
    ),
    Kind(
        "9999 among years",
        {"since.csv": column("since", SINCE)},
        levels=BOTH | {"since": ("9999",)},
        said="9999 stands in 15 of 37 numbers, far from all others",
    ),
    Kind(
        "a code that is missing in one column and a level in another",
        {"asked.csv": lines("month,seek", "9,9", "8,1", "9,2")},
        codebook=lines(
            "name,kind,level,label",
            "month,categorical,8,August",
            "month,,9,September",
            "seek,categorical,1,yes",
            "seek,,2,no",
            "seek,missing,9,not applicable",
        ),
        levels={"month": ("8", "9"), "seek": ("1", "2", "not applicable")},
    ),
    Kind(
        "a code 99 and a cell 99.0",
        {"worked.csv": lines("hours", "99.0", "25.0", "40.5", "12.0")},
        codebook=lines(
            "name,kind,level,label",
            "hours,numeric,0,",
            "hours,,40,",
            "hours,,80,",
            "hours,missing,99,not applicable",
        ),
        levels={"hours": ("[0, 40)", "[40, 80]", "not applicable")},
    ),
    Kind(
        "codes of digits with leading noughts",
        {"posted.csv": column("postcode", [f"{number:05}" for number in range(2101, 2173, 3)])},
        levels=BOTH | {"postcode": ("02101", "02104")},
    ),
    Kind(
        "one stray token in a numeric column",
        {"paid.csv": column("income", [*range(1000, 3100, 30), "."])},
        levels=BOTH,
        left_out={"income": '1 of 71 cells is no number: "."'},
    ),
    Kind(
        "decimal commas",
        {"paid.csv": lines("income;sex", *(f"{1000 + 37 * place},50;{'fm'[place % 2]}" for place in range(70)))},
        refused="The delimiter seems to be a semicolon",
        button="Read as UTF-8 with a semicolon between cells",
        levels=BOTH | {"income": ()},
        said='read with "," before decimals',
    ),
    Kind(
        "nothing can be encoded",
        {"texts.csv": lines("author,words", *(f"u{place},w{place}" for place in range(70)))},
        left_out={"author": "70 different texts", "words": "70 different texts"},
        nothing=True,
    ),
    Kind(
        "a first column without a name",
        {
            "framed.csv": lines(
                '"","sex","works"', *(f'"{p}","{"fm"[p % 2]}","{"ny"[p % 3 == 0]}"' for p in range(1, 9))
            )
        },
        refused="R and pandas write the names or numbers of rows so",
        button="Read as UTF-8 with a comma between cells and row names in the first column",
        levels=BOTH | {"works": ("n", "y")},
        left_out={"row_names": "as R and pandas write the names of rows"},
    ),
    Kind(
        "no header line",
        {"bare.csv": lines("34,f,1200", "51,m,900", "29,f,1500")},
        refused="This line looks like a row of data",
        button="Read as UTF-8 with a comma between cells and no header",
        levels={"column_1": ("29", "34", "51"), "column_2": ("f", "m"), "column_3": ("900", "1200", "1500")},
    ),
    Kind(
        "sep=; before the header",
        {"excel.csv": lines("sep=;", "sex;works", "f;yes", "m;no")},
        refused="The delimiter seems to be a semicolon",
        button="Read as UTF-8 with a semicolon between cells",
        levels=BOTH | {"works": ("no", "yes")},
    ),
    Kind(
        "a country of the code NA",
        {"countries.csv": lines("country,sex", "NA,f", "NL,m", "NG,f", "NA,m")},
        levels=BOTH | {"country": ("NG", "NL", "(missing)")},
        said="as a country it is Namibia",
    ),
)
