#include "party/fedgcn/graph_labels.h"
#include "common/base/alloc.h"
#include "common/data/labels.h"

#include <stdio.h>
#include <stdlib.h>

enum err graph_labels_write(const char *path, const uint32_t *label, size_t n)
{
	struct {
		char text[24];
	} * name;
	char **id;
	enum err e;

	ALLOC(name, n);
	ALLOC(id, n);
	for (size_t i = 0; i < n; i++) {
		snprintf(name[i].text, sizeof(name[i].text), "%zu", i + 1);
		id[i] = name[i].text;
	}
	e = labels_write_csv(path, id, label, n);
	free(id);
	free(name);
	return e;
}
