#!/usr/bin/python3
"""k-means of pooled columns in its usual form with scikit-learn.

    kmeans.py DIR CLUSTERS OUT [SEED]     DIR: features.npy; OUT: gets a label a line

Standardises the columns and runs KMeans with ten starts. Prints seconds=, without imports and
reading. The environment sets the number of threads. Only for comparison; no other part of the
project needs it.
"""
import os
import sys
import time

import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

x = np.load(os.path.join(sys.argv[1], "features.npy")).astype(np.float64)
start = time.perf_counter()
z = StandardScaler().fit_transform(x)
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
labels = KMeans(int(sys.argv[2]), n_init=10, random_state=seed).fit_predict(z)
print("seconds=%.3f" % (time.perf_counter() - start))
np.savetxt(sys.argv[3], labels, fmt="%d")
