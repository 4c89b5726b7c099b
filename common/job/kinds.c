#include "common/job/kinds.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#define KIND(name) extern const struct kind kind_##name;
#include "protocols/kinds.def"
#undef KIND
const struct kind *const kinds[] = {
#define KIND(name) &kind_##name,
#include "protocols/kinds.def"
#undef KIND
	NULL
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) - 1, PERMISSIONS_MAX = 4 * KINDS };

static const char *names[KINDS + 1], *permissions[PERMISSIONS_MAX + 1];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void kinds_list_registered(void)
{
	size_t n = 0;

	for (size_t i = 0; kinds[i]; i++) {
		const char *const own[] = { kinds[i]->name, NULL };

		names[i] = kinds[i]->name;
		for (const char *const *word = kinds[i]->permissions ? kinds[i]->permissions : own;
		     *word; word++) {
			assert(n < PERMISSIONS_MAX);
			permissions[n++] = *word;
		}
	}
}

const char *const *kind_names(void)
{
	pthread_once(&once, kinds_list_registered);
	return names;
}

const char *const *kind_permissions(void)
{
	pthread_once(&once, kinds_list_registered);
	return permissions;
}

const struct kind *kind_named(const char *name)
{
	for (size_t i = 0; kinds[i]; i++)
		if (!strcmp(kinds[i]->name, name))
			return kinds[i];
	return NULL;
}

size_t kind_index(const struct kind *kind)
{
	size_t i = 0;

	while (kinds[i] && kinds[i] != kind)
		i++;
	assert(kinds[i]);
	return i;
}

const char *const *kind_words(const char *path)
{
	static const char *const none[] = { NULL };

	for (size_t i = 0; kinds[i]; i++)
		for (const struct config_row *row = kinds[i]->rows; row->path; row++)
			if (!strcmp(row->path, path) && row->names)
				return row->names;
	return none;
}
