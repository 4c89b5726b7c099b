/* work_pass_block() passes a block on in pieces. The last piece waits until the check of the whole
 * block succeeds. */
#include "common/base/alloc.h"
#include "common/linalg/mat.h"
#include "party/work/work.h"
#include "tests/unit/proto/joined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row has 8 numbers, and the block has three whole pieces and a part of one. */
enum { WIDTH = 8, PIECE_ROWS = BLOCK_PIECE / (WIDTH * 8), ROWS = 3 * PIECE_ROWS + 77 };

static struct work work;
static const struct tree_node node = { .id = 9 };

/* Fills the block with cosines, so that V'V = ROWS I. */
static void make_block(struct mat *V)
{
	mat_init(V, ROWS, WIDTH);
	for (size_t i = 0; i < ROWS; i++)
		for (size_t j = 0; j < WIDTH; j++)
			MAT(V, i, j) =
			    sqrt(2) * cos(M_PI * ((double)i + 0.5) * (double)(j + 1) / ROWS);
}

static int begin(void **state)
{
	set_up(state);
	memset(&work, 0, sizeof(work));
	work.channel = party[A];
	work.threads = 1;
	return 0;
}

struct given {
	double *x;
	size_t count, pieces, until; /* until: number of the piece at which give() fails */
};

static enum err give(void *arg, const double *x, size_t count)
{
	struct given *g = arg;

	assert_int_equal(count % WIDTH, 0);
	assert_in_range(count, 1, BLOCK_PIECE / sizeof(*x));
	memcpy(g->x + g->count, x, count * sizeof(*x));
	g->count += count;
	return ++g->pieces == g->until ? err_set(ERR_INTERNAL, "the ranks are gone") : ERR_OK;
}

static enum err pass(const struct mat *V, struct given *g)
{
	g->x = alloc(ROWS * WIDTH, sizeof(*g->x));
	assert_ok(channel_send_reals(hub[A], MSG_BLOCK, node.id, V->a, ROWS * WIDTH));
	return work_pass_block(&work, &node, ROWS, WIDTH, give, g);
}

TEST_WITH(whole_blocks_pass, begin, tear_down)
{
	struct given g = { 0 };
	struct mat V, held;

	make_block(&V);
	assert_ok(pass(&V, &g));
	assert_int_equal(g.count, ROWS * WIDTH);
	assert_int_equal(g.pieces, 4);
	mat_init(&held, ROWS, WIDTH);
	assert_ok(channel_send_reals(hub[A], MSG_BLOCK, node.id, V.a, ROWS * WIDTH));
	assert_ok(work_recv_block(&work, &node, &held));
	assert_memory_equal(g.x, held.a, ROWS * WIDTH * sizeof(double));
	mat_release(&held);
	mat_release(&V);
	free(g.x);
}

/* Never passes on the whole block if any part of it is wrong: the last piece is withheld. */
TEST_WITH(others_do_not, begin, tear_down)
{
	static const struct {
		size_t row, col;
		double factor;
	} c[] = {
		{ 0, 0, 100 },
		{ PIECE_ROWS, 3, -50 },
		{ ROWS - 1, WIDTH - 1, 30 },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c) + 2; i++) {
		struct given g = { 0 };
		struct mat V;

		make_block(&V);
		if (i < sizeof(c) / sizeof(*c))
			MAT(&V, c[i].row, c[i].col) *= c[i].factor;
		for (size_t r = 0; r < ROWS && i >= sizeof(c) / sizeof(*c);
		     /* odd i: doubles a column; even i: makes two columns equal */
		     r++)
			MAT(&V, r, 2) = i % 2 ? 2 * MAT(&V, r, 2) : MAT(&V, r, 1);
		assert_err(
		    pass(&V, &g), ERR_PEER,
		    "hub sent a BLOCK whose columns are not orthogonal and of length sqrt(n)");
		assert_int_equal(g.count, 3 * PIECE_ROWS * WIDTH);
		mat_release(&V);
		free(g.x);
		tear_down(state);
		begin(state);
	}
}

/* Stops if give() returns an error. */
TEST_WITH(errors_of_the_taker, begin, tear_down)
{
	struct given g = { .until = 2 };
	struct mat V;

	make_block(&V);
	assert_err(pass(&V, &g), ERR_INTERNAL, "the ranks are gone");
	assert_int_equal(g.pieces, 2);
	mat_release(&V);
	free(g.x);
}

/* Refuses a block that the coordinator sends for another group, and passes on no piece. */
TEST_WITH(other_blocks, begin, tear_down)
{
	static const float number[WIDTH] = { 1 };
	struct given g = { 0 };

	ALLOC(m, 1);
	m->type = MSG_BLOCK;
	m->reals =
	    (struct msg_reals){ 8, ROWS * WIDTH, 0, { (const uint8_t *)number, sizeof(number) } };
	assert_ok(channel_send(hub[A], m));
	assert_err(work_pass_block(&work, &node, ROWS, WIDTH, give, &g), ERR_PEER, "of group 8");
	assert_int_equal(g.pieces, 0);
	free(m);
}
