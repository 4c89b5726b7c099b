"""Results of a run, as pandas frames and pictures."""
from __future__ import annotations

import csv
import html
import json
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Union

from ._errors import Found, InputError
from ._folder import Folder
from ._optional import need
from ._program import PathLike, as_path, call

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


def _tsne(points: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Returns the points in the plane (n x 2), the same for the same points. Perplexity is 30, or
    (n - 1) / 3 if that is less."""
    TSNE = need("sklearn.manifold", "t-SNE").TSNE  # slow to import, and only needed here
    import numpy as np

    n = len(points)
    points = points - points[0]
    scale = np.abs(points).max()
    if n < 4 or scale == 0:  # no neighbourhoods to keep; scikit-learn 1.2 crashes on equal points
        return np.pad(points, ((0, 0), (0, 2)))[:, :2]
    points /= scale
    start = "pca" if points.shape[1] > 1 else "random"
    model = TSNE(perplexity=min(30.0, (n - 1) / 3), init=start, learning_rate="auto",
                 random_state=0)
    return np.asarray(model.fit_transform(points))


#: Endings of the result files of a run, which a pickle of the run contains.
RESULTS = (".json", ".jsonl", ".csv", ".npy", ".rows", ".fedgcn")


class Picture:
    """A report's picture as SVG. A notebook shows it; save() writes it to a file."""

    def __init__(self, name: str, title: str, svg: str, style: str):
        self.name = name
        self.title = title
        open_tag, rest = svg.split(">", 1)
        if "xmlns=" not in open_tag:
            open_tag += ' xmlns="http://www.w3.org/2000/svg"'
        self.svg = f"{open_tag}><style>{html.escape(style, quote=False)}</style>{rest}"

    def __repr__(self) -> str:
        return f"<coterie.Picture {self.name}: {self.title}>"

    def _repr_html_(self) -> str:
        # Puts the picture in a frame, since its style would otherwise apply to the whole notebook.
        page = ("<!doctype html><body style='margin:0'><p style='font:13px "
                f"sans-serif;margin:2px'>{self.title}</p>{self.svg}")
        return (f'<iframe srcdoc="{html.escape(page)}" '
                'style="border:0;width:100%;height:680px"></iframe>')

    def save(self, path: PathLike) -> Path:
        to = Path(os.fspath(path))
        to.write_text(self.svg, encoding="utf-8")
        return to


class Report:
    """The page of `coterie report`. A notebook shows it in a frame; save() writes it to a file."""

    def __init__(self, page: str):
        self.html = page

    def __repr__(self) -> str:
        return f"<coterie.Report, {len(self.html) / 1000:.0f} kB>"

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" style="border:1px solid '
                '#ccc;width:100%;height:600px"></iframe>')

    def save(self, path: PathLike) -> Path:
        to = Path(os.fspath(path))
        to.write_text(self.html, encoding="utf-8")
        return to

    @property
    def pictures(self) -> Dict[str, Picture]:
        """The page's pictures: `"picture"` shows a party's points in the plane, if the page has
        them."""
        drawn = re.search(r'<svg class="still".*?</svg>', self.html, re.S)
        if drawn is None:
            return {}
        style = "\n".join(re.findall(r"<style[^>]*>(.*?)</style>", self.html, re.S))
        return {"picture": Picture("picture", "Points in the plane", drawn[0], style)}


class Run:
    """The directory of a run of `launch`, `run` or one daemon.

    Frames have a column `process`, the daemon's name, and no rows if the kind of job has no such
    table. A pickle contains the files of the results, so another process or host can load it.
    ``status``, ``error``, ``job``, ``job_id`` and ``facts`` are members of `record`.
    """

    def __init__(self, directory: Union[PathLike, Folder]):
        self._open(directory if isinstance(directory, Folder)
                   else Folder(as_path(directory, "run")))

    def _open(self, folder: Folder) -> None:
        self._folder = folder
        self.path = folder.path
        self.temporary = self._folder.temporary
        self.processes: Dict[str, Path] = {}
        places = [self.path] if (self.path / "run.json").exists() else sorted(
            p.parent for p in self.path.glob("*/run.json"))
        self._runs: Dict[str, Dict[str, Any]] = {}
        for place in places:
            run = json.loads((place / "run.json").read_text(encoding="utf-8"))
            self.processes[str(run["name"])] = place
            self._runs[str(run["name"])] = run
        if not self._runs:
            raise InputError(f"{self.path}: no run.json in it, nor in a directory in it", status=4)
        leads = [n for n, r in self._runs.items() if r.get("role") == "coordinator"]
        #: The process whose run.json describes the run: the coordinator, if its run.json exists.
        self.name = leads[0] if leads else next(iter(self._runs))

    def __repr__(self) -> str:
        job = self.job
        return (f"<coterie.Run {self.path}: {job.get('kind')}, {self.status}, "
                f"{len(self.record.get('parties', []))} parties, "
                f"{self.record.get('elapsed_s', 0):.2f} s>")

    def __fspath__(self) -> str:
        return str(self.path)

    # A pickle contains the result files, so that it can be read without the directory and on
    # another host.

    # A simulation that still has its keys, by which it predicts, is kept whole.

    def __getstate__(self) -> Dict[str, Any]:
        whole = (self.path / "work/pki").is_dir()
        kept = (p for place in self.processes.values() for p in sorted(place.glob("*"))
                if p.suffix in RESULTS)
        files = (p for p in (sorted(self.path.rglob("*")) if whole else kept) if p.is_file())
        return {"files": {str(p.relative_to(self.path)): p.read_bytes() for p in files}}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        folder = Folder(prefix="coterie-run-")
        for name, content in state["files"].items():
            (folder.path / name).parent.mkdir(parents=True, exist_ok=True)
            (folder.path / name).touch(mode=0o600)
            (folder.path / name).write_bytes(content)
        self._open(folder)

    @property
    def record(self) -> Dict[str, Any]:
        """The content of run.json; if there are several, that of the coordinator."""
        return self._runs[self.name]

    def record_of(self, process: str) -> Dict[str, Any]:
        return self._runs[process]

    @property
    def status(self) -> str:
        return str(self.record["status"])

    @property
    def error(self) -> Optional[str]:
        error = self.record.get("error")
        return None if error is None else str(error)

    @property
    def job(self) -> Dict[str, Any]:
        return dict(self.record.get("job") or {})

    @property
    def job_id(self) -> str:
        return str(self.record.get("job_id", ""))

    @property
    def facts(self) -> Dict[str, Any]:
        return dict(self.record.get("facts") or {})

    @property
    def leaks(self) -> List[str]:
        """The job's disclosures, in sentences."""
        return [str(s) for s in self.record.get("leaks") or []]

    @property
    def warnings(self) -> pd.DataFrame:
        """process, code, sentence, number."""
        pd = need("pandas", "Run.warnings as a frame")
        rows = [{"process": name, **w} for name, w in self._warnings()]
        return pd.DataFrame(rows, columns=["process", "code", "sentence", "number"])

    def _warnings(self) -> List[Found]:
        return [(name, w) for name, run in self._runs.items() for w in run.get("warnings") or []]

    def _parties(self) -> Iterator[Tuple[str, Path]]:
        for name, place in self.processes.items():
            if self._runs[name].get("role") == "party":
                yield name, place

    def _tables(self, file: str, columns: List[str], **types: Any) -> pd.DataFrame:
        pd = need("pandas", f"{file} as a frame")
        frames = []
        for name, place in self._parties():
            if (place / file).exists():
                frame = pd.read_csv(place / file, dtype=types, keep_default_na=False)
                frame.insert(0, "process", name)
                frames.append(frame)
        return pd.concat(frames,
                         ignore_index=True) if frames else pd.DataFrame(
                             columns=["process", *columns])

    def rows(self, table: str = "labels") -> List[Dict[str, str]]:
        """Returns a table as dictionaries of strings: process and the file's columns. Does not need
        pandas.

        table: "labels", "profile", "profile-joint" or "centres". If there is only a coordinator's
        directory, the table is the coordinator's.
        """
        places = list(self._parties())
        if not any((place / f"{table}.csv").exists() for _, place in places):
            places = [(self.name, self.processes[self.name])]
        found = []
        for name, place in places:
            if (place / f"{table}.csv").exists():
                with open(place / f"{table}.csv", encoding="utf-8", newline="") as file:
                    found += [{"process": name, **row} for row in csv.DictReader(file)]
        return found

    @property
    def labels(self) -> pd.DataFrame:
        """process, id, label, and confidence if the method has it (0 between two clusters, 1 at a
        centre).

        If there is only a coordinator's directory, ids are row numbers in the order of the sorted
        ids.
        """
        pd = need("pandas", "Run.labels as a frame")
        found = self._tables("labels.csv", ["id", "label"], id=str)
        place = self.processes[self.name]
        if found.empty and (place / "labels.csv").exists():
            found = pd.read_csv(place / "labels.csv", dtype={"id": str}, keep_default_na=False)
            found.insert(0, "process", self.name)
        return found

    @property
    def profile(self) -> pd.DataFrame:
        """profile.csv: process, cluster and column, with mean, share, lift and z."""
        return self._tables("profile.csv",
                            ["cluster", "rows", "column", "mean", "mean_of_all", "share", "lift",
                             "z"], column=str)

    @property
    def joint_profile(self) -> pd.DataFrame:
        """profile-joint.csv: the same over all parties, if the job has profile."""
        pd = need("pandas", "Run.joint_profile as a frame")
        for _, place in self._parties():
            if (place / "profile-joint.csv").exists():
                return pd.read_csv(place / "profile-joint.csv", dtype={"column": str},
                                   keep_default_na=False)
        return pd.DataFrame()

    @property
    def centres(self) -> pd.DataFrame:
        """Kind kmeans: a row for each cluster, the same at all parties."""
        pd = need("pandas", "Run.centres as a frame")
        for _, place in self._parties():
            if (place / "centres.csv").exists():
                return pd.read_csv(place / "centres.csv", index_col="cluster")
        return pd.DataFrame()

    @property
    def embeddings(self) -> pd.DataFrame:
        """Kind fedwalk: a row for each vertex, by its id."""
        pd = need("pandas", "Run.embeddings as a frame")
        frames = []
        for _, place in self._parties():
            if (place / "embeddings.npy").exists():
                ids = pd.read_csv(place / "ids.csv", dtype=str, keep_default_na=False)["id"]
                frames.append(
                    pd.DataFrame(need("numpy", "Run.embeddings").load(place / "embeddings.npy"),
                                 index=ids))
        return pd.concat(frames) if frames else pd.DataFrame()

    @property
    def phases(self) -> pd.DataFrame:
        """process, phase, start_s, compute_s, wait_s, wire_s, rounds, round_trips, iterations."""
        pd = need("pandas", "Run.phases as a frame")
        rows = [{"process": name, "phase": p["name"], **{k: v for k, v in p.items() if k != "name"}}
                for name, run in self._runs.items() for p in run.get("phases") or []]
        columns = ["process", "phase", "start_s", "compute_s", "wait_s", "wire_s", "rounds",
                   "round_trips", "iterations"]
        return pd.DataFrame(rows, columns=columns)

    @property
    def links(self) -> pd.DataFrame:
        """process, peer, type, messages_sent, messages_received, bytes_sent, bytes_received."""
        pd = need("pandas", "Run.links as a frame")
        rows = [{"process": name, **t} for name, run in self._runs.items()
                for t in run.get("traffic") or []]
        columns = ["process", "peer", "type", "messages_sent", "messages_received", "bytes_sent",
                   "bytes_received"]
        return pd.DataFrame(rows, columns=columns)

    def report(self, process: Optional[str] = None, *, truth: Optional[PathLike] = None,
               data: Optional[PathLike] = None,
               tsne: bool = False) -> Report:
        """Returns the page of the run, or of one process of the run.

        If a party's data are on this host, its page has a picture of its points. truth: known
        labels, for scores; data: the party's data directory, if its files have moved; tsne: draw
        the points by t-SNE (scikit-learn) instead of principal components. The call does not change
        the run.
        """
        if process is not None and process not in self.processes:
            raise InputError(f"report: {process!r} is none of {', '.join(self.processes)}",
                             status=4)
        place = self.path if process is None else self.processes[process]
        kept = self.path / "work" / "data" / str(process)
        if data is None and kept.is_dir():
            data = kept
        with tempfile.TemporaryDirectory(prefix="coterie-report-") as scratch:
            page = Path(scratch) / "report.html"
            args: List[PathLike] = ["-o", page, "--no-record"]
            if truth is not None:
                args += ["--truth", truth]
            if data is not None:
                args += ["--data", data]
            if tsne:
                points, plane = Path(scratch) / "points.npy", Path(scratch) / "plane.npy"
                call("coterie report", [*args, "--points", points, place])
                np = need("numpy", "t-SNE")
                np.save(plane, _tsne(np.load(points)))
                args += ["--layout", f"t-SNE={plane}"]
            call("coterie report", [*args, place])
            return Report(page.read_text(encoding="utf-8"))

    @property
    def pictures(self) -> Dict[str, Picture]:
        return self.report().pictures
