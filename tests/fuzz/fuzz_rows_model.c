/* Fuzzes models of rows: a model that fedsc_model_parse() accepts is written again as the same
 * bytes. If it assigns a row, it gives one of its clusters and a confidence from 0 to 1. This file
 * adds head and checksum, since no input would have the right ones. */
#include "protocols/fedsc/model.c" /* for magic */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COLUMNS_MOST = 1 << 12 };

static void place(const struct fedsc_model *m)
{
	double confidence;
	uint32_t label = UINT32_MAX;
	struct mat X;

	if (m->m > COLUMNS_MOST)
		return;
	mat_init(&X, 1, m->m);
	if (fedsc_model_assign(m, &X, NULL, 1, &label, &confidence) == ERR_OK &&
	    (label >= m->centre.rows || !(confidence >= 0 && confidence <= 1)))
		abort();
	mat_release(&X);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf file = { 0 }, again = { 0 };
	struct fedsc_model m;

	buf_add(&file, magic, sizeof(magic));
	pack_put(&file, FEDSC_MODEL_VERSION, 4);
	buf_add(&file, data, size);
	pack_put(&file, pack_crc(file.p, file.n), CHECKSUM);
	if (fedsc_model_parse((struct bytes){ file.p, file.n }, "f", &m) == ERR_OK) {
		fedsc_model_print(&m, &again);
		if (again.n != file.n || memcmp(again.p, file.p, file.n) != 0)
			abort();
		place(&m);
		fedsc_model_release(&m);
	}
	buf_release(&again);
	buf_release(&file);
	return 0;
}
