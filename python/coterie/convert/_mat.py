"""A matrix of MATLAB's .mat."""
from __future__ import annotations

import os
import struct
from typing import Any, Dict, Optional, Tuple

from ._hdf5 import is_mat73, names73, read73
from ._matrices import Sparse, checked, compressed, flat, labels_of
from ._text import needs, wrong

_CLASSES = {"double", "single", "sparse", "logical", *(f"{u}int{n}" for u in ("", "u")
                                                      for n in (8, 16, 32, 64))}


def _scipy(path: str) -> Any:
    try:
        import scipy.io
    except ImportError:
        raise needs("scipy", "python3-scipy", path) from None
    return scipy.io


def _check_whole(path: str) -> None:
    """Checks that variables of a level 5 file lie within the file, since scipy does not."""
    size = os.path.getsize(path)
    with open(path, "rb") as f:
        order = {b"\0\1IM": "<", b"\1\0MI": ">"}.get(f.read(128)[124:])
        at = 128
        while order and at < size:
            f.seek(at)
            tag = f.read(8)
            end = at + 8 + struct.unpack(order + "II", tag)[1] if len(tag) == 8 else size + 1
            if end > size:
                raise wrong(f"{path}: the variable at byte {at} goes on behind the end of the "
                            f"file, at byte {size}: it was cut short")
            at = end


def _shapes(path: str) -> Dict[str, Tuple[int, ...]]:
    """Returns the matrices of real numbers, with the sizes that the file states."""
    if is_mat73(path):
        return {name: () for name in names73(path)}
    whosmat = _scipy(path).whosmat
    _check_whole(path)
    try:
        found = whosmat(path)
    except Exception:  # any error of scipy
        raise wrong(f"{path}: no file of MATLAB that can be read, expected one that save wrote") \
            from None
    return {name: shape for name, shape, kind in found if kind in _CLASSES and len(shape) == 2}


def _read(path: str, name: str, shape: Optional[Tuple[int, ...]]) -> Any:
    """Returns an array or Sparse. Checks sizes, since scipy would choose a size for a negative
    one."""
    if is_mat73(path):
        there, a = read73(path, name)
    else:
        a = _scipy(path).loadmat(path, variable_names=[name]).get(name)
        there = a is not None
    if not there:
        raise wrong(f'{path}: no variable "{name[:100]}" in it that can be read')
    if isinstance(a, Sparse):
        return a
    if shape and a.shape != shape:
        raise wrong(f"{path}: {name} has another size than it says, {' x '.join(map(str, shape))}: "
                    "the file is damaged")
    if hasattr(a, "tocsc"):  # SciPy 1.15 returns another sparse format than earlier versions
        a = a.tocsc()
    if hasattr(a, "indptr"):
        where = f"{path}: {name}"
        if a.dtype.kind == "c":
            raise wrong(f"{where} is no matrix of real numbers")
        return compressed(where, a.shape, True, a.indptr, a.indices, flat(where, a.data))
    if a.ndim != 2 or a.dtype.kind not in "fiub":
        raise wrong(f"{path}: {name} is no matrix of real numbers")
    return checked(path, a, name)


def read_mat(path: str, part: Optional[str], label: Optional[str]) -> Tuple[Any, Any]:
    """Returns features, dense or sparse, and labels or None."""
    shapes = _shapes(path)
    if part is None:
        names = [n for n in shapes if n != label]
        if len(names) != 1:
            said = f": {', '.join(names)[:400]}" if names else ""
            raise wrong(f"{path}: {len(names)} matrices{said}: say which is meant (--part)")
        part = names[0]
    X = _read(path, part, shapes.get(part))
    if label is None:
        return X, None
    y = _read(path, label, shapes.get(label))
    if isinstance(y, Sparse):
        raise wrong(f"{path}: the labels {label} are a sparse matrix, expected a dense one")
    return X, labels_of(path, y, X.shape[0])
