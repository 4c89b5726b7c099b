/* FedGCN writes models to files and reads equal models back. It refuses damaged files. */
#include "tests/test.h"
#include "tests/unit/data/files.h"

#include "protocols/fedgcn/file.h"
#include "common/learn/gin.h"

#include <math.h>

static double *filled(size_t n, double first)
{
	double *x;

	ALLOC(x, n);
	for (size_t i = 0; i < n; i++)
		x[i] = first + (double)i / 1024;
	return x;
}

static void make_model(struct fedgcn_model *m, unsigned k, size_t q)
{
	struct gin net;

	gin_init(&net, GRAPHS_STRUCTURE);
	*m = (struct fedgcn_model){ .k = k, .q = q, .weights = net.weights };
	m->W = filled(net.weights, -3);
	m->C = (struct mat){ k, FEDGCN_Z, filled(k * FEDGCN_Z, 0.1) };
	if (!q)
		return;
	m->mean = filled(FEDGCN_Z, 1);
	m->axis = filled(q * FEDGCN_Z, 2);
	m->share = filled(k, 0.25);
	m->mu = filled(k * q, 4);
	m->precision = filled(k * q * q, 5);
}

static void print(const struct fedgcn_model *m, struct buf *b)
{
	*b = (struct buf){ 0 };
	fedgcn_file_print(m, b);
}

static enum err parse(const uint8_t *p, size_t n, struct fedgcn_model *m)
{
	struct bytes file = exact(p, n);
	enum err err = fedgcn_file_parse(file, "x.fedgcn", m);

	free((void *)(uintptr_t)file.p);
	return err;
}

TEST(test_there_and_back)
{
	for (size_t q = 0; q <= 3; q += 3) {
		struct fedgcn_model m, n;
		struct buf b, c;

		make_model(&m, 2, q);
		print(&m, &b);
		assert_ok(parse(b.p, b.n, &n));
		assert_int_equal(n.k, 2);
		assert_int_equal(n.q, q);
		assert_true(n.W[7] == m.W[7] && MAT(&n.C, 1, 5) == MAT(&m.C, 1, 5));
		if (q)
			assert_true(n.precision[17] == m.precision[17]);
		print(&n, &c);
		assert_int_equal(b.n, c.n);
		assert_memory_equal(b.p, c.p, b.n);
		fedgcn_model_release(&m);
		fedgcn_model_release(&n);
		buf_release(&b);
		buf_release(&c);
	}
}

/* Refuses a file with a flipped bit, a file that was cut off, and a file with an extra byte. */
TEST(test_damaged_file_is_refused)
{
	struct fedgcn_model m, n;
	struct buf b;

	make_model(&m, 2, 3);
	print(&m, &b);
	for (size_t i = 0; i < b.n; i += i < 48 || i + 48 > b.n ? 1 : 4099) {
		b.p[i] ^= (uint8_t)(1 << i % 8);
		assert_int_equal(parse(b.p, b.n, &n), ERR_INPUT);
		assert_null(n.W);
		b.p[i] ^= (uint8_t)(1 << i % 8);
		assert_int_equal(parse(b.p, i, &n), ERR_INPUT);
	}
	assert_err(parse(b.p, 4, &n), ERR_INPUT, "x.fedgcn: is no model of FedGCN");
	assert_err(parse(b.p, 20, &n), ERR_INPUT, "x.fedgcn: cut off after 20 bytes");
	assert_err(parse(b.p, b.n - 1, &n), ERR_INPUT, "x.fedgcn: damaged or cut off");
	buf_add(&b, "", 1);
	assert_err(parse(b.p, b.n, &n), ERR_INPUT, "damaged");
	fedgcn_model_release(&m);
	buf_release(&b);
}

/* Refuses files with a correct checksum but impossible contents. */
TEST(test_does_not_hold_together)
{
	struct fedgcn_model m, n;
	struct buf b;

	make_model(&m, 2, 3);
	m.weights -= 64;
	print(&m, &b);
	assert_err(parse(b.p, b.n, &n), ERR_INPUT, "45664 weights");
	buf_release(&b);
	m.weights += 64;
	m.W[3] = NAN;
	print(&m, &b);
	assert_err(parse(b.p, b.n, &n), ERR_INPUT, "not finite or beyond bounds");
	buf_release(&b);
	m.W[3] = 0;
	m.share[0] = -0.5;
	print(&m, &b);
	assert_err(parse(b.p, b.n, &n), ERR_INPUT, "beyond bounds");
	buf_release(&b);
	m.share[0] = 0.5;
	m.features = (enum graphs_features)9;
	print(&m, &b);
	assert_err(parse(b.p, b.n, &n), ERR_INPUT, "do not make");
	buf_release(&b);
	fedgcn_model_release(&m);
}
