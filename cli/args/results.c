#include "cli/args/results.h"
#include "cli/args/args.h"
#include "common/base/file.h"
#include "common/data/labels.h"

#include <stdlib.h>

enum err results_write(const char *out, char *const *id, const uint32_t *label, size_t n,
		       const struct json *result)
{
	char *csv = file_join(out, "labels.csv"), *npy = file_join(out, "labels.npy");
	struct buf text = { 0 };
	enum err err = file_make_dirs(out);

	json_write_pretty(result, &text);
	if (!err)
		err = labels_write_csv(csv, id, label, n);
	if (!err)
		err = labels_write_npy(npy, label, n);
	if (!err)
		err = args_write(out, "result.json", &text);
	buf_release(&text);
	free(npy);
	free(csv);
	return err;
}
