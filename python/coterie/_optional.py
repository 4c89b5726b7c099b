"""Optional packages, which only some functions of this package need."""
from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from ._errors import CoterieError

#: The extra that installs a module.
EXTRA = {"numpy": "numpy", "pandas": "pandas", "scipy": "sklearn", "sklearn": "sklearn"}
#: Debian's package of a module, if it is not python3-MODULE.
DEBIAN = {"sklearn": "python3-sklearn"}


class PackageMissing(CoterieError, ImportError):
    """The call needs a Python package that is not installed."""


def need(module: str, what: str) -> Any:
    """Imports the module. Raises PackageMissing, which names the function that needs it and how
    to install it."""
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
    """Returns the module if it is already imported. Otherwise no value can have one of its
    types."""
    return sys.modules.get(module)


def is_frame(value: Any) -> bool:
    """Returns whether the value is a pandas DataFrame."""
    pandas = _loaded("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame)


def is_sparse(value: Any) -> bool:
    """Returns whether the value is a SciPy sparse matrix."""
    sparse = _loaded("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(value))
