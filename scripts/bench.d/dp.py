"""Writes scikit-learn's sets for scripts/bench dp, scaled around 0 by constants: DIR/iris,
DIR/digits, DIR/rings-20000."""
import os
import sys

import numpy
from sklearn import datasets

# Each set, and how its values are scaled. The ranges of flower parts in cm and of pixels (0 to 16)
# are known without looking at the data.
SETS = {
    "iris": (datasets.load_iris(), lambda X: (X - [5.8, 3.0, 3.7, 1.2]) / [1.0, 1.0, 1.8, 0.8]),
    "digits": (datasets.load_digits(), lambda X: (X - 5) / 45),
}



def save(name, rows, labels):
    to = os.path.join(sys.argv[1], name)
    os.makedirs(to, exist_ok=True)
    numpy.save(os.path.join(to, "features.npy"), rows)
    with open(os.path.join(to, "labels.txt"), "w", encoding="ascii") as f:
        f.writelines(f"{label}\n" for label in labels)


for name, (data, scale) in SETS.items():
    save(name, scale(data.data), data.target)
# Two concentric rings of radius 1 and 1/2.
save("rings-20000", *datasets.make_circles(20000, noise=0.05, factor=0.5, random_state=1))
