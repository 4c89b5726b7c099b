"""Packages that some of this one needs, and most of it does without."""
from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from ._errors import CoterieError

#: Which extra brings a module.
EXTRA = {"numpy": "numpy", "pandas": "pandas", "scipy": "sklearn", "sklearn": "sklearn"}
#: Debian's names, where they are others.
DEBIAN = {"sklearn": "python3-sklearn"}


class PackageMissing(CoterieError, ImportError):
    """The call needs a Python package that is not installed."""


def need(module: str, what: str) -> Any:
    """The module; PackageMissing, which says what needs it and how it is installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as e:
        top = module.split(".")[0]
        if e.name is not None and e.name.split(".")[0] != top:
            raise
        raise PackageMissing(
            (
                f"{what} needs {top}, which is not installed: pip install 'coterie[{EXTRA[top]}]',"
                f" or Debian's {DEBIAN.get(top, 'python3-' + top)} in an environment made with"
                " --system-site-packages"
            ),
            status=4,
        ) from None


def _loaded(module: str) -> Any:
    """The module, if anybody has imported it: a value of its types is none otherwise."""
    return sys.modules.get(module)


def is_frame(value: Any) -> bool:
    """Whether the value is a pandas DataFrame."""
    pandas = _loaded("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame)


def is_sparse(value: Any) -> bool:
    """Whether the value is a SciPy sparse matrix."""
    sparse = _loaded("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(value))
