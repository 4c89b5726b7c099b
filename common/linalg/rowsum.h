/* rowsum.h -- sums over rows that come out in the same bits wherever the rows are: each block of ROWSUM_ROWS rows
 * is summed by itself, in the order of its rows, and blocks are joined in pairs, pairs in pairs, a binary tree
 * that depends on how many rows there are and on nothing else. Who has only some of the blocks, or takes them
 * up in units of 2^k, joins the same ones. Up to ROWSUM_ROWS rows it is the plain sum.
 *
 * For n = 10^6 rows the rounding of a sum grows with 4096 and log2 of 245 blocks, not with 10^6. */
#ifndef COMMON_LINALG_ROWSUM_H
#define COMMON_LINALG_ROWSUM_H

#include <stddef.h>

/* Part of results' last bits, so never tuned to the machine. */
enum { ROWSUM_ROWS = 4096, ROWSUM_DEPTH = 64 };

/* into <- into joined with from, the part that follows; width values each. */
typedef void rowsum_join(void *ctx, double *into, double *from);

struct rowsum {
	size_t width;
	rowsum_join *join; /* NULL: values are added */
	void *ctx;
	size_t next; /* the number of the next block */
	size_t depth;
	struct rowsum_part {
		size_t first, blocks;
		double *a;
	} part[ROWSUM_DEPTH];
};

/* Memory: width doubles times log2 of the number of blocks. */
void rowsum_init(struct rowsum *s, size_t width, rowsum_join *join, void *ctx);
void rowsum_release(struct rowsum *s);

/* Where the next block's sum goes: width values, zeroed, until rowsum_close(). Blocks come in their order. */
double *rowsum_open(struct rowsum *s);
void rowsum_close(struct rowsum *s);

/* What was summed is dropped, and the next block has this number. */
static inline void rowsum_begin_at(struct rowsum *s, size_t first)
{
	s->next = first;
	s->depth = 0;
}
/* What was opened are blocks first .. first + blocks - 1, already joined as they would be here. */
void rowsum_close_at(struct rowsum *s, size_t first, size_t blocks);

/* The sum of all blocks, width values that stay until the next call or release; zeros if there were none. The
 * next rowsum_open() begins anew. */
const double *rowsum_end(struct rowsum *s);

/* How many blocks n rows are, and how many rows block b has. */
static inline size_t rowsum_blocks(size_t n)
{
	return n / ROWSUM_ROWS + (n % ROWSUM_ROWS != 0);
}

static inline size_t rowsum_rows(size_t n, size_t b)
{
	return n - b * ROWSUM_ROWS < ROWSUM_ROWS ? n - b * ROWSUM_ROWS : ROWSUM_ROWS;
}

#endif
