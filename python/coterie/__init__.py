"""Federated clustering with Coterie, from pandas and scikit-learn.

    data = coterie.prepare(df, id="customer", category=["region"])
    model = coterie.KMeans(3, split="columns", parties=2).fit(data)     # a simulation, by `coterie
    run` model.labels_, model.leaks_, model.run_.profile, model.report_

    coterie.KMeans(3, party="party.json").fit()                         # takes part in a real job
    coterie.KMeans(3, coordinator="anna.json").fit()                    # submits one
    coterie.Client("anna.json").submit({"kind": "kmeans", ...})         # the same without numpy and
    programs

It runs the programs and reads their files; nothing is computed in Python but the nearest centre.
docs/python.md has more.
"""
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import convert
    from ._client import Client
    from ._data import Data, prepare
    from ._errors import CoterieError, CoterieWarning, InputError, ProgramMissing
    from ._estimators import (AttributedGraphClustering, GraphClustering, KMeans, NodeEmbedding,
                              SpectralClustering)
    from ._optional import PackageMissing
    from ._program import find
    from ._run import Picture, Report, Run

__version__ = "0.2.0"
__all__ = [
    "AttributedGraphClustering", "Client", "CoterieError", "CoterieWarning", "Data",
    "GraphClustering", "InputError", "KMeans",
    "NodeEmbedding", "PackageMissing", "Picture", "ProgramMissing", "Report", "Run",
    "SpectralClustering", "convert", "find", "prepare",
]

_MODULES = {
    "_client": ("Client",),
    "_data": ("Data", "prepare"),
    "_errors": ("CoterieError", "CoterieWarning", "InputError", "ProgramMissing"),
    "_estimators": ("AttributedGraphClustering", "GraphClustering", "KMeans", "NodeEmbedding",
                    "SpectralClustering"),
    "_optional": ("PackageMissing",),
    "_program": ("find",),
    "_run": ("Picture", "Report", "Run"),
}


def __getattr__(name: str) -> Any:
    """Imports a module when one of its names is first used, since most need only numpy, and some
    need nothing."""
    if name == "convert":
        return import_module(".convert", __name__)
    for module, names in _MODULES.items():
        if name in names:
            if module in ("_data", "_estimators"):
                import_module("._optional", __name__).need("numpy", f"coterie.{name}")
            value = getattr(import_module("." + module, __name__), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
