/* Whether a file of MATLAB's level 5 is whole. matio reads one that was cut short, or whose packed
 * bytes are damaged, as if all were well: with zeros, or whatever was in its memory, in place of
 * numbers. */
#include "cli/import/sources.h"
#include "cli/import/unpack.h"

#include <stdio.h>
#include <string.h>

enum { HEADER = 128, TAG = 8 };
enum { MI_MATRIX = 14, MI_COMPRESSED = 15 };           /* types of elements */
enum { MX_SPARSE = 5, MX_DOUBLE = 6, MX_UINT64 = 15 }; /* classes of matrices */

/* What is left of a file, an element or a matrix. */
struct rest {
	const uint8_t *p;
	size_t n;
	bool swapped; /* big-endian */
};

struct element {
	uint32_t type;
	struct rest data;
};

static uint32_t number(const struct rest *r, size_t at)
{
	uint32_t x;

	memcpy(&x, r->p + at, sizeof(x));
	return r->swapped ? __builtin_bswap32(x) : x;
}

/* The next one comes off; false: it does not lie in what is left. Small ones have their bytes in
 * the tag. */
static bool take(struct rest *r, bool padded, struct element *e)
{
	size_t size, whole;
	bool small;

	if (r->n < TAG)
		return false;
	small = number(r, 0) >> 16;
	e->type = small ? number(r, 0) & 0xffff : number(r, 0);
	size = small ? number(r, 0) >> 16 : number(r, 4);
	whole = small ? TAG : TAG + (padded ? (size + 7) / 8 * 8 : size);
	if ((small && size > 4) || whole > r->n)
		return false;
	e->data = (struct rest){ r->p + (small ? 4 : TAG), size, r->swapped };
	*r = (struct rest){ r->p + whole, r->n - whole, r->swapped };
	return true;
}

static size_t width_of(uint32_t type)
{
	static const uint8_t bytes[] = { 0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8 };

	return type < sizeof(bytes) ? bytes[type] : 0;
}

/* Numbers are as many as the dimensions say. */
static bool numbers_are(const struct element *e, size_t count)
{
	size_t width = width_of(e->type);

	return width && e->data.n % width == 0 && e->data.n / width == count;
}

static bool sparse_is_whole(struct rest *m, size_t columns)
{
	struct element ir, jc, pr;
	size_t last;

	if (!take(m, true, &ir) || !take(m, true, &jc) || !numbers_are(&jc, columns + 1))
		return false;
	last = number(&jc.data, jc.data.n - sizeof(uint32_t));
	return ir.data.n / sizeof(uint32_t) >= last && take(m, true, &pr) && width_of(pr.type) &&
	       pr.data.n / width_of(pr.type) >= last;
}

/* Flags, dimensions, name, numbers. Of other classes (cells, texts, functions) no matrix is made.
 */
static bool matrix_is_whole(struct rest m)
{
	struct element flags, dims, name, values;
	size_t count = 1;
	uint32_t class;

	if (!take(&m, true, &flags) || flags.data.n != TAG)
		return false;
	class = number(&flags.data, 0) & 0xff;
	if (class != MX_SPARSE && (class < MX_DOUBLE || class > MX_UINT64))
		return true;
	if (!take(&m, true, &dims) || dims.data.n < TAG || dims.data.n % 4 ||
	    !take(&m, true, &name))
		return false;
	if (class == MX_SPARSE)
		return sparse_is_whole(&m, number(&dims.data, 4));
	for (size_t i = 0; i < dims.data.n; i += 4)
		if (__builtin_mul_overflow(count, number(&dims.data, i), &count))
			return false;
	return take(&m, true, &values) && numbers_are(&values, count);
}

static enum err check_element(const struct element *e, const char *path, size_t at)
{
	struct buf unpacked = { 0 };
	struct rest inner;
	struct element one = *e;
	char where[300];
	enum err err = ERR_OK;
	bool whole = true;

	snprintf(where, sizeof(where), "%.200s: the variable at byte %zu", path, at);
	if (e->type == MI_COMPRESSED) {
		err = unpack_zlib((struct bytes){ e->data.p, e->data.n }, where, unpack_most(),
				  &unpacked);
		inner = (struct rest){ unpacked.p, unpacked.n, e->data.swapped };
		whole = err == ERR_OK && take(&inner, false, &one) && inner.n == 0;
	}
	if (err == ERR_OK &&
	    (!whole || (one.type == MI_MATRIX && one.data.n && !matrix_is_whole(one.data))))
		err = err_set(ERR_INPUT, "%s has another length than it says: the file is damaged",
			      where);
	buf_release(&unpacked);
	return err;
}

enum err import_mat_check(struct bytes file, const char *path)
{
	struct rest r = { file.p, file.n, false };
	struct element e;

	/* Before level 5, and in files of HDF5 (level 7.3), lengths are looked at by who reads
	 * them. */
	if (file.n < HEADER ||
	    (memcmp(file.p + 124, "\0\1IM", 4) != 0 && memcmp(file.p + 124, "\1\0MI", 4) != 0))
		return ERR_OK;
	r.swapped = file.p[126] == 'M';
	r.p += HEADER;
	r.n -= HEADER;
	while (r.n > 0) {
		size_t at = file.n - r.n;

		if (!take(&r, false, &e))
			return err_set(ERR_INPUT,
				       "%s: the variable at byte %zu goes on behind the end of the "
				       "file, at byte %zu: it was cut short",
				       path, at, file.n);
		TRY(check_element(&e, path, at));
	}
	return ERR_OK;
}
