"""A column of a table: its role, and the contents of its cells."""
from __future__ import annotations

import re
from typing import Any, Dict, List, Optional

import numpy as np

from ._amounts import Form

_GROUPED = re.compile(r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$", re.MULTILINE)


class Column:
    def __init__(self, name: str, unnamed: bool):
        self.name, self.unnamed = name, unnamed
        self.role, self.missing, self.missing_said = "number", "error", False
        self.unit: Optional[str] = None
        self.gaps = 0
        self.parts: List[Any] = []  # arrays of numbers, or of codes; code -1: missing value
        self.codes: Dict[str, int] = {}  # code of each value of a category or label
        self.seen: Dict[str, int] = {}  # values that occurred in cells
        self.codes_given = False
        self.min = self.max = self.fill = 0.0
        self.fault = ""
        self.shortened = 0  # number of cells such as 1.23E+15
        self.said = False  # true if an option has set its role
        self.form: Optional[Form] = None  # format of its dates
        self.is_amount = False
        self.sign = ""  # currency sign or unit of its amounts
        self.bare = False  # true if an amount has no sign
        self.grouped: Optional[bool] = None  # all points are before three digits; None: no point
        self.points = self.wholes = 0
        self.sorted: List[str] = []

    def look_at_points(self, joined: str) -> None:
        """Counts points, and sets `grouped`: whether all may be separators of thousands. joined:
        the cells, one per line."""
        if self.grouped is False:
            return
        pointed = joined.count(".")
        if pointed:
            groups = len(_GROUPED.findall(joined))
            self.grouped = groups == pointed
            self.points += pointed
        self.wholes += joined.count("\n") + 1 - pointed

    def array(self) -> Any:
        return np.concatenate(self.parts)

    @property
    def has_indicator(self) -> bool:
        """Whether a further column marks missing values. If an option names this column, all
        parties get the further column."""
        if self.role == "category":
            return bool(self.gaps) or (self.missing_said and self.missing != "error")
        return self.missing == "indicator" and (bool(self.gaps) or self.missing_said)

    def made(self) -> List[Dict[str, str]]:
        """Returns the column's entries of columns.json."""
        made = []
        if self.role in ("number", "date"):
            unit = self.unit or ("days" if self.role == "date" else None)
            made.append({"name": self.name, "type": self.role, **({"unit": unit} if unit else {})})
        if self.role == "category":
            made += [{"name": f"{self.name}={v}", "type": "category", "from": self.name}
                     for v in self.sorted]
        if self.has_indicator:
            made.append({"name": f"{self.name} is missing", "type": "category", "from": self.name})
        return made
