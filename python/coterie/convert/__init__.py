"""Converts files of other programs to data directories.

    python3 -m coterie.convert customers.xlsx --out bank --id customer --category region
    coterie.convert.convert("cells.h5ad", "cells", label="kind")

Tables (.csv, .tsv, .xlsx, .parquet, SQLite, PostgreSQL), graphs (.graphml, .gml, edges) and
matrices (.npy, .npz, .mtx, .mat, .h5ad). docs/data.md has the options and the rules: nothing is
guessed. numpy is needed; each kind of file that another library reads says which, where it is
missing.
"""
from __future__ import annotations

import os
from typing import Any, Dict, Optional, Sequence, Tuple, Union

try:
    import numpy  # noqa: F401
except ImportError:
    raise ImportError("coterie.convert needs numpy: apt install python3-numpy, or pip install "
                      "numpy") from None

from .._errors import InputError
from ._advice import helped, size_of
from ._made import Made, read, record, write
from ._reading import of
from ._text import wrong

Columns = Union[str, Sequence[str]]
PathLike = Union[str, "os.PathLike[str]"]

__all__ = ["convert"]


def options(settings: Optional[Dict[str, Any]], **said: Any) -> Dict[str, Any]:
    """Returns the options that are given, and settings for `--set`."""
    given = {key: value for key, value in said.items() if value is not None}
    for key, value in (settings or {}).items():
        given[key] = value
    return given


def convert(
    file: Optional[PathLike],
    out: PathLike,
    *,
    edges: Optional[PathLike] = None,
    part: Optional[str] = None,
    edges_part: Optional[str] = None,
    id: Optional[str] = None,
    label: Optional[str] = None,
    category: Optional[Columns] = None,
    date: Optional[Columns] = None,
    ignore: Optional[Columns] = None,
    only: Optional[Columns] = None,
    missing: Optional[Columns] = None,
    header: Optional[str] = None,
    separator: Optional[str] = None,
    settings: Optional[Dict[str, Any]] = None,
) -> Dict[str, Any]:
    """Makes the data directory `out` of a file, or of edges alone, and returns its import.json.

    file may be the address of a database, postgresql://USER@HOST/DATABASE. settings: the keys of
    `--set`. InputError has the file, the place in it, the value and the remedy.
    """
    if file is None and edges is None:
        raise wrong("a file, edges, or both are needed")
    said = options(settings, id=id, label=label, category=category, date=date, ignore=ignore,
                   only=only, missing=missing, header=header, separator=separator)
    name = None if file is None else os.fspath(file)
    try:
        return _convert(file, edges, part, edges_part, of(said), out)[1]
    except InputError as e:
        raise helped(e, said, size_of(name),
                     lambda how: read(name, None, part, None, how)) from None


def _convert(file: Optional[PathLike], edges: Optional[PathLike], part: Optional[str],
             edges_part: Optional[str], how: Any, out: PathLike) -> Tuple[Made, Dict[str, Any]]:
    from .. import __version__

    names = [None if p is None else os.fspath(p) for p in (file, edges)]
    made = read(names[0], names[1], part, edges_part, how)
    root = record(made, names[0], names[1], part, how, __version__)
    write(made, os.fspath(out), root)
    return made, root
