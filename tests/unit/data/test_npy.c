/* Reads .npy files of every type, and refuses broken headers and every prefix of a file. */
#include "tests/test.h"
#include "tests/unit/data/files.h"

#include "common/base/file.h"
#include "common/data/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns a file of version 1.0 with this header, followed by the data. */
static struct bytes file_of(const char *header, const void *data, size_t n)
{
	static uint8_t file[4096];
	size_t len = strlen(header);

	memcpy(file, "\x93NUMPY\x01\x00", 8);
	file[8] = (uint8_t)(len & 255);
	file[9] = (uint8_t)(len >> 8);
	memcpy(file + 10, header, len);
	memcpy(file + 10 + len, data, n);
	return exact(file, 10 + len + n);
}

static enum err parse(const char *header, const void *data, size_t n, struct mat *m)
{
	struct bytes b = file_of(header, data, n);
	enum err err = npy_parse(b, "x.npy", m);

	free((void *)(uintptr_t)b.p);
	return err;
}

TEST(test_types)
{
	static const struct {
		const char *descr;
		unsigned char bytes[16];
		size_t size;
		double first, second;
	} cases[] = {
		{ "<f4", { 0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0 }, 4, 1.5, -2 },
		{ "<f8", { 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0 }, 8, 1.5, -2 },
		{ "|i1", { 1, 0xff }, 1, 1, -1 },
		{ "|u1", { 1, 0xff }, 1, 1, 255 },
		{ "|b1", { 1, 0 }, 1, 1, 0 },
		{ "<i2", { 1, 2, 0xff, 0xff }, 2, 513, -1 },
		{ "<u2", { 1, 2, 0xff, 0xff }, 2, 513, 65535 },
		{ "<i4", { 1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff }, 4, 1, -2 },
		{ "<u4", { 1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff }, 4, 1, 4294967294.0 },
		{ "<i8",
		  { 1, 0, 0, 0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		  8,
		  1,
		  -2 },
		{ "<u8",
		  { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0 },
		  8,
		  1,
		  9007199254740992.0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char header[128];
		struct mat m;

		snprintf(header, sizeof(header),
			 "{'descr': '%s', 'fortran_order': False, 'shape': (1, 2), }\n",
			 cases[i].descr);
		assert_ok(parse(header, cases[i].bytes, 2 * cases[i].size, &m));
		assert_int_equal(m.rows, 1);
		assert_int_equal(m.cols, 2);
		assert_true(m.a[0] == cases[i].first && m.a[1] == cases[i].second);
		mat_release(&m);
	}
}

TEST(test_headers)
{
	static const struct {
		const char *header, *message; /* message: NULL if valid */
	} cases[] = {
		/* 0 */ { "{'shape': (2,), 'fortran_order': False, 'descr': '|u1'}", NULL },
		/* 1 */ { "{'descr':'|u1','fortran_order':False,'shape':(2,1)}   \n", NULL },
		/* 2 */
		{ "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 1), }", "Fortran order" },
		/* 3 */
		{ "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 1), }",
		  "the element type is none of" },
		/* 4 */ { "{'descr': '<c16', 'fortran_order': False, 'shape': (2, 1), }", "<c16" },
		/* 5 */
		{ "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 1), }",
		  "not a simple type" },
		/* 6 */
		{ "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1, 1), }",
		  "more than two dimensions" },
		/* 7 */
		{ "{'descr': '|u1', 'fortran_order': False, 'shape': (), }",
		  "one or two dimensions" },
		/* 8 */
		{ "{'descr': '|u1', 'fortran_order': False, 'shape': (-2,), }",
		  "one or two dimensions" },
		/* 9 */ { "{'descr': '|u1', 'fortran_order': False, }", "exactly" },
		/* 10 */
		{ "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), 'x': 1}", "exactly" },
		/* 11 */ { "{'descr': '|u1', 'descr': '|u1', 'shape': (2,), }", "exactly" },
		/* 12 */
		{ "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), } x", "goes on after" },
		/* 13 */
		{ "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }",
		  "promises 3 x 1 elements of 1 bytes, but 2 bytes" },
		/* 14 */
		{ "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", "but 2 bytes" },
		/* 15 */
		{ "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 2), }",
		  "at least one row" },
		/* 16 */
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, "
		  "1000000000000), }",
		  "promises 1000000000000 x 1000000000000" },
		/* 17 */
		{ "{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
		  "promises" },
		/* 18 */
		{ "{'descr': '|u1', 'fortran_order': False, 'shape': (18446744073709551618,), }",
		  "dimensions" },
		/* 19 */ { "", "no dictionary" },
		/* 20 */
		{ "{'descr': '|u1', 'fortran_order': false, 'shape': (2,), }",
		  "neither True nor False" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mat m;

		print_message("case %zu\n", i);
		if (cases[i].message) {
			assert_err(parse(cases[i].header, "ab", 2, &m), ERR_INPUT,
				   cases[i].message);
			assert_true(strstr(err_detail(), "x.npy: ") == err_detail());
			assert_null(m.a);
		} else {
			assert_ok(parse(cases[i].header, "ab", 2, &m));
			assert_int_equal(m.rows, 2);
			assert_int_equal(m.cols, 1);
			assert_true(m.a[1] == 'b');
			mat_release(&m);
		}
	}
}

/* The number of bytes of 2^64 elements would overflow to 0. */
TEST(test_product_that_wraps)
{
	struct mat m;

	assert_err(
	    parse("{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
		  "", 0, &m),
	    ERR_INPUT, "promises 4294967296 x 4294967296");
	assert_err(
	    parse("{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952, 1), }",
		  "", 0, &m),
	    ERR_INPUT, "dimensions");
}

TEST(test_values_that_are_no_numbers)
{
	static const unsigned char nan8[16] = { [14] = 0xf8, [15] = 0x7f },
				   inf4[8] = { [6] = 0x80, [7] = 0xff },
				   big8[8] = { 1, 0, 0, 0, 0, 0, 0x20, 0 };
	struct mat m;

	assert_err(
	    parse("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }", nan8, 16, &m),
	    ERR_INPUT, "row 1, column 0 (from 0) is nan");
	assert_null(m.a);
	assert_err(
	    parse("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", inf4, 8, &m),
	    ERR_INPUT, "row 0, column 1 (from 0) is -inf");
	assert_err(parse("{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }", big8, 8, &m),
		   ERR_OK, "");
	mat_release(&m);
	assert_err(parse("{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }",
			 "\xff\xff\xff\xff\xff\xff\xff\xff", 8, &m),
		   ERR_INPUT, "at most 2^53");
}

TEST(test_versions)
{
	static const char header[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }";
	uint8_t file[128] = "\x93NUMPY\x03\x00";
	struct bytes b;
	struct mat m;

	file[8] = sizeof(header) - 1;
	memcpy(file + 12, header, sizeof(header)); /* the zero byte is the only element */
	b = exact(file, 12 + sizeof(header));
	assert_ok(npy_parse(b, "x", &m));
	mat_release(&m);
	((uint8_t *)(uintptr_t)b.p)[6] = 4;
	assert_err(npy_parse(b, "x", &m), ERR_INPUT, "format version");
	((uint8_t *)(uintptr_t)b.p)[6] = 2;
	((uint8_t *)(uintptr_t)b.p)[11] = 0xff; /* a header of 4 GiB */
	assert_err(npy_parse(b, "x", &m), ERR_INPUT, "ends within its header");
	free((void *)(uintptr_t)b.p);
}

TEST(test_every_prefix_is_refused)
{
	double values[6] = { 1, 2, 3, 4, 5, 0.1 };
	struct mat m = { 2, 3, values }, again;
	struct buf file = { 0 };

	npy_print(&m, &file);
	for (size_t n = 0; n < file.n; n++) {
		struct bytes b = exact(file.p, n);

		assert_err(npy_parse(b, "x", &again), ERR_INPUT, "x: ");
		free((void *)(uintptr_t)b.p);
	}
	buf_add(&file, "", 1); /* one more byte */
	assert_err(npy_parse((struct bytes){ file.p, file.n }, "x", &again), ERR_INPUT,
		   "bytes follow");
	buf_release(&file);
}

TEST(test_written_as_read)
{
	double exact_floats[4] = { 0, -1.5, 3, 0x1p-20 }, doubles[4] = { 0.1, 1e300, -1e-300, 5 };

	for (int i = 0; i < 2; i++) {
		struct mat m = { 2, 2, i ? doubles : exact_floats }, again;
		struct buf file = { 0 };

		npy_print(&m, &file);
		assert_int_equal(file.n % 64, i ? 32 : 16); /* the header is padded to 64 bytes */
		assert_ok(npy_parse((struct bytes){ file.p, file.n }, "x", &again));
		assert_int_equal(again.rows, 2);
		assert_memory_equal(again.a, m.a, 4 * sizeof(double));
		mat_release(&again);
		buf_release(&file);
	}
}

enum { MANY = 300000 }; /* so many rows need several reads of a file */

/* Reads a file by parts: a part has the rows that the whole file has there, and an error names the
 * row of the whole file. */
TEST(test_read_by_parts)
{
	char path[] = "/tmp/test-npy-XXXXXX.npy";
	struct mat whole, all, part;
	struct buf file = { 0 };
	size_t rows, cols;

	close(mkstemps(path, 4));
	mat_init(&whole, MANY, 3);
	for (size_t i = 0; i < (size_t)MANY * 3; i++)
		whole.a[i] = (double)i / 7;
	npy_print(&whole, &file);
	assert_ok(file_write(path, (struct bytes){ file.p, file.n }, FILE_PUBLIC));
	assert_ok(npy_read_shape(path, &rows, &cols));
	assert_true(rows == MANY && cols == 3);
	assert_ok(npy_read(path, &all));
	assert_memory_equal(all.a, whole.a, (size_t)MANY * 3 * sizeof(double));
	assert_ok(npy_read_rows(path, 250000, 100000, &part));
	assert_int_equal(part.rows, MANY - 250000);
	assert_memory_equal(part.a, ROW(&whole, 250000), part.rows * 3 * sizeof(double));
	mat_release(&part);
	assert_ok(npy_read_rows(path, MANY, 5, &part));
	assert_int_equal(part.rows, 0);
	mat_release(&part);
	memset(file.p + file.n - 3 * 8, 0xff, 8);
	assert_ok(file_write(path, (struct bytes){ file.p, file.n }, FILE_PUBLIC));
	assert_err(npy_read_rows(path, MANY - 2, 2, &part), ERR_INPUT,
		   "row 299999, column 0 (from 0) is");
	assert_ok(npy_read_rows(path, 0, MANY - 1, &part));
	mat_release(&part);
	assert_ok(file_write(path, (struct bytes){ file.p, file.n - 1 }, FILE_PUBLIC));
	assert_err(npy_read(path, &part), ERR_INPUT, "but 7199999 bytes follow it");
	unlink(path);
	mat_release(&all);
	mat_release(&whole);
	buf_release(&file);
}
