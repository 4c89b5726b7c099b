#!/usr/bin/python3
"""Reads a table with a heading and a column of ids as one does with pandas or numpy; prints the best of 3 CPU seconds.

    readers.py pandas|numpy FILE

Only to be measured against; nothing of the project needs it.
"""
import sys
import time

import numpy as np


def with_pandas(path):
    return pd.read_csv(path, index_col="id").to_numpy()


def with_numpy(path):
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(1, 65))


if sys.argv[1] == "pandas":
    import pandas as pd
best = 1e9
for _ in range(3):
    start = time.process_time()
    x = (with_pandas if sys.argv[1] == "pandas" else with_numpy)(sys.argv[2])
    best = min(best, time.process_time() - start)
print(f"{best:.3f}")
