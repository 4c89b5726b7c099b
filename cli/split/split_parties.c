#include "cli/split/split_parties.h"
#include "cli/args/args.h"
#include "common/base/file.h"

#include <stdio.h>
#include <stdlib.h>

char *split_party_dir(const struct split_params *p, uint32_t l)
{
	char name[32];

	snprintf(name, sizeof(name), "party-%02u", l);
	return file_join(p->out, name);
}

enum err split_each(const struct split_params *p, split_writer *write, const void *source)
{
	enum err err = ERR_OK;

	for (uint32_t l = 0; l < p->parties && !err; l++) {
		char *dir = split_party_dir(p, l);

		err = file_make_dirs(dir);
		if (!err)
			err = write(source, dir, l);
		free(dir);
	}
	return err;
}

struct json *split_json(const struct split_params *p)
{
	struct json *root = json_object();

	json_put_string(root, "by", split_by_names[p->by]);
	json_put_number(root, "parties", (double)p->parties);
	json_put_number(root, "seed", (double)p->seed);
	return root;
}

enum err split_json_write(const struct split_params *p, struct json *root)
{
	struct buf text = { 0 };

	json_write_pretty(root, &text);
	json_free(root);
	return args_write(p->out, "split.json", &text);
}

struct split_hold_params split_hold_of(const struct split_params *p)
{
	return (struct split_hold_params){ p->parties, p->overlap, p->regions, p->seed };
}

void split_put_holders(struct json *root, const struct split_params *p, size_t copies)
{
	json_put_number(root, "overlap", p->overlap);
	json_put_number(root, "holders", (double)copies);
	json_put_bool(root, "regions", p->regions);
}
