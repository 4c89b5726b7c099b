"""Reads matrices: numpy's .npy and .npz, and Matrix Market. Also has the checks of all sparse
matrices."""
from __future__ import annotations

import io
import re
import zipfile
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple, cast

import numpy as np

from .._errors import InputError
from ._text import (COLS_MAX, EDGES_MAX, EXACT, LABELS_MAX, ROWS_MAX, Array, check_room,
                    is_rounded, memory_max, number_of, shown, wrong)

#: Limit per byte of a file, for rows + columns of a sparse matrix, and for rows * columns of an
#: HDF5 data set. Rows may be empty, and HDF5 compresses, so a byte can stand for many.
SPARSE_PER_BYTE = 1024


class Sparse(NamedTuple):
    """Entries in the order of rows, then columns."""

    rows: int
    cols: int
    row: Array
    col: Array
    value: Array

    @property
    def shape(self) -> Tuple[int, int]:
        return self.rows, self.cols


# ---- checks ----


def checked(where: str, a: Array, name: str = "") -> Array:
    """Converts an array of numbers of one or two dimensions to float64, row by row. name: the
    array's name, if messages count its entries from 1."""
    if a.ndim not in (1, 2):
        raise wrong(f"{where}: the shape has {a.ndim} dimensions, expected one or two")
    if not (np.issubdtype(a.dtype, np.integer) or np.issubdtype(a.dtype, np.floating)
            or a.dtype == np.bool_):
        raise wrong(f"{where}: the elements are {a.dtype}, expected real numbers")
    a = a.reshape(-1, 1) if a.ndim == 1 else a
    if not a.size or a.shape[0] > ROWS_MAX or a.shape[1] > COLS_MAX:
        raise wrong(f"{where}: the shape is {a.shape[0]} x {a.shape[1]}, expected 1 to {ROWS_MAX} "
                    "rows and columns")
    check_room(where, "the matrix", 8.0 * a.size)
    x = np.ascontiguousarray(a, np.float64)
    whole = a.dtype.kind in "iu"
    bad = ~np.isfinite(x)
    if whole and a.dtype.itemsize == 8:
        bad = (a > EXACT) | (a < -EXACT)
    if bad.any():
        i, j = (int(k) for k in np.argwhere(bad)[0])
        place = f"{name}({i + 1}, {j + 1})" if name else f"row {i}, column {j} (from 0)"
        expected = "a whole number of at most 2^53" if whole else "a finite number"
        raise wrong(f"{where}: {place} is {a[i, j]}, expected {expected}")
    return x


def flat(where: str, a: Array) -> Array:
    """Returns numbers of one dimension; the array may be empty."""
    if a.size == 0:
        return np.empty(0)
    x = checked(where, a)
    if 1 not in x.shape:
        raise wrong(f"{where}: {x.shape[0]} x {x.shape[1]} values, expected one dimension")
    return x.ravel()


def labels_of(where: str, a: Array, rows: int) -> Array:
    """Returns one label for each row: whole numbers above -2^20 and below 2^20."""
    shape = a.shape if a.ndim == 2 else (a.size, 1)
    if a.ndim not in (1, 2) or 1 not in shape or a.size != rows:
        raise wrong(f"{where}: {shape[0]} x {shape[-1]} labels, expected {rows}, one for each row")
    x = checked(where, a).ravel()
    bad = (np.abs(x) >= LABELS_MAX) | (x != np.floor(x))
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        raise wrong(f"{where}: label {i + 1} is {x[i]:g}, expected a whole number of at most "
                    f"{LABELS_MAX - 1}")
    return x.astype(np.int64)


def entries(where: str, rows: int, cols: int, row: Any, col: Any, value: Any) -> Sparse:
    """Sorts the entries. Refuses invalid sizes and repeated entries."""
    if not (1 <= rows <= ROWS_MAX and 1 <= cols <= COLS_MAX):
        raise wrong(f"{where}: {rows} x {cols}, expected 1 to {ROWS_MAX} rows and columns")
    row, col = row.astype(np.int64), col.astype(np.int64)
    order = np.lexsort((col, row))
    row, col, value = row[order], col[order], value[order]
    twice = np.flatnonzero((row[1:] == row[:-1]) & (col[1:] == col[:-1]))
    if len(twice):
        i = int(twice[0])
        raise wrong(f"{where}: entry ({row[i]}, {col[i]}), from 0, is there twice; in scipy, "
                    "sum_duplicates() adds them up")
    return Sparse(rows, cols, row, col, value)


def _whole(x: Array, most: int) -> Array:
    return (x >= 0) & (x <= most) & (x == np.floor(x))


def compressed(where: str, shape: Tuple[int, int], by_columns: bool, start: Array,
               index: Array, value: Array) -> Sparse:
    """Converts compressed rows or columns of a file."""
    lines, width = (shape[1], shape[0]) if by_columns else shape
    count = len(value)
    if not (1 <= lines <= ROWS_MAX and 1 <= width <= COLS_MAX):
        raise wrong(f"{where}: {lines} lines of {width}, expected 1 to {ROWS_MAX}")
    if len(start) != lines + 1 or len(index) != count:
        raise wrong(f"{where}: {len(start)} starts, {len(index)} indices and {count} values, "
                    f"expected {lines + 1} starts and as many indices as values")
    if start[0] != 0 or start[-1] != count:
        raise wrong(f"{where}: starts go from {start[0]:g} to {start[-1]:g}, expected 0 to {count} "
                    "as there are so many values")
    bad = ~_whole(start[:-1], count) | ~_whole(start[1:], count) | (start[:-1] > start[1:])
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        raise wrong(f"{where}: starts {i} and {i + 1} are {start[i]:g} and {start[i + 1]:g}, "
                    f"expected whole numbers that rise to {count}")
    bad = ~_whole(index, width - 1)
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        raise wrong(f"{where}: index {i} is {index[i]:g}, expected a whole number from 0 to "
                    f"{width - 1}")
    line = np.repeat(np.arange(lines), np.diff(start).astype(np.int64))
    row, col = (index, line) if by_columns else (line, index)
    return entries(where, shape[0], shape[1], row, col, value)


# ---- .npy ----

_TYPES = re.compile(r"[<|](?:f[48]|[iu][1248]|b1)")


def npy(data: bytes, where: str, raw: bool = False) -> Array:
    """Reads a file of numpy.save(). raw: returns numbers or texts of any type, unchecked."""
    def fault(what: str) -> InputError:
        return wrong(f"{where}: {what}")

    if data[:6] != b"\x93NUMPY":
        raise fault("it does not begin like a .npy file, expected what numpy.save() wrote")
    stream, form = io.BytesIO(data), cast(Any, np.lib.format)
    try:
        version = form.read_magic(stream)
        read = form.read_array_header_1_0 if version == (1, 0) else form.read_array_header_2_0
        shape, fortran, dtype = read(stream)
    except (ValueError, SyntaxError, TypeError, EOFError) as e:
        raise fault(f"its header cannot be read: {str(e).splitlines()[0][:200]}") from None
    if dtype.hasobject or not (raw or _TYPES.fullmatch(dtype.str)):
        raise fault(f"the element type {dtype.str} is none of f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1, "
                    "little-endian; save it with astype('<f8')")
    count = 1
    for n in shape:
        count *= int(n)
    left = len(data) - stream.tell()
    if count * dtype.itemsize != left:
        raise fault(f"the header promises {' x '.join(map(str, shape))} elements of "
                    f"{dtype.itemsize} bytes, but {left} bytes follow it")
    a = np.frombuffer(data, dtype, count, stream.tell())
    a = a.reshape(shape, order="F" if fortran else "C")
    return a if raw else checked(where, a)


# ---- .npz ----


class _Npz:
    """The arrays of an archive."""

    def __init__(self, path: str):
        self.path = path
        try:
            self.zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, OSError, EOFError) as e:
            what = "Not a zip archive" if not zipfile.is_zipfile(path) else str(e)
            raise wrong(f"{path}: {what}, expected what numpy.savez() or scipy.sparse.save_npz() "
                        "wrote") from None
        self.names = [n[:-4] for n in self.zip.namelist() if n.endswith(".npy")]

    def bytes_of(self, name: str) -> Tuple[bytes, str]:
        where, info = f"{self.path}: {name}.npy", self.zip.getinfo(name + ".npy")
        if info.file_size > memory_max():
            raise wrong(f"{where} is of {info.file_size} bytes, at most {memory_max()} are read "
                        "here")
        try:
            with self.zip.open(info) as f:
                data = f.read(info.file_size + 1)
        except Exception as e:  # errors of zlib, lzma or the archive
            raise wrong(f"{where} is damaged: {e}") from None
        if len(data) != info.file_size:
            raise wrong(f"{where} is damaged: {len(data)} of {info.file_size} bytes could be read")
        return data, where

    def array(self, name: str, raw: bool = False) -> Array:
        return npy(*self.bytes_of(name), raw=raw)

    def vector(self, name: str) -> Array:
        """Returns one of the arrays of a sparse matrix; it may be empty."""
        if name not in self.names:
            raise wrong(f"{self.path}: no {name}.npy in it, which a sparse matrix of scipy has")
        data, where = self.bytes_of(name)
        return flat(where, npy(data, where, raw=True))

    def chosen(self, part: Optional[str]) -> Array:
        names = ", ".join(self.names)[:400]
        if part is None and len(self.names) != 1:
            raise wrong(f"{self.path}: {len(self.names)} arrays: {names}: say which is meant "
                        "(--part)")
        name = part if part is not None else self.names[0]
        if name not in self.names:
            raise wrong(f'{self.path}: no array "{name[:100]}" in it, expected one of {names}')
        return self.array(name)


def _layout(z: _Npz) -> str:
    layout = z.array("format", raw=True)
    text = layout.item() if layout.size == 1 else ""
    return text.decode("ascii", "replace") if isinstance(text, bytes) else str(text)


def _prefix(z: _Npz, part: Optional[str]) -> Optional[str]:
    """Returns the common prefix of the names of the part's arrays, if it is a sparse matrix: "adj_"
    for adj_data, "adj." for adj.data."""
    if part is None or part in z.names:
        return None
    return next((f"{part}{mark}" for mark in "_." if f"{part}{mark}indptr" in z.names), None)


def _sparse(z: _Npz, prefix: str = "") -> Sparse:
    """Reads a file of scipy's save_npz(), or compressed rows under names with a prefix."""
    text = "csr" if prefix else _layout(z)
    if text not in ("csr", "csc", "coo"):
        raise wrong(f'{z.path}: a sparse matrix of format "{text[:8]}", expected csr, csc or coo: '
                    "in scipy, tocsr() makes one")
    shape = z.vector(prefix + "shape")
    if len(shape) != 2:
        raise wrong(f"{z.path}: shape.npy has {len(shape)} values, expected 2")
    rows, cols = shape
    if not (1 <= rows <= ROWS_MAX and 1 <= cols <= COLS_MAX):
        raise wrong(f"{z.path}: the shape is {rows:g} x {cols:g}, expected 1 to {ROWS_MAX}")
    size = int(rows), int(cols)
    value = z.vector(prefix + "data")
    if text != "coo":
        return compressed(z.path, size, text == "csc", z.vector(prefix + "indptr"),
                          z.vector(prefix + "indices"), value)
    row, col = z.vector("row"), z.vector("col")
    if not len(row) == len(col) == len(value):
        raise wrong(f"{z.path}: {len(row)} rows, {len(col)} columns and {len(value)} values, "
                    "expected as many of each")
    bad = ~_whole(row, size[0] - 1) | ~_whole(col, size[1] - 1)
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        raise wrong(f"{z.path}: entry {i} is at ({row[i]:g}, {col[i]:g}), expected a place in "
                    f"{size[0]} x {size[1]}")
    return entries(z.path, *size, row, col, value)


def read_npz(path: str, part: Optional[str], label: Optional[str]) -> Tuple[Any, Any]:
    """Features, dense or sparse, and labels or None."""
    z = _Npz(path)
    with z.zip:
        prefix = _prefix(z, part)
        if prefix or ("format" in z.names and part is None):
            X: Any = _sparse(z, prefix or "")
        else:
            X = z.chosen(part)
        if label is None:
            return X, None
        if label not in z.names:
            raise wrong(f'{path}: no array "{label[:100]}" in it, which is to have the labels')
        return X, labels_of(path, z.array(label), X.shape[0])


# ---- Matrix Market ----


class _Lines:
    """Iterates over the words of each line that is neither empty nor a comment."""

    def __init__(self, data: bytes, where: str):
        self.where, self.line = where, 0
        self._rows = iter(data.decode("utf-8", "surrogateescape").split("\n"))

    def __iter__(self) -> Iterator[List[str]]:
        for row in self._rows:
            self.line += 1
            words = row.replace("\t", " ").replace("\r", " ").split(" ")
            words = [w for w in words if w] if "" in words else words
            if words and not words[0].startswith("%"):
                yield words

    def fault(self, sentence: str) -> InputError:
        return wrong(f"{self.where}:{self.line}: {sentence}")

    def whole(self, word: str, least: int, most: int, what: str) -> int:
        if not (word.isascii() and word.isdigit() and len(word) <= 18
                and least <= int(word) <= most):
            raise self.fault(f"{what} is {shown(word)}, expected a whole number from {least} to "
                             f"{most}")
        return int(word)

    def number(self, word: str) -> float:
        x = number_of(word)
        if x is None:
            raise self.fault(f"{shown(word)} is a whole number beyond 2^53, which is not rounded"
                             if re.fullmatch("[+-]?[0-9]+", word) and is_rounded(word) else
                             f"{shown(word)} is not a finite number")
        return x

    def only(self, words: List[str], n: int, what: str) -> None:
        if len(words) < n:
            raise self.fault(f"the line ends where {what} is expected")
        if len(words) > n:
            raise self.fault(f"{shown(words[n])} is more than expected on this line")


def _banner(lines: _Lines, words: List[str]) -> Tuple[bool, bool, bool]:
    """array, pattern, symmetric"""
    if not words or words[0] != "%%MatrixMarket":
        raise lines.fault("it does not begin with %%MatrixMarket")
    kind, layout, field, symmetry = ([w.lower() for w in words[1:]] + [""] * 4)[:4]
    if kind != "matrix" or layout not in ("coordinate", "array"):
        raise lines.fault('expected "matrix coordinate" or "matrix array"')
    if field not in ("real", "integer", "pattern") or (field == "pattern" and layout == "array"):
        raise lines.fault(f'the field is "{field[:20]}", expected real, integer or (of '
                          "coordinates) pattern")
    if symmetry not in ("general", "symmetric"):
        raise lines.fault(f'the symmetry is "{symmetry[:20]}", expected general or symmetric')
    lines.only(words, 5, "the symmetry")
    return layout == "array", field == "pattern", symmetry == "symmetric"


def read_mtx(data: bytes, where: str) -> Any:
    """Returns an array or Sparse."""
    lines = _Lines(data, where)
    first = data.split(b"\n", 1)[0].decode("utf-8", "surrogateescape")
    lines.line = 1
    array, pattern, symmetric = _banner(lines, first.split())
    lines.line = 0
    rest = iter(lines)
    sizes = next(rest, None)
    if sizes is None:
        raise lines.fault("the file ends before its sizes")
    lines.only(sizes, 2 if array else 3, "a size")
    rows = lines.whole(sizes[0], 1, ROWS_MAX, "the number of rows")
    cols = lines.whole(sizes[1], 1, COLS_MAX, "the number of columns")
    if symmetric and rows != cols:
        raise lines.fault(f"a symmetric matrix of {rows} rows and {cols} columns")
    given = rows * (rows + 1) // 2 if symmetric else rows * cols
    count = given if array else lines.whole(sizes[2], 0, EDGES_MAX, "the number of entries")
    least = 2 if array else 4 if pattern else 6
    if count > (len(data) + 1) // least:
        raise lines.fault(f"the header promises {count} values, but the file has {len(data)} bytes")
    if rows + cols > SPARSE_PER_BYTE * len(data):
        raise lines.fault(f"the header promises {rows} rows and {cols} columns, but the file has "
                          f"{len(data)} bytes")
    body: Any = _values(lines, rest, count) if array else \
        _entries(lines, rest, count, rows, cols, pattern, symmetric)
    if next(rest, None) is not None:
        raise lines.fault(f"there is more than the {count} values of the header")
    if not array:
        return body
    if not symmetric:
        return body.reshape((rows, cols), order="F")
    X = np.zeros((rows, rows))
    j, i = np.triu_indices(rows)  # the lower triangle, column by column
    X[i, j] = X[j, i] = body
    return X


def _values(lines: _Lines, rest: Iterator[List[str]], count: int) -> Array:
    values = np.empty(count)
    for at in range(count):
        words = next(rest, None)
        if words is None:
            raise lines.fault(f"the file ends after {at} of {count} values")
        lines.only(words, 1, "a number")
        values[at] = lines.number(words[0])
    return values


def _check_twice(where: str, row: Array, col: Array, line: Array) -> None:
    order = np.lexsort((line, col, row))
    i, j, line = row[order], col[order], line[order]
    twice = np.flatnonzero((i[1:] == i[:-1]) & (j[1:] == j[:-1]))
    if len(twice):
        at = int(twice[0])
        raise wrong(f"{where}:{line[at + 1]}: entry ({i[at] + 1}, {j[at] + 1}) is given twice, "
                    f"first on line {line[at]}")


def _entries(lines: _Lines, rest: Iterator[List[str]], count: int, rows: int, cols: int,
             pattern: bool, symmetric: bool) -> Sparse:
    row, col = np.empty(count, np.int64), np.empty(count, np.int64)
    value, line = np.ones(count), np.empty(count, np.int64)
    for at in range(count):
        words = next(rest, None)
        if words is None:
            raise lines.fault(f"the file ends after {at} of {count} entries")
        lines.only(words, 2 if pattern else 3, "a number")
        i = lines.whole(words[0], 1, rows, "the row")
        j = lines.whole(words[1], 1, cols, "the column")
        if symmetric and j > i:
            raise lines.fault(f"entry ({i}, {j}) lies above the diagonal of a symmetric matrix")
        if not pattern:
            value[at] = lines.number(words[2])
        row[at], col[at], line[at] = i - 1, j - 1, lines.line
    _check_twice(lines.where, row, col, line)
    if symmetric:
        off = row != col
        row, col, value = (np.concatenate(pair) for pair in
                           ((row, col[off]), (col, row[off]), (value, value[off])))
    return entries(lines.where, rows, cols, row, col, value)
