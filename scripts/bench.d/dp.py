"""Sets of scikit-learn for scripts/bench dp, at one scale around 0 by constants: DIR/iris, DIR/digits."""
import os
import sys

import numpy
from sklearn import datasets

# A flower's parts in cm, a pixel of 0 to 16: ranges that are known before anybody has looked.
SETS = {
    "iris": (datasets.load_iris(), lambda X: (X - [5.8, 3.0, 3.7, 1.2]) / [1.0, 1.0, 1.8, 0.8]),
    "digits": (datasets.load_digits(), lambda X: (X - 5) / 45),
}

for name, (data, scale) in SETS.items():
    to = os.path.join(sys.argv[1], name)
    os.makedirs(to, exist_ok=True)
    numpy.save(os.path.join(to, "features.npy"), scale(data.data))
    with open(os.path.join(to, "labels.txt"), "w", encoding="ascii") as f:
        f.writelines(f"{label}\n" for label in data.target)
