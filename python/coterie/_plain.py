"""Replacements for scikit-learn's classes that estimators use, if it is not installed."""
from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List

import numpy as np

from ._errors import InputError
from ._optional import is_frame, is_sparse, need


class BaseEstimator:
    """Parameters under the names of the constructor's arguments, as scikit-learn has them."""

    @classmethod
    def _get_param_names(cls) -> List[str]:
        return sorted(n for n in inspect.signature(cls.__init__).parameters if n != "self")

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> Any:
        for name, value in params.items():
            if name not in self._get_param_names():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        standard = {
            n: p.default for n, p in inspect.signature(type(self).__init__).parameters.items()
        }
        said = [f"{n}={v!r}" for n, v in self.get_params().items() if v is not standard[n]]
        return f"{type(self).__name__}({', '.join(said)})"


class ClusterMixin:
    """Empty, since the estimators define fit_predict."""


class TransformerMixin:
    """Empty, since the estimators define fit_transform."""


def check_random_state(seed: Any) -> Any:
    if seed is None or seed is np.random:
        return np.random.mtrand._rand
    return seed if isinstance(seed, np.random.RandomState) else np.random.RandomState(seed)


def check_is_fitted(estimator: Any, attribute: str) -> None:
    if not hasattr(estimator, attribute):
        raise InputError(
            f"{type(estimator).__name__} has not been fitted: call fit first", status=4
        )


class available_if:  # noqa: N801 (scikit-learn's name)
    """A method that exists only if check(self) is true."""

    def __init__(self, check: Callable[[Any], Any]):
        self.check = check

    def __call__(self, method: Callable[..., Any]) -> "available_if":
        self.method = method
        self.__doc__ = method.__doc__
        return self

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is not None and not self.check(instance):
            raise AttributeError(f"this {owner.__name__} has no {self.method.__name__}")
        return self.method.__get__(instance, owner)


def validate_data(
    estimator: Any,
    X: Any,
    *,
    dtype: Any = np.float64,
    reset: bool = True,
    ensure_min_samples: int = 1,
    ensure_min_features: int = 1,
    **_: Any,
) -> Any:
    """Returns finite numbers in two dimensions, with at least so many rows and columns."""
    names = [str(c) for c in X.columns] if is_frame(X) else None
    if is_sparse(X):
        checked = need("scipy.sparse", "a sparse matrix").csr_matrix(X, dtype=dtype)
        values = checked.data
    else:
        try:
            checked = np.asarray(X, dtype=dtype)
        except (TypeError, ValueError) as e:
            raise InputError(
                f"fit: not all values are numbers ({e}): prepare() reads tables with words",
                status=4,
            ) from None
        values = checked
    if checked.ndim != 2:
        raise InputError(
            f"fit: an array of {checked.ndim} dimensions, expected 2: a row for each thing",
            status=4,
        )
    if not np.isfinite(values).all():
        raise InputError(
            "fit: a value is missing (NaN) or infinite: prepare() takes a rule for missing ones",
            status=4,
        )
    rows, columns = checked.shape
    if rows < ensure_min_samples or columns < ensure_min_features:
        raise InputError(
            (
                f"fit: {rows} rows and {columns} columns, expected at least"
                f" {ensure_min_samples} and {ensure_min_features}"
            ),
            status=4,
        )
    if reset:
        estimator.n_features_in_ = columns
        if names is not None:
            estimator.feature_names_in_ = np.array(names, dtype=object)
    elif columns != estimator.n_features_in_:
        raise InputError(
            f"predict: {columns} columns, and fit had {estimator.n_features_in_}", status=4
        )
    return checked
