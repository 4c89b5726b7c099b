"""Accuracy of clusters for known classes, for the scripts in this folder that cluster without
the programs."""
import numpy
from scipy.optimize import linear_sum_assignment


def accuracy(label, truth):
    """Returns the accuracy under the best matching of clusters to classes. label: numbers from
    0. truth: classes of any type."""
    classes = numpy.unique(truth, return_inverse=True)[1]
    table = numpy.zeros((label.max() + 1, classes.max() + 1))
    numpy.add.at(table, (label, classes), 1)
    return table[linear_sum_assignment(-table)].sum() / len(label)
