"""Warns of data that can be read but are often mistakes, or refuses them."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Dict, List, Sequence

import numpy as np

from ._signs import is_name_of_ids, is_total
from ._text import Advice, shown, warn, wrong

if TYPE_CHECKING:
    from ._column import Column
    from ._table import Table

_SHORTENED = re.compile(r"[0-9](?:\.[0-9]+)?[eE]\+?[0-9]+")

_SENTINELS = tuple(s * float("9" * n) for n in (2, 3, 4, 5, 6) for s in (1, -1))
_FEWEST = 8  # minimum number of rows for a check


def same_but_case(names: Sequence[str]) -> List[str]:
    """Returns pairs of names that differ only by case, blanks, '_' and '-', for messages."""
    by: Dict[str, List[str]] = {}
    for name in names:
        by.setdefault(re.sub(r"[\s_\u200b\u00a0-]+", "", name.casefold()), []).append(name)
    return [f"{shown(some[0])} and {shown(some[1])}" for some in by.values() if len(some) > 1]


def look_at_names(where: str, what: str, names: Sequence[str]) -> None:
    for pair in same_but_case(names)[:3]:
        warn(f"{where}: {what} {pair} differ by case or blanks alone: are they one?")


def look_at_values(where: str, name: str, x: Any) -> List[Advice]:
    """Warns of a value such as -999 that is far from all others, and of a column with one value.
    x: numbers, NaN if missing."""
    x, advice = x[~np.isnan(x)], []
    if len(x) >= _FEWEST and x.min() == x.max():
        warn(f'{where}: column "{name}" is {x[0]:.6g} in all its {len(x)} rows, and tells none '
             "apart: is it to be ignored (ignore)?")
    for value in _SENTINELS:
        is_it = x == value
        others = x[~is_it]
        if not is_it.any() or len(others) < _FEWEST or len(np.unique(others)) < 3:
            continue
        low, high = float(others.min()), float(others.max())
        if not low - (high - low) <= value <= high + (high - low):
            warn(f'{where}: column "{name}": {int(is_it.sum())} values are {value:.0f}, all others '
                 f"from {low:.6g} to {high:.6g}: if it stands for no value say so "
                 f"(na={value:.0f})")
            advice.append(("na", f"{value:.0f}"))
    return advice


def look_at_category(where: str, name: str, values: Sequence[str], rows: int) -> None:
    if rows >= _FEWEST and len(values) == rows:
        warn(f'{where}: column "{name}" has another value in each of its {rows} rows: an id (id), '
             "or a text to be ignored (ignore)?")
    look_at_names(where, f'values of column "{name}",', values)


def look_at_last(where: str, first: str, columns: Dict[str, Any], rows: int) -> bool:
    """Warns if the last row seems to have totals, by its id or by sums. columns: the numbers of
    each column."""
    sums = []
    for name, x in columns.items():
        above = x[:-1]
        if rows > 3 and not np.isnan(x).any() and np.count_nonzero(above) > 2:
            if abs(above.sum() - x[-1]) <= 1e-9 * np.abs(above).sum():
                sums.append(name)
    if sums and 2 * len(sums) >= len(columns):
        warn(f'{where}: the last row has the sum of all others in column "{sums[0]}": leave a row '
             "of totals out (omit)")
        return True
    if is_total(first):
        warn(f"{where}: the last row is called {shown(first)}: leave a row of totals out (omit)")
        return True
    return False


def look_at_all_ids(where: str, ids: List[str]) -> None:
    if all(i.endswith(".0") and len(i) > 2 for i in ids):
        warn(f'{where}: all ids end in ".0": a program wrote them so because values '
             "were missing; other parties' ids may differ")
    short = [i for i in ids if _SHORTENED.fullmatch(i)]
    if short:
        warn(f"{where}: {len(short)} of {len(ids)} ids are written as {shown(short[0])}: "
             "a spreadsheet shortens long numbers so, and other parties' ids may be whole")


def look_at_gaps(where: str, c: Column, rows: int) -> None:
    if c.gaps:
        then = "a column of its own says where" if c.role == "category" else \
            f"the {'median' if c.missing == 'median' else 'mean'} of the others is there" + \
            (", and a column says where" if c.missing == "indicator" else "")
        warn(f'{where}: column "{c.name}": {c.gaps} of {rows} values are missing; {then}')


def _look_at_name(t: Table, c: Column, x: Any) -> None:
    """Refuses a column that seems to have ids, if no option names the ids. Only warns if ids
    repeat."""
    if t.how.id or len(x) < 3 or not is_name_of_ids(c.name) or (x != np.round(x)).any():
        return
    said = f'{t.where}: column "{c.name}" is called as ids are, and has whole numbers'
    if len(np.unique(x)) == len(x):
        raise wrong(f"{said}, another in each row: say that it has the ids (id), or is to be "
                    "ignored (ignore), or is a number all the same (number)", ("id", c.name))
    warn(f"{said}: is it to be ignored (ignore)?")


def _look_at_points(t: Table, c: Column) -> None:
    """Refuses points that may separate thousands, or only warns of them if commas separate fields
    or there are no separators. Unless semicolons separate fields, only if some cells have no
    points."""
    separator = t.said.get("separator")
    if not c.grouped or c.points < 3 or t.how.decimal_said:
        return
    said = (f'{t.where}: column "{c.name}" has points before three digits alone: if they separate '
            "thousands say so (number) and that a comma is the decimal point (decimal=,)")
    if separator == ";" or (c.wholes and separator not in (",", None)):
        raise wrong(f"{said}; if not say that they are decimal points (decimal=.)",
                    ("decimal", ","), ("number", c.name))
    if c.wholes:
        warn(said)


def look_at_table(t: Table) -> List[Advice]:
    """Makes all checks, and returns options that their warnings advise."""
    advice: List[Advice] = []
    for c in t.columns:
        if c.role == "number" and not c.said:
            _look_at_name(t, c, c.array())
            _look_at_points(t, c)
    look_at_names(t.where, "columns", [c.name for c in t.columns])
    numbers = {c.name: c.array() for c in t.columns if c.role == "number"}
    for name, x in numbers.items():
        advice += look_at_values(t.where, name, x)
    for c in t.columns:
        if c.shortened:
            warn(f'{t.where}: column "{c.name}": {c.shortened} numbers are written as 1.23E+15: a '
                 "spreadsheet shortens long numbers so, and their last digits are lost")
        if c.role == "category":
            look_at_category(t.where, c.name, list(c.seen), t.rows - c.gaps)
    if look_at_last(t.where, t.ids[-1] if t.ids else "", numbers, t.rows) and t.unit == "line":
        advice.append(("omit", str(t.last)))
    return advice
