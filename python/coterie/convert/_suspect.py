"""Warnings of what is read as it stands, and is often a mistake."""
from __future__ import annotations

import re
from typing import Any, Dict, List, Sequence

import numpy as np

from ._text import shown, warn

_SENTINELS = tuple(s * float("9" * n) for n in (2, 3, 4, 5, 6) for s in (1, -1))
_TOTAL = re.compile(r"(?:grand |sub)?totals?|sum|summe|gesamt|insgesamt|average|mean|all",
                    re.IGNORECASE)
_FEWEST = 8  # rows of which something can be said


def same_but_case(names: Sequence[str]) -> List[str]:
    """Pairs of names that differ by case, blanks, '_' and '-' alone, as sentences have them."""
    by: Dict[str, List[str]] = {}
    for name in names:
        by.setdefault(re.sub(r"[\s_\u200b\u00a0-]+", "", name.casefold()), []).append(name)
    return [f"{shown(some[0])} and {shown(some[1])}" for some in by.values() if len(some) > 1]


def look_at_names(where: str, what: str, names: Sequence[str]) -> None:
    for pair in same_but_case(names)[:3]:
        warn(f"{where}: {what} {pair} differ by case or blanks alone: are they one?")


def look_at_values(where: str, name: str, x: Any) -> None:
    """x: numbers, NaN where there is none. Warns of a value such as -999 far from all others."""
    x = x[~np.isnan(x)]
    for value in _SENTINELS:
        is_it = x == value
        others = x[~is_it]
        if not is_it.any() or len(others) < _FEWEST or len(np.unique(others)) < 3:
            continue
        low, high = float(others.min()), float(others.max())
        if not low - (high - low) <= value <= high + (high - low):
            warn(f'{where}: column "{name}": {int(is_it.sum())} values are {value:.0f}, all others '
                 f"from {low:.6g} to {high:.6g}: if it stands for no value say so (na)")


def look_at_category(where: str, name: str, values: Sequence[str], rows: int) -> None:
    if rows >= _FEWEST and len(values) == rows:
        warn(f'{where}: column "{name}" has another value in each of its {rows} rows: an id (id), '
             "or a text to be ignored (ignore)?")
    look_at_names(where, f'values of column "{name}",', values)


def look_at_last(where: str, first: str, columns: Dict[str, Any], rows: int) -> None:
    """Warns of a last row of totals, by its id or by sums. columns: numbers of each column."""
    sums = []
    for name, x in columns.items():
        above = x[:-1]
        if rows > 3 and not np.isnan(x).any() and np.count_nonzero(above) > 2:
            if abs(above.sum() - x[-1]) <= 1e-9 * np.abs(above).sum():
                sums.append(name)
    if sums and 2 * len(sums) >= len(columns):
        warn(f'{where}: the last row has the sum of all others in column "{sums[0]}": take a row '
             "of totals out of the file")
    elif _TOTAL.fullmatch(first.strip()):
        warn(f"{where}: the last row is called {shown(first)}: take a row of totals out of the "
             "file")
