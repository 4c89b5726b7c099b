/* Tests cached results of a party: they are read back equal. */
#include "tests/unit/linalg/sample.h"
#include "protocols/kcagc/party/pieces.h"

enum { ROWS = 40, COLS = 3, DIMS = 5 };

/* The cache keeps the embedding of a slice with fewer columns than dimensions, and its share. */
TEST(an_embedding_is_read_back)
{
	const struct embed_params p = { .filter = FILTER_HALF,
					.order = 2,
					.dims = DIMS,
					.unit_rows = true,
					.row_power = 0.8,
					.threads = 1 };
	struct embedding kept, back = { 0 };
	struct mat Z, read = { 0 };
	struct features X = { 0 };
	struct buf piece = { 0 };
	struct graph g;

	sample_graph(&g, ROWS, 80, 2, false, 1);
	sample_normal(&X.dense, ROWS, COLS, 2);
	assert_ok(embed_keep(&X, &g, &p, &Z, &kept));
	assert_near(kept.share, sqrt((double)COLS / DIMS), 1e-12);
	embedding_write(&Z, &kept, &piece);
	assert_true(embedding_parse((struct bytes){ piece.p, piece.n }, ROWS, COLS, &read, &back));
	assert_same_bits(&read, &Z);
	assert_same_bits(&back.map, &kept.map);
	assert_true(back.share == kept.share && back.mean_norm == kept.mean_norm &&
		    back.row_power == kept.row_power && back.order == kept.order);
	buf_release(&piece);
	embedding_release(&back);
	embedding_release(&kept);
	mat_release(&read);
	mat_release(&Z);
	graph_release(&g);
}
