"""Reads HDF5 files: AnnData's .h5ad, and MATLAB's .mat of version 7.3."""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from ._matrices import SPARSE_PER_BYTE, checked, compressed, flat, labels_of
from ._text import COLS_MAX, FILE_MAX, ROWS_MAX, Array, memory_max, needs, wrong


def library(path: str) -> Any:
    try:
        import h5py
    except ImportError:
        raise needs("h5py", "python3-h5py", path) from None
    return h5py


def member(f: Any, path: str, name: str, expected: str = "AnnData with X, obs and var") -> Any:
    if name not in f:
        raise wrong(f"{path}: no {name} in it, expected {expected}")
    return f[name]


def values(d: Any, path: str, name: str) -> Any:
    """Returns the array of a data set. First compares its stated size with its bytes in the
    file."""
    if not hasattr(d, "shape") or d.shape is None or len(d.shape) not in (1, 2):
        raise wrong(f"{path}: {name} is no array of one or two dimensions")
    rows, cols = d.shape[0], d.shape[1] if len(d.shape) == 2 else 1
    if rows > ROWS_MAX or cols > COLS_MAX or rows * cols > memory_max() // 8:
        raise wrong(f"{path}: {name} has {rows} x {cols} values: more than this host has room for")
    stored = d.id.get_storage_size()
    if stored > FILE_MAX or rows * cols > stored * SPARSE_PER_BYTE:
        raise wrong(f"{path}: {name} is of {rows} x {cols} values, but {stored} bytes of it are in "
                    "the file")
    return d[()]


def vector(f: Any, path: str, name: str) -> Array:
    return flat(f"{path}: {name}", values(member(f, path, name), path, name))


# ---- AnnData ----


class Cells(NamedTuple):
    """The contents of a .h5ad file."""

    X: Any
    ids: List[str]
    columns: List[str]
    labels: Optional[Array]


def _texts(f: Any, path: str, name: str, h5py: Any) -> List[str]:
    d = member(f, path, name)
    a = values(d, path, name)
    if h5py.check_string_dtype(d.dtype) is None or a.ndim != 1:
        raise wrong(f"{path}: {name} are no texts, as AnnData writes them")
    return [t.decode("utf-8", "surrogateescape") if isinstance(t, bytes) else str(t) for t in a]


def _index(f: Any, path: str, table: str, h5py: Any) -> List[str]:
    """Returns the names of the rows of obs or var. The attribute _index names their column."""
    column = member(f, path, table).attrs.get("_index", "_index")
    column = column.decode() if isinstance(column, bytes) else str(column)
    return _texts(f, path, f"{table}/{column}", h5py)


def _codes(f: Any, path: str, column: str, rows: int) -> Array:
    """Returns labels: the codes of a categorical column, or whole numbers."""
    name = f"obs/{column}"
    d = member(f, path, name)
    if hasattr(d, "keys"):
        name += "/codes"
        d = member(f, path, name)
    a = labels_of(f"{path}: {name}", np.asarray(values(d, path, name)), rows)
    if name.endswith("/codes") and (a < 0).any():
        raise wrong(f"{path}: {name}: label {int(np.argmax(a < 0)) + 1} is missing, expected a "
                    "category for each row")
    return a


def read_h5ad(path: str, label: Optional[str]) -> Cells:
    h5py = library(path)
    try:
        f = h5py.File(path, "r")
    except OSError:
        raise wrong(f"{path}: cannot be opened as HDF5, expected AnnData as write_h5ad() wrote it, "
                    "whole") from None
    with f:
        ids, columns = _index(f, path, "obs", h5py), _index(f, path, "var", h5py)
        d = member(f, path, "X", "AnnData")
        encoding = d.attrs.get("encoding-type", "array")
        encoding = encoding.decode() if isinstance(encoding, bytes) else str(encoding)
        if encoding == "array":
            X: Any = checked(f"{path}: X", np.asarray(values(d, path, "X")))
        elif encoding in ("csr_matrix", "csc_matrix"):
            X = compressed(path, (len(ids), len(columns)), encoding == "csc_matrix",
                           vector(f, path, "X/indptr"), vector(f, path, "X/indices"),
                           vector(f, path, "X/data"))
        else:
            raise wrong(f'{path}: X is of encoding "{encoding[:60]}", expected an array, '
                        "csr_matrix or csc_matrix")
        if X.shape != (len(ids), len(columns)):
            raise wrong(f"{path}: X is {X.shape[0]} x {X.shape[1]}, expected {len(ids)} x "
                        f"{len(columns)} by obs and var")
        return Cells(X, ids, columns, _codes(f, path, label, len(ids)) if label else None)


# ---- MATLAB 7.3 ----

_NUMBERS = {b"double", b"single", b"logical", *(f"{u}int{n}".encode() for u in ("", "u")
                                                for n in (8, 16, 32, 64))}


def is_mat73(path: str) -> bool:
    with open(path, "rb") as f:
        head = f.read(1 << 10)
    return b"MATLAB 7.3" in head[:128] or head[512:520] == b"\x89HDF\r\n\x1a\n"


def _is_matrix(d: Any) -> bool:
    if d.attrs.get("MATLAB_class") not in _NUMBERS:
        return False
    if "MATLAB_sparse" in d.attrs:
        return hasattr(d, "keys") and {"data", "ir", "jc"} >= set(d.keys())
    return hasattr(d, "shape") and len(d.shape) == 2 and d.dtype.names is None


def names73(path: str) -> List[str]:
    """Returns the matrices of real numbers."""
    with library(path).File(path, "r") as f:
        return [name for name in f if not name.startswith("#") and _is_matrix(f[name])]


def read73(path: str, name: str) -> Tuple[bool, Any]:
    """Returns whether there is such a matrix, and the matrix. HDF5 stores MATLAB's rows as
    columns."""
    with library(path).File(path, "r") as f:
        if name not in f:
            return False, None
        d = f[name]
        if not _is_matrix(d):
            raise wrong(f"{path}: {name} is no matrix of real numbers")
        if "MATLAB_sparse" not in d.attrs:
            return True, np.asarray(values(d, path, name)).T
        start = vector(d, path, "jc")
        empty = np.empty(0)
        index = vector(d, path, "ir") if "ir" in d else empty
        value = vector(d, path, "data") if "data" in d else empty
        shape = int(d.attrs["MATLAB_sparse"]), len(start) - 1
        return True, compressed(path, shape, True, start, index, value)
