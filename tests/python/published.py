"""Writes sets in their published form from data directories, for the test of scripts/fetch-data.

    published.py iris FILE                      from scikit-learn, byte by byte UCI's file
    published.py SET DATA FILE...               cora, pubmed, email-eu-core, ego-facebook, football,
                                                coil20, MUTAG
"""
import gzip
import io
import random
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np


def lines(path):
    return Path(path).read_text().split("\n")[:-1]


def edges(data):
    pairs = [line.split("\t") for line in lines(data / "edges.tsv")]
    random.Random(5).shuffle(pairs)
    return [pair if i % 2 else pair[::-1] for i, pair in enumerate(pairs)]


def tar(file, **members):
    with tarfile.open(file, "w:gz") as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(name.replace("__", "/").replace("_DOT_", "."))
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))


def iris(file):
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    for row in (34, 37):  # UCI's file differs in these rows
        X[row] = [4.9, 3.1, 1.5, 0.1]
    names = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]
    text = "".join(",".join(f"{x:.1f}" for x in row) + f",{names[k]}\n" for row, k in zip(X, y))
    Path(file).write_text(text + "\n")


def sparse_rows(data):
    import scipy.io

    return scipy.io.mmread(data / "features.mtx").tocsr()


def cora(data, file):
    X, labels = sparse_rows(data), lines(data / "labels.txt")
    ids = [f"p{7 * i + 3}" for i in range(len(labels))]
    content = "".join("\t".join([ids[i], *map(str, X[i].toarray()[0].astype(int)), f"Class_{k}"])
                      + "\n" for i, k in enumerate(labels))
    cites = "".join(f"{ids[int(u)]}\t{ids[int(v)]}\n" for u, v in edges(data))
    # one line is repeated, and one names a paper that does not exist
    cites += cites.split("\n")[0] + "\n" + "nowhere\tp3\n"
    tar(file, cora__cora_DOT_content=content, cora__cora_DOT_cites=cites)


def pubmed(data, file):
    labels = lines(data / "labels.txt")
    head = "NODE\tpaper\ncat=1,2,3:label\t" + "\t".join(f"numeric:w-{j}:0.0"
                                                        for j in range(500)) + "\tstring:summary\n"
    nodes = "".join(
        f"{100 + i}\tlabel={int(k) + 1}\tw-{i % 500}=0.25\tw-{(i + 7) % 500}=0.5\t"
        f"summary=w-{i % 500}\n" for i, k in enumerate(labels))
    links = "DIRECTED\tcites\nNO_FEATURES\n" + "".join(
        f"{i}\tpaper:{100 + int(u)}\t|\tpaper:{100 + int(v)}\n"
        for i, (u, v) in enumerate(edges(data)))
    tar(file, **{"Pubmed-Diabetes__data__Pubmed-Diabetes_DOT_NODE_DOT_paper_DOT_tab": head + nodes,
                 "Pubmed-Diabetes__data__Pubmed-Diabetes_DOT_DIRECTED_DOT_cites_DOT_tab": links})


def ego_facebook(data, file):
    with gzip.open(file, "wt") as out:
        out.writelines(f"{u} {v}\n" for u, v in edges(data))


def email_eu_core(data, file, departments):
    ego_facebook(data, file)
    with gzip.open(file, "at") as out:
        out.write("3 3\n")
    with gzip.open(departments, "wt") as out:
        out.writelines(f"{i} {k}\n" for i, k in enumerate(lines(data / "labels.txt")))


def football(data, file):
    nodes = "".join(f'  node\n  [\n    id {i}\n    label "Team {i}"\n    value {k}\n  ]\n'
                    for i, k in enumerate(lines(data / "labels.txt")))
    links = "".join(f"  edge\n  [\n    source {u}\n    target {v}\n  ]\n" for u, v in edges(data))
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("football.gml", f'Creator "x"\ngraph\n[\n  directed 0\n{nodes}{links}]\n')


def coil20(data, file):
    import scipy.io

    X = np.load(data / "features.npy").astype(float)
    y = np.array([int(k) + 1 for k in lines(data / "labels.txt")], dtype=float)[:, None]
    scipy.io.savemat(file, {"X": X, "Y": y}, do_compression=True)


def MUTAG(data, file):
    with zipfile.ZipFile(file, "w") as archive:
        for path in sorted(data.iterdir()):
            archive.writestr("MUTAG/" + path.name, path.read_text().replace(", ", ","))


if __name__ == "__main__":
    name, *paths = sys.argv[1:]
    globals()[name.replace("-", "_")](*(Path(p) for p in paths))
