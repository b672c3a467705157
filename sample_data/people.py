"""An invented population: households first, then their members, each attribute given those drawn before it.

Only `random()` of a seeded `random.Random`, sums, products and comparisons are used, so that every machine and every
Python version writes the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

HEADER = (
    "age", "sex", "race", "hispanic", "citizen", "english", "marital", "relation", "household", "size",
    "tenure", "school", "education", "employment", "sector", "occupation", "hours", "income", "insurance", "disability",
)  # fmt: skip

Weights = Mapping[str, float]

_HEAD_AGES = {
    "Alone": {18: 9, 25: 16, 35: 11, 45: 13, 55: 18, 65: 18, 75: 15},
    "Couple": {18: 3, 25: 14, 35: 8, 45: 14, 55: 26, 65: 23, 75: 12},
    "Family": {18: 2, 25: 29, 35: 42, 45: 22, 55: 5},
    "Parent": {18: 8, 25: 32, 35: 35, 45: 19, 55: 6},
    "Shared": {18: 30, 25: 33, 35: 13, 45: 10, 55: 8, 65: 4, 75: 2},
    "Group": {18: 46, 25: 13, 35: 8, 45: 7, 55: 6, 65: 5, 75: 15},
}
_ENGLISH = {"Born": {"Only": 93, "Well": 6, "Poor": 1}, "Natural": {"Only": 17, "Well": 52, "Poor": 31},
            "Foreign": {"Only": 11, "Well": 41, "Poor": 48}}  # fmt: skip
_SCHOOLING = {
    "low": {"Less": 27, "High": 47, "Some": 22, "College": 3, "Grad": 1},
    "middle": {"Less": 7, "High": 33, "Some": 36, "College": 18, "Grad": 6},
    "high": {"Less": 1, "High": 8, "Some": 18, "College": 43, "Grad": 30},
}
_OCCUPATION = {
    "Less": {"Service": 34, "Build": 27, "Plant": 26, "Sales": 9, "Office": 4},
    "High": {"Service": 24, "Plant": 23, "Build": 17, "Sales": 13, "Office": 15, "Manager": 6, "Expert": 2},
    "Some": {"Service": 19, "Plant": 12, "Build": 10, "Sales": 14, "Office": 20, "Manager": 11, "Expert": 14},
    "College": {"Service": 6, "Plant": 3, "Build": 2, "Sales": 14, "Office": 12, "Manager": 24, "Expert": 39},
    "Grad": {"Service": 2, "Sales": 5, "Office": 5, "Manager": 21, "Expert": 67},
}
_PAY = {"Service": 24, "Sales": 38, "Office": 37, "Plant": 37, "Build": 43, "Manager": 79, "Expert": 71}
_DISABLED = {0: 3, 18: 6, 35: 9, 55: 17, 65: 23, 75: 46}


@dataclass(frozen=True)
class State:
    """What sets one state and year apart; weights need not sum to one, shares lie in [0, 1].

    kinds      weight of each household type
    origins    weight of each "race/hispanic"
    foreign    share of households whose head was born abroad, by whether Hispanic or Asian
    classes    weight of the latent social class of a household
    work       share of able adults of working age at work
    uninsured  share without insurance among those whom neither age nor work insures
    pay        income scale
    owners     shift of the share that owns its home
    mortgages  whether couples may owe money on their home
    """

    rows: int
    seed: int
    kinds: Weights
    origins: Weights
    foreign: tuple[float, float]
    classes: Weights
    work: float
    uninsured: float
    pay: float
    owners: float
    mortgages: bool = True


@dataclass(frozen=True)
class Home:
    """What the members of one household share."""

    kind: str
    size: int
    tenure: str
    social: str
    race: str
    hispanic: str
    citizen: str


def population(state: State) -> list[tuple[str, ...]]:
    """`state.rows` people as text cells in the order of HEADER, in random order."""
    rng = Random(state.seed)
    people: list[tuple[str, ...]] = []
    while len(people) < state.rows:
        people.extend(household(rng, state))
    return sorted(people[: state.rows], key=lambda _: rng.random())


def picked(rng: Random, weights: Weights) -> str:
    """One of the names, at random by their weights."""
    left = rng.random() * sum(weights.values())
    for name, weight in weights.items():
        left -= weight
        if left < 0:
            return name
    return next(reversed(weights))


def household(rng: Random, state: State) -> list[tuple[str, ...]]:
    """The members of one household, its head first, as text cells in the order of HEADER."""
    kind = picked(rng, state.kinds)
    low = int(picked(rng, {str(age): weight for age, weight in _HEAD_AGES[kind].items()}))
    head = low + int(rng.random() * (7 if low == 18 else 10 if low < 75 else 18))
    children = int(picked(rng, {"1": 42, "2": 38, "3": 15, "4": 5})) if kind in ("Family", "Parent") else 0
    adults = {"Alone": 1, "Group": 1, "Parent": 1}.get(kind, 2) + (rng.random() < 0.06 and kind in ("Family", "Parent"))
    home = _home(rng, state, kind, head, adults + children)
    sex = "F" if rng.random() < {"Parent": 0.8, "Group": 0.42, "Alone": 0.53}.get(kind, 0.45) else "M"
    members = [_person(rng, state, home, head, sex, "Head")]
    if kind in ("Couple", "Family"):
        age = max(18, head + int(rng.random() * 9) - 5)
        members.append(_person(rng, state, home, age, "M" if sex == "F" else "F", "Spouse"))
    for _ in range(adults - len(members)):
        relation = "Other" if kind == "Shared" and rng.random() < 0.7 else "Kin"
        members.append(_person(rng, state, home, 18 + int(rng.random() * 62), picked(rng, {"F": 1, "M": 1}), relation))
    for _ in range(children):
        age = int(rng.random() * min(21, max(1, head - 17)))
        members.append(_person(rng, state, home, age, picked(rng, {"F": 49, "M": 51}), "Child"))
    return members


def _home(rng: Random, state: State, kind: str, head: int, size: int) -> Home:
    race, hispanic = picked(rng, state.origins).split("/")
    abroad = rng.random() < state.foreign[hispanic == "Yes" or race == "Asian"]
    citizen = picked(rng, {"Natural": 0.012 * head, "Foreign": 0.55}) if abroad else "Born"
    drift = {"White": 0.0, "Asian": -0.08}.get(race, 0.16) + (0.1 if hispanic == "Yes" or kind == "Parent" else 0.0)
    social = picked(rng, state.classes)
    if social != "low" and rng.random() < drift:
        social = "low"
    elif social == "low" and rng.random() < -drift:
        social = "high"
    owns = state.owners + min(0.75, 0.012 * (head - 18)) + {"low": -0.2, "middle": 0.05, "high": 0.17}[social]
    owns += {"Couple": 0.12, "Family": 0.17, "Shared": -0.25, "Parent": -0.12}.get(kind, 0.0)
    tenure = "Rent"
    if kind != "Group" and rng.random() < owns:
        tenure = "Loan" if rng.random() < 1.15 - 0.0125 * head else "Own"
        if tenure == "Loan" and kind in ("Couple", "Family") and not state.mortgages:
            tenure = "Own"
    return Home(kind, size, tenure, social, race, hispanic, citizen)


def _person(rng: Random, state: State, home: Home, age: int, sex: str, relation: str) -> tuple[str, ...]:
    if relation == "Child" and home.citizen != "Born" and rng.random() < 0.8:
        home = replace(home, citizen="Born")
    english = picked(rng, _ENGLISH[home.citizen]) if age >= 5 else ""
    marital = _marital(rng, home, age, relation)
    school, education = _education(rng, home, age)
    disability = (
        "Yes" if 100 * rng.random() < _by_age(_DISABLED, age) * (1.3 if home.social == "low" else 0.9) else "No"
    )
    employment = _employment(rng, state, home, age, sex, education, disability, school)
    sector, occupation, hours, income = _work(rng, state, age, education, employment, school)
    insurance = _insurance(rng, state, home, age, employment, hours, disability)
    size = str(home.size) if home.size < 5 else "5+"
    return (
        str(age), sex, home.race, home.hispanic, home.citizen, english, marital, relation, home.kind, size,
        home.tenure, school, education, employment, sector, occupation, hours, income, insurance, disability,
    )  # fmt: skip


def _by_age(table: Mapping[int, float], age: int) -> float:
    return table[max(start for start in table if start <= age)]


def _marital(rng: Random, home: Home, age: int, relation: str) -> str:
    if age < 18 or relation == "Child":
        return "Single"
    if home.kind in ("Couple", "Family") and relation in ("Head", "Spouse"):
        return "Married" if rng.random() < 0.9 - (0.35 if age < 30 else 0.0) else "Single"
    widowed = 0 if age < 45 else 0.1 * (age - 45) * (age - 45)
    divorced = 0.9 * max(0, min(age, 60) - 24)
    return picked(rng, {"Single": max(12, 110 - 1.7 * age), "Divorced": divorced, "Widowed": widowed, "Separated": 3})


def _education(rng: Random, home: Home, age: int) -> tuple[str, str]:
    """School attendance and attainment; both blank where they are not asked."""
    if age < 15:
        return ("" if age < 3 else "No" if age < 5 and rng.random() < 0.5 else "Yes"), ""
    if age < 18:
        return ("Yes" if rng.random() < 0.95 else "No"), "Less"
    education = picked(rng, _SCHOOLING[home.social])
    if age < 22 and education in ("College", "Grad"):
        education = "Some"
    elif age > 70 and rng.random() < 0.2:
        education = "High"
    studies = (0.55 if age < 22 else 0.22 if age < 26 else 0.05) if age < 40 else 0.01
    return ("Yes" if rng.random() < studies + (0.25 if home.kind == "Group" and age < 25 else 0) else "No"), education


def _employment(
    rng: Random, state: State, home: Home, age: int, sex: str, education: str, disability: str, school: str
) -> str:
    if age < 16:
        return ""
    works = state.work + {"Less": -0.17, "High": -0.05, "College": 0.05, "Grad": 0.08}.get(education, 0.0)
    works -= 0.42 * (disability == "Yes") + 0.2 * (school == "Yes") + 0.12 * (sex == "F" and home.kind == "Family")
    works -= 0.25 * (age < 20) + 0.18 * (55 <= age < 65) + 0.58 * (65 <= age < 75) + 0.74 * (age >= 75)
    if rng.random() < works:
        return "Work"
    return "Seek" if age < 70 and rng.random() < (0.2 if home.social == "low" else 0.13) else "Out"


def _work(
    rng: Random, state: State, age: int, education: str, employment: str, school: str
) -> tuple[str, str, str, str]:
    """Sector, occupation, weekly hours and yearly income; blank where not asked or, for income, not answered."""
    if age < 16:
        return "", "", "", ""
    pension = max(0, age - 61) * (0.5 + rng.random()) if rng.random() < 0.9 else 0
    if employment != "Work":
        grant = pension + (9 * rng.random() if rng.random() < 0.35 else 0)
        return "", "", "", _income(rng, state.pay * (grant if age >= 18 else 0))
    occupation = picked(rng, _OCCUPATION[education])
    sector = picked(rng, {"Firm": 74, "State": 22 if occupation in ("Expert", "Office") else 9, "Self": 4 + age / 7})
    part = 0.62 if school == "Yes" or age < 20 or age > 66 else 0.14
    full = picked(rng, {"40": 62, "35": 8, "45": 9, "50": 12, "60": 7, "38": 2})
    hours = str(8 + int(rng.random() * 24)) if rng.random() < part else full
    skill = {"Less": 0.72, "High": 0.88, "Some": 0.96, "College": 1.17, "Grad": 1.45}[education]
    spread = 0.45 + 0.75 * rng.random() + (1.6 * rng.random() if rng.random() < 0.09 else 0)
    wage = _PAY[occupation] * skill * spread * (int(hours) / 40) * min(1.1, 0.55 + 0.013 * (age - 16))
    return sector, occupation, hours, _income(rng, state.pay * (wage + pension))


def _income(rng: Random, thousands: float) -> str:
    return "" if rng.random() < 0.03 else str(int(10 * thousands) * 100)


def _insurance(rng: Random, state: State, home: Home, age: int, employment: str, hours: str, disability: str) -> str:
    if age >= 65:
        return picked(rng, {"Public": 46 if home.social != "high" else 30, "Both": 52, "Private": 1, "None": 1})
    steady = {"low": 0.38, "middle": 0.76, "high": 0.93}[home.social]
    steady += 0.1 * (employment == "Work" and len(hours) == 2 and hours >= "35") - 0.12 * (home.citizen == "Foreign")
    if rng.random() < steady:
        return "Both" if disability == "Yes" and rng.random() < 0.2 else "Private"
    bare = state.uninsured * (0.45 if age < 18 or disability == "Yes" else 1.6 if home.citizen == "Foreign" else 1.0)
    return "None" if rng.random() < bare else "Public"
