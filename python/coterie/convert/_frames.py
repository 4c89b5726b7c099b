"""Tables of typed columns: DataFrames, Parquet, Arrow, and sheets of Excel."""
from __future__ import annotations

import dataclasses
import datetime
from typing import Any, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from ._csv import heading, names_columns
from ._reading import Reading
from ._table import CHUNK, Chunk, Table, chunks_of
from ._text import needs, wrong


def cell_of(value: Any) -> Any:
    """Converts a value of a database, sheet or DataFrame to a cell of a table: dates in UTC to
    texts, true and false to 1 and 0, whole numbers to their digits."""
    if value is None or isinstance(value, (str, float)):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, datetime.datetime):
        if value != value:  # pandas' NaT
            return None
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return value.isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if type(value).__name__ in ("Decimal", "UUID"):
        return str(value)
    return value  # Table refuses it, since Table knows the column


# ---- DataFrames ----


def cells_of(column: Any) -> Any:
    """Returns a column of a DataFrame as an array of floats or a list of cells."""
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind == "f":
        return column.to_numpy(np.float64)
    if pd.api.types.is_datetime64_any_dtype(kind) and getattr(kind, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return [cell_of(v) for v in column.astype(object)]


def _category(column: Any, name: str) -> str:
    """Returns the option `category` for a column of pandas' type category, with all values of the
    type if it can name them."""
    values = [str(v) for v in column.cat.categories]
    return name if any("|" in v or not v for v in values) else f"{name}={'|'.join(values)}"


def _typed(df: Any, how: Reading) -> Reading:
    """Returns the options, with added categories and dates from the types of the columns."""
    import pandas as pd

    said = [how.id, how.label, *how.ignore, *how.date, *(c.split("=", 1)[0] for c in how.category)]
    names = [n for n in df.columns if n not in said and (not how.only or n in how.only)]
    categories = [_category(df[n], n) for n in names
                  if isinstance(df[n].dtype, pd.CategoricalDtype)]
    dates = [n for n in names if pd.api.types.is_datetime64_any_dtype(df[n].dtype)]
    return dataclasses.replace(how, category=how.category + categories, date=how.date + dates)


def plain_frame(df: Any, what: str) -> Any:
    """Returns the frame with a single text as the name of each column."""
    import pandas as pd

    names = [str(c) for c in df.columns]
    if isinstance(df.columns, pd.MultiIndex):
        raise wrong(f"{what}: its columns have several levels; give each one name")
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise wrong(f"{what}: two columns are called {twice[0]!r}")
    df = df.copy(deep=False)
    df.columns = names
    return df


def frame_table(df: Any, how: Reading, where: str, first: int, between: str) -> Table:
    """first: number of the first row in messages. between: the text between `where` and the row."""
    df = plain_frame(df, where)
    how = _typed(df, how)

    def chunks() -> Iterator[Chunk]:
        for at in range(0, len(df), CHUNK):
            some = df.iloc[at:at + CHUNK]
            yield (range(at + first, at + first + len(some)),
                   [cells_of(some.iloc[:, j]) for j in range(df.shape[1])])

    table = Table(how, where, list(df.columns), df.shape[1],
                  lambda at: f"{where}{between} row {at}", "row")
    table.said["why"] = "as columns have names"
    table.take_all(chunks())
    return table


def read_frame(path: str) -> Any:
    """A DataFrame of a .parquet, .feather or .arrow file."""
    try:
        import pandas as pd
    except ImportError:
        raise needs("pandas", "python3-pandas", path) from None
    read = pd.read_parquet if path.lower().endswith(".parquet") else pd.read_feather
    try:
        return read(path)
    except ImportError:
        raise needs("pyarrow", "", path) from None
    except Exception as e:  # any error of pyarrow or fastparquet
        said = (str(e).splitlines() or [type(e).__name__])[0][:200]
        raise wrong(f"{path}: it cannot be read ({said}): the file is damaged, or of another "
                    "kind") from None


# ---- Excel ----


def _sheet(path: str, part: Optional[str]) -> Any:
    try:
        import openpyxl
    except ImportError:
        raise needs("openpyxl", "python3-openpyxl", path) from None
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except Exception as e:  # errors of zipfile, XML or openpyxl
        said = (str(e).splitlines() or [type(e).__name__])[0][:200]
        raise wrong(f"{path}: it cannot be read ({said}): expected a workbook, .xlsx, that is "
                    "whole") from None
    names = book.sheetnames
    if part is None and len(names) != 1:
        raise wrong(f"{path}: {len(names)} sheets: {', '.join(names)[:400]}: say which is meant "
                    "(--part)")
    name = part if part is not None else names[0]
    if name not in names:
        raise wrong(f'{path}: no sheet "{name[:100]}" in it, expected one of '
                    f"{', '.join(names)[:400]}")
    return book, book[name]


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)


def _width(row: Sequence[Any]) -> int:
    return max((i + 1 for i, v in enumerate(row) if v is not None), default=0)


def read_excel(path: str, part: Optional[str], how: Reading) -> Table:
    """Reads a sheet as a table. The cell of a formula has its saved value."""
    book, sheet = _sheet(path, part)
    try:
        rows = [(at, [cell_of(v) for v in row]) for at, row in
                enumerate(sheet.iter_rows(values_only=True), 1)]
    except Exception as e:
        said = (str(e).splitlines() or [type(e).__name__])[0][:200]
        raise wrong(f"{path}: it cannot be read ({said}): the file is damaged") from None
    finally:
        book.close()
    while rows and not _width(rows[-1][1]):
        rows.pop()
    if not rows or not _width(rows[0][1]):
        raise wrong(f"{path}: row 1 is blank, expected a heading or numbers")
    width = _width(rows[0][1])
    fields = [_text(c) for c in rows[0][1][:width]]
    taken, why = heading(f"{path}: row 1", how, names_columns(how), fields, ",".join(fields))
    table = Table(how, path, fields if taken else None, width, lambda at: f"{path}: row {at}",
                  "row")
    table.said.update(heading=taken, why=why)
    table.take_all(chunks_of(_below(path, rows[1 if taken else 0:], width), width))
    return table


def _below(path: str, rows: List[Tuple[int, List[Any]]],
           width: int) -> Iterator[Tuple[int, List[Any]]]:
    for at, row in rows:
        n = _width(row)
        if not n:
            raise wrong(f"{path}: row {at} is blank; take it out")
        if n > width:
            raise wrong(f"{path}: row {at} has {n} cells, expected {width} as in the first row")
        yield at, row[:width] + [None] * (width - len(row))
