"""Accuracy of clusters where classes are known, for the scripts beside this file that cluster by
themselves."""
import numpy
from scipy.optimize import linear_sum_assignment


def accuracy(label, truth):
    """label: numbers from 0; truth: classes by any name. Under the best matching of clusters to
    classes."""
    classes = numpy.unique(truth, return_inverse=True)[1]
    table = numpy.zeros((label.max() + 1, classes.max() + 1))
    numpy.add.at(table, (label, classes), 1)
    return table[linear_sum_assignment(-table)].sum() / len(label)
