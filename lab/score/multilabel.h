/* multilabel.h -- how well vectors tell classes: the protocol of DeepWalk's evaluation (Perozzi,
 * Al-Rfou, Skiena 2014; Tang, Liu 2009).
 *
 * A part of the vertices trains one logistic regression per class against the rest. Of each other
 * vertex the number of its classes is known, k_i, and it gets the k_i classes of largest value. */
#ifndef LAB_SCORE_MULTILABEL_H
#define LAB_SCORE_MULTILABEL_H

#include "common/base/err.h"
#include "common/data/ids.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

/* The classes of vertices, any number each, numbered 0 .. classes-1 by rising label; those of vertex i
 * are class[start[i]] .. class[start[i+1] - 1], rising. */
struct label_sets {
	size_t n, classes;
	size_t *start;   /* n + 1 */
	uint32_t *class; /* of all vertices */
	size_t strangers; /* lines with classes of vertices that are none of ours */
};

/* ids: the n vertices, of embeddings; set i is that of ids->id[i]. Text has a line for each vertex, its
 * classes as whole numbers between blanks, or empty; ids.txt beside it says which vertex, without it
 * they are 0, 1, ... A .csv ("id,label") has ids itself; an id may come again, with another class.
 * ERR_INPUT: the file is wrong, or has none of their classes. */
enum err label_sets_read(const char *path, const struct ids *ids, struct label_sets *s) MUST_CHECK;
void label_sets_release(struct label_sets *s);

struct multilabel_params {
	double ratio; /* of the vertices that have classes: trains; 0 < ratio < 1 */
	double C;     /* 1 */
	uint64_t seed;
	unsigned threads;
};

struct multilabel_score {
	size_t trained, tested;
	double micro, macro; /* F1: of all decisions together; mean over the classes */
};

/* Rows made ready for many trainings, one class against the rest, with an L2 penalty: the one door to
 * liblinear. Copies X. */
struct logistic *logistic_open(const struct mat *X);
void logistic_close(struct logistic *l);

/* weight (cols + 1, the intercept last) minimises |w|^2 / 2 + C sum ln(1 + exp(-y_i w.(x_i, 1))) over
 * the given rows, y_i being +1 where member[row[i]] and -1 elsewhere, by liblinear's L2R_LR at its
 * own tolerance (0.01). If all are alike the intercept says so and the rest is 0. Safe from several
 * threads at once. */
void logistic_train(const struct logistic *l, const uint32_t *row, size_t rows,
		    const uint8_t *member, double C, double *weight);

/* w.(x, 1); above 0: rather a member. */
double logistic_value(const double *weight, const double *x, size_t cols);

/* One split, the repeat-th of the seed: vertices that have classes are shuffled, the first
 * round(ratio of them) train (one at least trains, and one is tested). Row i of X has the classes of
 * set i. A class without members and guesses among the tested has F1 0. Same for any threads. */
void multilabel_split(const struct logistic *l, const struct mat *X, const struct label_sets *s,
		      const struct multilabel_params *p, unsigned repeat,
		      struct multilabel_score *score);

#endif
