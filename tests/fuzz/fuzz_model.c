/* Fuzzes models: a model that model_parse() accepts is written again as the same bytes. This file
 * adds head and checksum, since no input would have the right ones. */

/* Fuzzers do not link the daemon, so this test includes the one source file that it needs. */
#include "protocols/kcagc/party/model.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf file = { 0 }, again = { 0 };
	struct model *m = NULL;

	buf_add(&file, "COTMODEL\0\0\0\2", 12);
	buf_add(&file, data, size);
	sha256_of(file.p, file.n, buf_extend(&again, SHA256_LEN));
	buf_add(&file, again.p, SHA256_LEN);
	again.n = 0;
	if (model_parse((struct bytes){ file.p, file.n }, "f", &m) == ERR_OK) {
		model_print(m, &again);
		if (again.n != file.n || memcmp(again.p, file.p, file.n) != 0)
			abort();
		model_free(m);
	}
	buf_release(&again);
	buf_release(&file);
	return 0;
}
