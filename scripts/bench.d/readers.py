#!/usr/bin/python3
"""Reads a table with a heading and a column of ids as one does with pandas or numpy; prints the
best of 3 CPU seconds.

    readers.py pandas|numpy|sklearn FILE

scikit-learn has no reader of CSV. Its reader load_svmlight_file gets the same numbers, digit by
digit, in FILE.svmlight. That file has no ids and no names. It is written first, and the time for
that does not count.

Only for comparison; no other part of the project needs it.
"""
import os
import sys
import time

import numpy as np


def with_pandas(path):
    return pd.read_csv(path, index_col="id").to_numpy()


def with_numpy(path):
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(1, 65))


def as_svmlight(path):
    """Writes each row in svmlight format: a target, always 0, and column:number for each number."""
    with open(path, encoding="ascii") as table, open(path + ".svmlight", "w",
                                                     encoding="ascii") as out:
        columns = [f" {j}:" for j in range(1, len(next(table).split(",")))]
        for line in table:
            out.write("0" + "".join(c + x for c, x in zip(columns, line.split(",")[1:])))


def with_sklearn(path):
    return load_svmlight_file(path + ".svmlight")[0].toarray()


read = {"pandas": with_pandas, "numpy": with_numpy, "sklearn": with_sklearn}[sys.argv[1]]
if sys.argv[1] == "pandas":
    import pandas as pd
elif sys.argv[1] == "sklearn":
    from sklearn.datasets import load_svmlight_file

    as_svmlight(sys.argv[2])
best = 1e9
for _ in range(3):
    start = time.process_time()
    x = read(sys.argv[2])
    best = min(best, time.process_time() - start)
if sys.argv[1] == "sklearn":
    os.remove(sys.argv[2] + ".svmlight")
print(f"{best:.3f}")
