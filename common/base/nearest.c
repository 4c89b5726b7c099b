#include "common/base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void nearest_begin(struct nearest *n, const char *word)
{
	*n = (struct nearest){ .word = word, .edits = strlen(word) > 5 ? 3 : 2 };
}

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns the optimal string alignment distance, computed row by row. */
static size_t edits_between(const char *a, size_t m, const char *b, size_t n)
{
	size_t row[3][NEAREST_LEN + 1];

	for (size_t j = 0; j <= n; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= m; i++) {
		size_t *now = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= n; j++) {
			now[j] = least_of(above[j], now[j - 1]) + 1;
			now[j] = least_of(now[j], above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least_of(now[j], before[j - 2] + 1);
		}
	}
	return row[m % 3][n];
}

void nearest_offer(struct nearest *n, const char *known, size_t length)
{
	size_t own = strlen(n->word), edits;

	if (own < 3 || own > NEAREST_LEN || length > NEAREST_LEN)
		return;
	edits = edits_between(n->word, own, known, length);
	if (edits >= n->edits)
		return;
	n->edits = edits;
	memcpy(n->best, known, length);
	n->best[length] = 0;
}

const char *nearest_describe(const struct nearest *n, char text[static NEAREST_LEN + 20])
{
	*text = 0;
	if (*n->best)
		snprintf(text, NEAREST_LEN + 20, " (did you mean %s?)", n->best);
	return text;
}

static bool nearest_is_end(const struct argp_option *o)
{
	return !o->name && !o->key && !o->doc && !o->group;
}

/* Returns the option that getopt would find for the word, which may be an abbreviation and may have
 * "=VALUE". If there is none, offers all names to `near` and returns NULL. */
static const struct argp_option *nearest_find_option(const struct argp *argp, const char *word,
						     struct nearest *near)
{
	size_t n = strcspn(word, "=");
	const struct argp_option *found = NULL;

	for (const struct argp_option *o = argp->options; o && !nearest_is_end(o) && !found; o++) {
		if (!o->name)
			continue;
		nearest_offer(near, o->name, strlen(o->name));
		if (!strncmp(o->name, word, n))
			found = o;
	}
	for (const struct argp_child *c = argp->children; c && c->argp && !found; c++)
		found = nearest_find_option(c->argp, word, near);
	return found;
}

void nearest_option(const struct argp *argp, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		char text[NEAREST_LEN + 20], name[NEAREST_LEN + 1];
		const struct argp_option *o;
		struct nearest near;

		if (strncmp(argv[i], "--", 2) != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(argv[i] + 2, "="), argv[i] + 2);
		nearest_begin(&near, name);
		o = nearest_find_option(argp, name, &near);
		if (o)
			i += o->arg && !strchr(argv[i], '=');
		else if (strncmp("help", name, strlen(name)) != 0 &&
			 strncmp("usage", name, strlen(name)) != 0 &&
			 *nearest_describe(&near, text))
			fprintf(stderr, "%s: --%s is unknown%s\n", argv[0], name, text);
	}
}
