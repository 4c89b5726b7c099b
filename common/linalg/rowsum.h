/* rowsum.h -- sums over rows that are bitwise identical for any distribution of the rows. Each
 * block of ROWSUM_ROWS rows is summed by itself, in the order of its rows. Blocks are joined in
 * pairs, then pairs in pairs: a binary tree that depends only on the number of rows. A process that
 * has some of the blocks, or units of 2^k blocks, joins the same pairs. A sum of up to ROWSUM_ROWS
 * rows is the plain sum.
 *
 * For n = 10^6 rows the rounding of a sum grows with 4096 and log2 of 245 blocks, not with 10^6. */
#ifndef COMMON_LINALG_ROWSUM_H
#define COMMON_LINALG_ROWSUM_H

#include <stddef.h>

/* ROWSUM_ROWS determines the last bits of results, so it must not be tuned to the machine. */
enum { ROWSUM_ROWS = 4096, ROWSUM_DEPTH = 64 };

/* Adds the part `from` to the part `into`, which precedes it; each has `width` values. */
typedef void rowsum_join(void *ctx, double *into, double *from);

struct rowsum {
	size_t width;
	rowsum_join *join; /* NULL: adds values */
	void *ctx;
	size_t next;
	size_t depth;
	/* `depth` sums, each over neighbouring blocks that are already joined */
	struct rowsum_part {
		size_t first, blocks;
		double *a;
	} part[ROWSUM_DEPTH];
};

/* Memory: width doubles times log2 of the number of blocks. */
void rowsum_init(struct rowsum *s, size_t width, rowsum_join *join, void *ctx);
void rowsum_release(struct rowsum *s);

/* Returns the place of the next block's sum: width values, zeroed, valid until rowsum_close().
 * Blocks come in order. */
double *rowsum_open(struct rowsum *s);
void rowsum_close(struct rowsum *s);

/* Drops the sum; the next block has number `first`. */
static inline void rowsum_begin_at(struct rowsum *s, size_t first)
{
	s->next = first;
	s->depth = 0;
}
/* Closes blocks first .. first + blocks - 1 at once. The caller has joined them in this order. */
void rowsum_close_at(struct rowsum *s, size_t first, size_t blocks);

/* Returns the sum of all blocks, width values valid until the next call or release; zeros without
 * blocks. The next rowsum_open() starts a new sum. */
const double *rowsum_end(struct rowsum *s);

static inline size_t rowsum_blocks(size_t n)
{
	return n / ROWSUM_ROWS + (n % ROWSUM_ROWS != 0);
}

static inline size_t rowsum_rows(size_t n, size_t b)
{
	return n - b * ROWSUM_ROWS < ROWSUM_ROWS ? n - b * ROWSUM_ROWS : ROWSUM_ROWS;
}

#endif
