/* The table of every kind has the members that must not be NULL. */
#include "common/job/kinds.h"
#include "tests/test.h"

#include <string.h>

TEST(test_all_have_all)
{
	for (size_t i = 0; kinds[i]; i++) {
		const struct kind *k = kinds[i];

		if (!k->name || !k->thing || !k->things || !k->rows || !k->results || !k->check ||
		    !k->disclosures || !k->memory || !k->permission != !k->permissions ||
		    (k->clusters == CLUSTERS_OR_RANGE && !k->one_k))
			fail_msg("the table of kind %s lacks a member", k->name);
	}
}

/* A row of the table of parameters lists the values of the kind's selector (`method` of kcagc) that
 * read it. Each of these values must exist, since --describe prints it. */
TEST(test_readers_have_names)
{
	for (size_t i = 0; kinds[i]; i++) {
		const struct config_row *way = kinds[i]->rows;
		size_t n = 0;

		while (kinds[i]->way && way->path && strcmp(way->path, kinds[i]->way))
			way++;
		while (kinds[i]->way && way->path && way->names[n])
			n++;
		for (const struct config_row *row = kinds[i]->rows; row->path; row++)
			if (row->readers >> n)
				fail_msg("%s: %s is read by a value that %s does not have",
					 kinds[i]->name, row->path,
					 kinds[i]->way ? kinds[i]->way : "the kind");
	}
}
