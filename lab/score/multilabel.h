/* multilabel.h -- scores how well vectors predict classes: the protocol of DeepWalk's evaluation
 * (Perozzi, Al-Rfou, Skiena 2014; Tang, Liu 2009).
 *
 * A fraction of the vertices trains one logistic regression per class against the rest. For every
 * other vertex i, the number k_i of its classes is given, and the k_i classes with the largest
 * values are predicted.
 */
#ifndef LAB_SCORE_MULTILABEL_H
#define LAB_SCORE_MULTILABEL_H

#include "common/base/err.h"
#include "common/data/ids.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

/* Classes of vertices; a vertex may have any number. Classes are numbered 0 .. classes-1 by
 * ascending label. Those of vertex i are class[start[i]] .. class[start[i+1] - 1], ascending. */
struct label_sets {
	size_t n, classes;
	size_t *start;    /* n + 1 */
	uint32_t *class;  /* the classes of all vertices */
	size_t strangers; /* number of lines with classes of unknown vertices */
};

/* Reads the classes of the n vertices in ids. ids has the vertices of the embeddings. Set i belongs
 * to ids->id[i]. A text file has a line per vertex, with its classes as whole numbers separated by
 * blanks; a vertex without classes has an empty line. ids.txt in the same directory names the
 * vertices; otherwise they are 0, 1, ...
 * A .csv ("id,label") has ids itself; an id may occur again, with another class. ERR_INPUT: the
 * file is invalid, or has no class of these vertices. */
enum err label_sets_read(const char *path, const struct ids *ids, struct label_sets *s) MUST_CHECK;
void label_sets_release(struct label_sets *s);

struct multilabel_params {
	/* Share of the vertices with classes that is used for training; 0 < ratio < 1. */
	double ratio;
	double C; /* liblinear's C: cost of errors, in proportion to the penalty */
	uint64_t seed;
	unsigned threads;
};

struct multilabel_score {
	size_t trained, tested;
	/* `micro`: F1 over all decisions together. `macro`: mean of the classes' F1. */
	double micro, macro;
};

/* Prepares a copy of X for many trainings of one class against the rest, with an L2 penalty. Only
 * this interface uses liblinear. */
struct logistic *logistic_open(const struct mat *X);
void logistic_close(struct logistic *l);

/* Trains on the given rows by liblinear's L2R_LR at its own tolerance (0.01). weight (cols + 1, the
 * intercept last) minimises |w|^2 / 2 + C sum ln(1 + exp(-y_i w.(x_i, 1))), with y_i = +1 if
 * member[row[i]] and -1 otherwise. If all rows are of one class, only the intercept is not 0.
 * Thread-safe. */
void logistic_train(const struct logistic *l, const uint32_t *row, size_t rows,
		    const uint8_t *member, double C, double *weight);

/* Returns w.(x, 1); positive for members. */
double logistic_value(const double *weight, const double *x, size_t cols);

/* Scores one split, number `repeat` of the seed. Shuffles the vertices with classes. Of these
 * vertices, the first round(ratio x number) are used for training, at least one, and at least one
 * is tested. Row i of X has the classes of set i. A class that no tested vertex has and none is
 * predicted to have gets F1 0. The result does not depend on the number of threads. */
void multilabel_split(const struct logistic *l, const struct mat *X, const struct label_sets *s,
		      const struct multilabel_params *p, unsigned repeat,
		      struct multilabel_score *score);

#endif
