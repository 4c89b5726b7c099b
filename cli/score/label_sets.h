/* label_sets.h -- the classes of vertices, any number each, matched to the vertices of embeddings.
 *
 * Text: a line for each vertex, its classes as whole numbers between blanks, or empty; ids.txt beside
 * it says which vertex, without it they are 0, 1, ... A labels.csv ("id,label") has ids itself; an id
 * may come again, with another class. */
#ifndef CLI_SCORE_LABEL_SETS_H
#define CLI_SCORE_LABEL_SETS_H

#include "common/base/err.h"
#include "common/data/ids.h"

#include <stddef.h>
#include <stdint.h>

/* Classes are numbered 0 .. classes-1 by rising label; those of vertex i are
 * class[start[i]] .. class[start[i+1] - 1], rising. */
struct label_sets {
	size_t n, classes;
	size_t *start;   /* n + 1 */
	uint32_t *class; /* of all vertices */
	size_t strangers; /* lines with classes of vertices that are none of ours */
};

/* ids: the n vertices; set i is that of ids->id[i]. ERR_INPUT: the file is wrong, or has none of
 * their classes. */
enum err label_sets_read(const char *path, const struct ids *ids, struct label_sets *s) MUST_CHECK;
void label_sets_release(struct label_sets *s);

#endif
