"""Estimators in the form of scikit-learn's, whose fit runs a federated job."""
from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._data import Data, prepare, write_edges, write_graphs, write_matrix
from ._errors import Found, InputError, warn_of
from ._federation import Party, again, forget_secrets, hub_of, simulate, slices
from ._folder import Folder
from ._optional import is_frame, is_sparse
from ._program import PathLike, as_path, call
from ._progress import How
from ._run import Report, Run
from ._types import Clusters, Edges, Graphs, Labels, Matrix, Rows, Seed, Settings

try:
    from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.validation import check_is_fitted
except ImportError:
    from ._plain import (BaseEstimator, ClusterMixin, TransformerMixin, available_if,
                         check_is_fitted,
                         check_random_state)

Array = Any  # a value that is not checked yet

#: scikit-learn's checks that request one cluster. A job's `clusters` must be at least 2: a single
#: cluster has no information, but the job would still disclose its parties and numbers of rows.
ONE_CLUSTER = {
    name: "asks for one cluster (n_clusters = 1), and a job has two or more"
    for name in ("check_dict_unchanged", "check_dont_overwrite_attributes",
                 "check_dont_overwrite_parameters",
                 "check_fit2d_predict1d", "check_methods_subset_invariance",
                 "check_fit2d_1feature")
}


def _validate(estimator: Any, X: Array, **kwargs: Any) -> Array:
    """Applies scikit-learn's own checks to X, if its version has them."""
    if hasattr(estimator, "_validate_data"):
        return estimator._validate_data(X, **kwargs)
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:
        from ._plain import validate_data

    return validate_data(estimator, X, **kwargs)


def _names_of(X: Array) -> Optional[List[str]]:
    return [str(c) for c in X.columns] if is_frame(X) else None


class _Job(BaseEstimator):  # type: ignore[misc]
    """Parameters and results that all estimators share.

    Parameters of all estimators:

    * parties: the number of parties of a simulation on this machine; cut: options of the split
      (``skew``, ``keep``, ``overlap``, ``regions``, ``shared_edges``, ``contiguous``); allow: names
      of variants that disclose more; policy: the policy of all parties
    * party: the configuration of a party; your organisation then takes part in a real job
    * coordinator: a file with ``server`` and ``identity`` (docs/howto/run-a-job-queue.md), or a
      coordinator's configuration or control socket; the job is then submitted there
    * job: further parameters, as in job.json; random_state: its seed
    * out: the directory of results; if not given, a temporary one, which is deleted with ``run_``
    * timeout: seconds after which `fit` raises a CoterieError of status 3; progress: "auto", True,
      False, or a function with arguments phase and seconds

    After fit: ``run_`` (a Run, or None), ``leaks_`` (the job's disclosures and their recipients),
    ``report_``, and ``job_number_`` of a submitted job.
    """

    # Set by the constructor of each estimator, as scikit-learn requires.
    parties: int
    party: Optional[PathLike]
    coordinator: Optional[PathLike]
    cut: Optional[Settings]
    allow: Sequence[str]
    policy: Optional[Settings]
    job: Optional[Settings]
    random_state: Seed
    out: Optional[PathLike]
    timeout: Optional[float]
    progress: How

    def _keep(self, given: Mapping[str, Any]) -> None:
        """Stores a constructor's arguments unchanged under their own names, as scikit-learn
        requires."""
        for name in self._get_param_names():
            setattr(self, name, given[name])

    _keeps_keys = False  # True: keeps keys after a simulation, for a later job of the same parties

    def _kind(self) -> str:
        raise NotImplementedError

    def _parameters(self) -> Dict[str, Any]:
        """Returns members of the job, in addition to those given in `job`."""
        return {}

    def _describe(self) -> Dict[str, Any]:
        job: Dict[str, Any] = {"kind": self._kind(),
                               **{k: v for k, v in self._parameters().items() if v is not None}}
        if self.random_state is not None:
            seed = self.random_state
            whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
            job["seed"] = int(seed if whole
                              else check_random_state(seed).randint(
                                  2**31 - 1))  # type: ignore[arg-type]
        job.update(self.job or {})
        return job

    _told: Sequence[Found] = ()  # warnings of the coordinator of a submitted job

    def _run_job(self, data: Optional[Path]) -> Optional[Run]:
        """Runs the job where the parameters specify. Returns None for a submitted job whose
        results are not on this host or not for this user. data: what was given to fit, None if
        nothing was."""
        if self.party is None and self.coordinator is None:
            if data is None:
                raise InputError(
                    "fit: a simulation (neither party nor coordinator is given) needs data",
                    status=4)
            return simulate(self._describe(), data, self.parties, cut=self.cut or {},
                            allow=self.allow,
                            policy=self.policy or {}, out=self.out, progress=self.progress,
                            timeout=self.timeout)
        if self.party is None:
            if data is not None:
                raise InputError("fit: data are the parties' own, and a coordinator has none: with "
                                 "coordinator= alone, fit() "
                                 "takes no data; with party= as well, this organisation takes part "
                                 "with them", status=4)
            return self._submit(None)
        member = Party(self.party, self._describe(), data, self.out, self.progress)
        try:
            return self._submit(member) if self.coordinator is not None else member.wait(
                self.timeout)
        finally:
            member.end()

    def _submit(self, member: Optional[Party]) -> Optional[Run]:
        assert self.coordinator is not None
        hub = hub_of(self.coordinator)
        if member is not None and member.process is not None:
            hub.awaits(member.name, member, self.timeout)
        self.job_number_ = hub.submit(self._describe())
        shown = self._await()
        if member is not None:
            return member.wait(self.timeout, shown.get("job_id"))
        return hub.results(shown, self.out)

    def _await(self) -> Dict[str, Any]:
        assert self.coordinator is not None
        shown = hub_of(self.coordinator).wait(self.job_number_, self.progress,
                                              f"job {self.job_number_}, {self._kind()}",
                                              self.timeout)
        self._told = [("coordinator", w) for w in shown.get("warnings") or []]
        return shown

    def submit(self) -> Any:
        """Submits the job (coordinator=) without waiting, and returns self with ``job_number_``.

        collect() fetches the results. In another process, first set ``job_number_`` of an estimator
        with the same parameters.
        """
        if self.coordinator is None or self.party is not None:
            raise InputError("submit: it is for coordinator= alone; fit() waits", status=4)
        self.job_number_ = hub_of(self.coordinator).submit(self._describe())
        return self

    def collect(self) -> Any:
        """Waits for the job that submit() submitted, and takes its results as fit() does."""
        check_is_fitted(self, "job_number_")
        assert self.coordinator is not None
        run = self._take(hub_of(self.coordinator).results(self._await(), self.out))
        if run is not None:
            self._finish(run, None)
        return self

    def _finish(self, run: Run, ids: Optional[Sequence[str]]) -> None:
        """Sets the estimator's own attributes. ids: ids of the rows given to fit."""
        raise NotImplementedError

    def _take(self, run: Optional[Run]) -> Optional[Run]:
        self.run_ = run
        self.leaks_ = run.leaks if run else []
        warn_of([*self._told, *(run._warnings() if run else [])])
        return run

    @property
    def report_(self) -> Report:
        """The page of `coterie report`. A notebook shows it; save() writes it to a file."""
        return self._fitted().report()

    def _fitted(self) -> Run:
        check_is_fitted(self, "run_")
        if self.run_ is None:
            raise InputError(f"the results of job {self.job_number_} are not here, or not for this "
                             "user: the parties have theirs, "
                             "and the coordinator", status=4)
        return self.run_

    # ---- data ----

    def _table(self, X: Array, edges: Any = None, features: int = 1,
               least: int = 2) -> Tuple[Optional[Data], Optional[List[str]]]:
        """Returns a data directory of X and the ids of its rows; (None, None) if X is None."""
        if X is None and edges is None:
            return None, None
        if isinstance(X, (str, os.PathLike)) and Path(X).is_file():
            X = prepare(X)  # fails if a column needs options of prepare()
        if isinstance(X, (Data, str, os.PathLike)):
            if edges is not None:
                raise InputError("fit: edges of prepared data are given to prepare()", status=4)
            data = X if isinstance(X, Data) else Data(X)
            if data.columns:
                self.feature_names_in_ = np.array(data.columns, dtype=object)
                self.n_features_in_ = len(data.columns)
            rows = data.ids
            if rows is None and data.rows() is not None:
                rows = [str(i) for i in range(data.rows() or 0)]
            return data, rows
        names = _names_of(X)
        checked = _validate(self, X, accept_sparse="csr", dtype=np.float64,
                            ensure_min_samples=least, ensure_min_features=features)
        folder = Folder(prefix="coterie-data-")
        write_matrix(checked, folder.path, names)
        if edges is not None:
            write_edges(edges, folder.path)
        return Data(folder), [str(i) for i in range(checked.shape[0])]

    def _set_labels(self, run: Run, ids: Optional[Sequence[str]]) -> None:
        """Sets labels_. Does nothing if the coordinator has none: in most jobs over rows, only the
        parties get labels."""
        if self.party is not None or self.coordinator is None or run.rows():
            self.labels_ = self._row_labels(run, ids)

    def _row_labels(self, run: Run, ids: Optional[Sequence[str]]) -> Labels:
        """Returns a label for each of these ids, and -1 for ids that the job has not placed.
        Without ids, returns labels in the order of labels.csv."""
        found = run.rows()
        if ids is None:
            return np.array([int(row["label"]) for row in found], dtype=np.int64)
        label = {row["id"]: int(row["label"]) for row in found}
        return np.array([label.get(i, -1) for i in ids], dtype=np.int64)

    def _has_keys(self) -> bool:
        return hasattr(self,
                       "run_") and self.run_ is not None and (self.run_.path / "work/pki").is_dir()

    def _ask_parties(self, kind: str, X: Array, edges: Any = None,
                     more: Optional[Settings] = None) -> Labels:
        """Returns labels of X by the models of a simulation's parties. Each party gets the same
        columns of X as in the fit."""
        run = self._fitted()
        if not self._has_keys():
            raise InputError(
                f"predict: after a simulation alone; a federation runs a job of kind {kind} "
                             "(docs/howto/place-new-rows.md)", status=4)
        data, ids = self._table(X, edges, least=1)
        if data is None or ids is None:
            raise InputError("predict: it needs rows"
                             + (", and edges" if kind == "kcagc.predict" else ""), status=4)
        job = {"kind": kind, "clusters": run.record["result"]["clusters"], "model": run.job_id,
               **(more or {})}
        folder = Folder(prefix="coterie-slices-")
        split = folder.path / "data"
        call("coterie split",
             ["--data", data.path, "--by", "columns", "--parties", str(self.parties), "--seed",
              str(run.job.get("seed", 1)), "--out", split])
        done = again(run, job, [p for p in split.glob("party-*")], self.timeout)
        return self._row_labels(Run(done), ids)

    def _clean_up(self, run: Run) -> None:
        if not self._keeps_keys:
            forget_secrets(run)

    def _more_tags(self) -> Dict[str, Any]:
        return {"_xfail_checks": ONE_CLUSTER}


def _clusters(k: Any) -> Any:
    """Returns the number of clusters in the form of a job. (2, 12) becomes the range {"from": 2,
    "to": 12}, from which the job chooses. The program checks the value."""
    if isinstance(k, tuple) and len(k) == 2:
        return {"from": _clusters(k[0]), "to": _clusters(k[1])}
    if isinstance(k, Mapping):
        return {name: _clusters(value) for name, value in k.items()}
    return int(k) if isinstance(k, np.integer) else k


class _Clusters(ClusterMixin, _Job):  # type: ignore[misc]
    n_clusters: Union[Clusters, str]

    def _parameters(self) -> Dict[str, Any]:
        return {"clusters": _clusters(self.n_clusters)}

    def fit_predict(self, X: Optional[Rows] = None, y: None = None, **kwargs: Any) -> Labels:
        """Runs fit, and returns the labels of its rows."""
        labels: Labels = self.fit(X, y, **kwargs).labels_
        return labels


def _read_labels(place: Path) -> Labels:
    """Returns the labels that a program has written to a directory."""
    with open(place / "labels.csv", encoding="utf-8", newline="") as file:
        return np.array([int(row["label"]) for row in csv.DictReader(file)], dtype=np.int64)


class _Rows(_Clusters):
    """Base for jobs over rows. Each party has a model that places new rows, model.rows. It is
    read here, so that it outlives the run."""

    def _keep_models(self, run: Run) -> None:
        self._models = {name: (place / "model.rows").read_bytes() for name, place in run._parties()
                        if (place / "model.rows").exists()}

    def _has_models(self) -> bool:
        return bool(getattr(self, "_models", True))

    def _place(self, X: Array) -> Labels:
        check_is_fitted(self, "run_")
        models = getattr(self, "_models", {})
        if not models:
            raise InputError("predict: no party's model is here", status=4)
        if len(set(models.values())) > 1:
            raise InputError(f"predict: with standardize=\"local\" each of {len(models)} parties "
                             "brings rows to units of its own: "
                             "coterie predict --model, with the model.rows of the party whose rows "
                             "they are", status=4)
        if not isinstance(X, (Data, str, os.PathLike)):
            X = _validate(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        folder = Folder(prefix="coterie-rows-")
        if isinstance(X, (Data, str, os.PathLike)):
            place = (X if isinstance(X, Data) else Data(X)).path
        else:
            place = folder.path / "data"
            place.mkdir()
            write_matrix(X, place, None)
        model, out = folder.path / "model.rows", folder.path / "out"
        model.write_bytes(next(iter(models.values())))
        call("coterie predict", ["--model", model, "--data", place, "--out", out])
        return _read_labels(out)


def _iterations(run: Run) -> Optional[int]:
    """Number of iterations of k-means over all parties: Lloyd's for rows, those of all secure
    sums for columns. None if the run does not record it."""
    rounds = run.facts.get("lloyd_rounds")
    sums = (run.record.get("result") or {}).get("sums") or []
    return int(rounds) if rounds is not None else sum(int(s.get("iterations", 0))
                                                      for s in sums) or None


def _centres(run: Run) -> Matrix:
    """The centres, which are the same at all parties."""
    rows = run.rows("centres")
    rows = [row for row in rows if row["process"] == rows[0]["process"]]
    return np.array([[float(v) for k, v in row.items() if k not in ("process", "cluster")]
                     for row in rows], dtype=np.float64)


class KMeans(_Rows):
    """k-means of several parties that hold rows (split="rows") or columns (split="columns").

    The job is of kind kmeans or kmeans.columns. standardize: None, "none", "joint" or "local", as
    in docs/reference/jobs.md. The label is -1 for a row that is not common to all parties
    (job={"align": "intersect"}).

    After fit:

    * ``labels_``: the cluster of each given row; if the job ran elsewhere, of each row of your own
      party
    * ``cluster_centers_``: k x columns, in the columns' units; only for split="rows", without
      "local"
    * ``n_iter_``: number of updates of the centres; None if the run does not record it
    * ``inertia_``: for columns the sum of squared distances, in the units of the job; for rows
      None, because no process has it. -score(X) computes it for rows on this host
    * ``n_features_in_``, ``feature_names_in_``: columns of a table given to fit
    """

    def __init__(self, n_clusters: Clusters = 8, *, split: str = "rows",
                 standardize: Optional[str] = None, parties: int = 4,
                 party: Optional[PathLike] = None, coordinator: Optional[PathLike] = None,
                 cut: Optional[Settings] = None, allow: Sequence[str] = (),
                 policy: Optional[Settings] = None,
                 job: Optional[Settings] = None, random_state: Seed = None,
                 out: Optional[PathLike] = None,
                 timeout: Optional[float] = None, progress: How = "auto"):
        self._keep(locals())

    @property
    def _keeps_keys(self) -> bool:  # type: ignore[override]
        return bool(self.split == "columns")

    def _kind(self) -> str:
        if self.split not in ("rows", "columns"):
            raise InputError(f'split is {self.split!r}, expected "rows" or "columns"', status=4)
        return "kmeans" if self.split == "rows" else "kmeans.columns"

    def _parameters(self) -> Dict[str, Any]:
        return {**super()._parameters(), "standardize": self.standardize}

    def fit(self, X: Optional[Rows] = None, y: None = None) -> "KMeans":
        """Runs the job.

        X: an array, list, sparse matrix or DataFrame of numbers, the path of a table of numbers,
        the result of `prepare`, or a data directory. If X is not given, a party uses the data of
        its configuration.
        """
        by_columns = self._kind() == "kmeans.columns"
        simulated = self.party is None and self.coordinator is None
        data, ids = self._table(X, features=self.parties if by_columns and simulated else 1)
        run = self._take(self._run_job(data.path if data else None))
        if run is not None:
            self._finish(run, ids)
        return self

    def _finish(self, run: Run, ids: Optional[Sequence[str]]) -> None:
        self._set_labels(run, ids)
        self.inertia_ = run.facts.get("inertia")
        if self.split == "rows":
            self.cluster_centers_ = _centres(run)
            self._keep_models(run)
        self.n_iter_ = _iterations(run)
        self._clean_up(run)

    def _has_units(self) -> bool:
        """Returns whether rows keep their units, so that distances to cluster_centers_ are those
        of the job."""
        run = getattr(self, "run_", None)
        said = self.standardize or "none" if run is None else run.job.get("standardize")
        return bool(self.split == "rows" and said == "none")

    @available_if(_has_units)  # type: ignore[misc]
    def transform(self, X: Rows) -> Matrix:
        """Returns the distance of each row to each centre; only for rows without `standardize`."""
        check_is_fitted(self, "cluster_centers_")
        if isinstance(X, (str, os.PathLike)) and Path(X).is_file():
            X = prepare(X)
        if isinstance(X, (Data, str, os.PathLike)):
            X = (X if isinstance(X, Data) else Data(X)).features
        rows = _validate(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        rows = rows.toarray() if is_sparse(rows) else rows
        distances: Matrix = np.stack([np.sqrt(((rows - c) ** 2).sum(axis=1))
                                      for c in self.cluster_centers_], axis=1)
        return distances

    @available_if(_has_units)  # type: ignore[misc]
    def fit_transform(self, X: Rows, y: None = None) -> Matrix:
        """Runs fit, and returns transform of its rows."""
        found: Matrix = self.fit(X, y).transform(X)
        return found

    @available_if(_has_units)  # type: ignore[misc]
    def score(self, X: Rows, y: None = None) -> float:
        """Returns minus the sum of squared distances of rows to their nearest centres."""
        return -float((self.transform(X).min(axis=1) ** 2).sum())

    @available_if(lambda self: self._has_keys() if self.split == "columns"
                  else self._has_models())  # type: ignore[misc]
    def predict(self, X: Rows) -> Labels:
        """Returns the number of each row's nearest centre; rows of the fit get the same labels.

        For rows it runs `coterie predict` with a party's model. If several parties have
        standardize="local", each has its own units: run `coterie predict` in the shell instead. For
        columns it needs a simulation, and runs a job of kind kmeans.columns.predict between daemons
        on this machine.
        """
        return self._ask_parties("kmeans.columns.predict",
                                 X) if self.split == "columns" else self._place(X)


class SpectralClustering(_Rows):
    """Spectral clustering of rows (affinity="rbf") or of a graph (affinity="precomputed").

    For rows the job is of kind fedsc. For a graph it is of kind fedspectral: parties hold edges,
    and X is prepared data, or a graph in any form that `prepare` takes as edges. variant: "anchor",
    "dense", "paper", "pairwise" of fedsc; "exact", "fedspectral+", "fedspectral" of fedspectral.
    Some disclose more and need permission, such as allow=["fedspectral.exact"]. For a graph,
    ``ids_`` has the node of each label.
    """

    def __init__(self, n_clusters: Union[Clusters, str] = 8, *, affinity: str = "rbf",
                 variant: Optional[str] = None,
                 standardize: Optional[str] = None, parties: int = 4,
                 party: Optional[PathLike] = None,
                 coordinator: Optional[PathLike] = None, cut: Optional[Settings] = None,
                 allow: Sequence[str] = (),
                 policy: Optional[Settings] = None, job: Optional[Settings] = None,
                 random_state: Seed = None,
                 out: Optional[PathLike] = None, timeout: Optional[float] = None,
                 progress: How = "auto"):
        self._keep(locals())

    def _kind(self) -> str:
        if self.affinity not in ("rbf", "precomputed"):
            raise InputError(
                f'affinity is {self.affinity!r}, expected "rbf" (rows) or "precomputed" (a graph)',
                status=4)
        return "fedsc" if self.affinity == "rbf" else "fedspectral"

    def _parameters(self) -> Dict[str, Any]:
        return {**super()._parameters(), "variant": self.variant, "standardize": self.standardize}

    def fit(self, X: Union[Rows, Edges, None] = None, y: None = None) -> "SpectralClustering":
        """Runs the job. X: as of KMeans, or a graph. If X is not given, a party uses the data of
        its configuration."""
        if self._kind() == "fedsc":
            data, ids = self._table(X)
        else:
            data, ids = _graph_data(X)
        run = self._take(self._run_job(data.path if data else None))
        if run is not None:
            self._finish(run, ids)
        return self

    def _finish(self, run: Run, ids: Optional[Sequence[str]]) -> None:
        self._set_labels(run, ids)
        if self.affinity == "precomputed" and ids is not None:
            self.ids_ = list(ids)
        if self.affinity == "rbf":
            self._keep_models(run)
        self._clean_up(run)

    @available_if(lambda self: self.affinity == "rbf" and self.variant in (None, "anchor")
                  and self._has_models())  # type: ignore[misc]
    def predict(self, X: Rows) -> Labels:
        """Returns the clusters of new rows, by their nearest landmarks (Nystroem). Needs variant
        "anchor".

        Rows of the fit get the same labels.
        """
        return self._place(X)

    def _more_tags(self) -> Dict[str, Any]:
        return {**super()._more_tags(), "pairwise": self.affinity == "precomputed"}


def _graph_data(X: Any) -> Tuple[Optional[Data], Optional[List[str]]]:
    """Returns a data directory of a graph, and its nodes in the order of labels: those of
    ids.txt, or the rows of a matrix."""
    if X is None:
        return None, None
    if isinstance(X, (Data, str, os.PathLike)):
        data = X if isinstance(X, Data) else Data(X)
        return data, data.ids
    data = prepare(edges=X)
    if is_sparse(X):
        nodes = [str(i) for i in range(X.shape[0])]
        (data.path / "ids.txt").write_text("".join(f"{i}\n" for i in nodes), encoding="utf-8")
    return data, data.ids


class AttributedGraphClustering(_Clusters):
    """Clusters nodes of a graph whose feature columns several parties hold: kCAGC and similar
    methods (kind kcagc).

    order: filter.order, a number or "auto"; method: "landmark" (default), "tree", "flat",
    "basic" or "gcc".
    """

    _keeps_keys = True

    def __init__(self, n_clusters: Clusters = 8, *, order: Union[int, str, None] = "auto",
                 method: Optional[str] = None,
                 parties: int = 4, party: Optional[PathLike] = None,
                 coordinator: Optional[PathLike] = None,
                 cut: Optional[Settings] = None, allow: Sequence[str] = (),
                 policy: Optional[Settings] = None,
                 job: Optional[Settings] = None, random_state: Seed = None,
                 out: Optional[PathLike] = None,
                 timeout: Optional[float] = None, progress: How = "auto"):
        self._keep(locals())

    def _kind(self) -> str:
        return "kcagc"

    def _parameters(self) -> Dict[str, Any]:
        # landmark and gcc choose the order themselves, so the job does not give it.
        chosen = self.method in ("landmark", "gcc") and self.order == "auto"
        order = None if self.order is None or chosen else {"order": self.order}
        return {**super()._parameters(), "method": self.method, "filter": order}

    def fit(self, X: Optional[Rows] = None, y: None = None, *,
            edges: Optional[Edges] = None) -> "AttributedGraphClustering":
        """Runs the job. X: as of KMeans; edges: the graph between its rows, as `prepare` takes it.

        Prepared data may already have edges. If X is not given, a party uses the data of its
        configuration.
        """
        data, ids = self._table(X, edges)
        run = self._take(self._run_job(data.path if data else None))
        if run is not None:
            self._finish(run, ids)
        return self

    def _finish(self, run: Run, ids: Optional[Sequence[str]]) -> None:
        self._set_labels(run, ids)

    def predict(self, X: Rows, *, edges: Optional[Edges] = None) -> Labels:
        """Returns labels of old and new rows together. Needs a simulation, and not method "gcc".

        X has the columns of the fit, in the same order; edges: the edges between all rows. A job of
        kind kcagc.predict computes the labels from the parties' models.
        """
        run = self._fitted()
        more: Dict[str, Any] = {"joint_norm": bool(run.job.get("joint_norm"))
                                or run.job.get("method") == "landmark"}
        return self._ask_parties("kcagc.predict", X, edges, more)

    def _more_tags(self) -> Dict[str, Any]:
        return {"_skip_test": "a graph belongs to its rows, and scikit-learn's checks have none"}


class NodeEmbedding(TransformerMixin, _Job):  # type: ignore[misc]
    """FedWalk (kind fedwalk): 128 numbers for each vertex of a graph. Several parties hold the
    edges.

    mode: as in docs/howto/embed-vertices.md; **read the disclosures there**. After fit
    ``embedding_`` has a row for each of ``ids_``.
    """

    def __init__(self, *, mode: Optional[str] = None, parties: int = 4,
                 party: Optional[PathLike] = None,
                 coordinator: Optional[PathLike] = None, cut: Optional[Settings] = None,
                 allow: Sequence[str] = (),
                 policy: Optional[Settings] = None, job: Optional[Settings] = None,
                 random_state: Seed = None,
                 out: Optional[PathLike] = None, timeout: Optional[float] = None,
                 progress: How = "auto"):
        self._keep(locals())

    def _kind(self) -> str:
        return "fedwalk"

    def _parameters(self) -> Dict[str, Any]:
        return {"mode": self.mode}

    def fit(self, X: Optional[Edges] = None, y: None = None) -> "NodeEmbedding":
        """Runs the job. X: a graph in any form that `prepare` takes as edges, or prepared data.

        If X is not given, a party uses the data of its configuration.
        """
        data, ids = _graph_data(X)
        run = self._take(self._run_job(data.path if data else None))
        if run is not None:
            self._finish(run, ids)
        return self

    def _finish(self, run: Run, ids: Optional[Sequence[str]]) -> None:
        found = run.embeddings
        self.ids_ = list(found.index if ids is None else ids)
        self.embedding_ = found.reindex(self.ids_).fillna(0.0).to_numpy()
        self._clean_up(run)

    def fit_transform(self, X: Optional[Edges] = None, y: None = None) -> Matrix:
        """Runs fit, and returns the embedding."""
        embedding: Matrix = self.fit(X, y).embedding_
        return embedding

    def _more_tags(self) -> Dict[str, Any]:
        return {"_skip_test": "X is a graph, and scikit-learn's checks have none"}


class GraphClustering(_Clusters):
    """FedGCN (kind fedgcn): clusters whole graphs. Each party has some of the graphs.

    After fit ``labels_`` are in the order of the list; for directories read ``run_.labels``.
    ``run_`` also has the results of each party alone. **If the clusters are similar to these, the
    job found little more than the sizes of graphs** (docs/howto/cluster-graphs.md).
    """

    def __init__(self, n_clusters: int = 2, *, parties: int = 4, party: Optional[PathLike] = None,
                 coordinator: Optional[PathLike] = None, cut: Optional[Settings] = None,
                 allow: Sequence[str] = (),
                 policy: Optional[Settings] = None, job: Optional[Settings] = None,
                 random_state: Seed = None,
                 out: Optional[PathLike] = None, timeout: Optional[float] = None,
                 progress: How = "auto"):
        self._keep(locals())

    def _kind(self) -> str:
        return "fedgcn"

    def fit(self, X: Optional[Graphs] = None, y: None = None) -> "GraphClustering":
        """Runs the job. X: a list of graphs, a directory in TU format, or a directory of such
        directories.

        Each graph is a symmetric sparse matrix, a networkx graph, or a pair (number of nodes,
        edges). If X is not given, a party uses the graphs of its configuration.
        """
        folder = Folder(prefix="coterie-graphs-")
        path = (None if X is None else as_path(X, "graphs") if isinstance(X, (str, os.PathLike))
                else folder.path / "set")
        if X is not None and not isinstance(X, (str, os.PathLike)):
            write_graphs(X, folder.path / "set")
        if path is not None and self.party is not None:
            raise InputError(
                "fit: a party's graphs are those that its configuration names (data.graphs)",
                status=4)
        run = self._take(self._run_job(path))
        if run is not None:
            self._finish(run, None)
        return self

    def _finish(self, run: Run, ids: Optional[Sequence[str]]) -> None:
        self.labels_ = self._graph_labels(run)
        self._clean_up(run)

    def _graph_labels(self, run: Run) -> Labels:
        found = run.rows()
        numbers = {place.name: place / "graphs.txt" for place in slices(run)}
        if not numbers or not all(path.exists() for path in numbers.values()):
            return np.array([int(row["label"]) for row in found], dtype=np.int64)
        labels = np.full(len(found), -1, dtype=np.int64)
        original = {name: np.loadtxt(path, dtype=np.int64, ndmin=1)
                    for name, path in numbers.items()}
        for row in found:
            labels[original[row["process"]][int(row["id"]) - 1] - 1] = int(row["label"])
        return labels

    def predict(self, X: Graphs) -> Labels:
        """Returns the clusters of new graphs, by the model of the first party."""
        models = [place / "model.fedgcn" for _, place in self._fitted()._parties()
                  if (place / "model.fedgcn").exists()]
        if not models:
            raise InputError("predict: the run has no party's model", status=4)
        folder = Folder(prefix="coterie-graphs-")
        path = as_path(X, "graphs") if isinstance(X, (str, os.PathLike)) else folder.path / "set"
        if not isinstance(X, (str, os.PathLike)):
            write_graphs(X, path)
        out = folder.path / "assigned"
        call("coterie fedgcn", ["assign", "--model", models[0], "--graphs", path, "--out", out])
        return _read_labels(out)

    def _more_tags(self) -> Dict[str, Any]:
        return {"_skip_test": "X is a list of graphs, and scikit-learn's checks have none"}
